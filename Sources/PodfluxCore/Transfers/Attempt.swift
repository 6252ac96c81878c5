import Flux

/// Everything that one attempt at a download needs to know: it asks nobody later.
public struct Attempt: Hashable, Sendable {
  /// Which attempt it is.
  public var id: AttemptID
  /// What to fetch.
  public var address: WebAddress
  /// What the client said about the download: headers, the name that it wants.
  public var description: Download.Description
  /// Who asked, which decides the quality of service.
  public var origin: Origin
  /// What is kept of the file, nil for nothing.
  public var resume: ResumeRecord?
  /// What the settings said when it began.
  public var settings: Settings

  /// Makes an attempt.
  public init(
    id: AttemptID, address: WebAddress, description: Download.Description, origin: Origin, resume: ResumeRecord?,
    settings: Settings
  ) {
    self.id = id
    self.address = address
    self.description = description
    self.origin = origin
    self.resume = resume
    self.settings = settings
  }
}

/// What an attempt tells the stores.
public struct AttemptReport: Hashable, Sendable {
  /// Who reports.
  public var attempt: AttemptID
  /// What has happened.
  public var news: News

  /// Makes a report.
  public init(attempt: AttemptID, news: News) {
    self.attempt = attempt
    self.news = news
  }

  /// What can happen in an attempt.
  public enum News: Hashable, Sendable {
    /// So many bytes have arrived, kept ones included.
    case reading(received: Int64, phase: DownloadState.Phase)
    /// The record's durable bytes are on the disk.
    case checkpoint(ResumeRecord)
    /// What is kept does not belong to what the server has now. Waits for `proceed` before it throws it away.
    case restarting(discarding: Int64, because: RestartCause)
    /// The file is complete. Until it has its name only what the record says would survive a power cut for certain.
    /// Waits for `proceed`, and for its contents to be durable, before it renames it so.
    case publishing(PublishedFile, kept: ResumeRecord)
    /// The file stands at its place, and the place is synced. The attempt has ended.
    case finished(PublishedFile)
    /// The attempt has ended without the file; the record tells what is kept.
    case failed(DownloadError, kept: ResumeRecord?)
    /// The attempt has ended because it was told to; the record tells what is kept.
    case stopped(kept: ResumeRecord?)

    /// Whether it is a reading that the next one replaces.
    public var isReading: Bool {
      if case .reading = self { true } else { false }
    }
  }
}

/// Why kept bytes are thrown away.
public enum RestartCause: String, Hashable, Sendable, CaseIterable {
  /// The partial file is gone or shorter than its record.
  case partialMissing = "partial_missing"
  /// The partial file's end is not what its record says.
  case partialDamaged = "partial_damaged"
  /// The server sent the whole file although a part was asked for: it changed, or the server knows no ranges.
  case wholeFileSent = "whole_file_sent"
  /// The part that came is not the part that was asked for.
  case rangeMismatch = "range_mismatch"
  /// The server names another entity tag or modification date.
  case validatorChanged = "validator_changed"
  /// The file has another length now.
  case lengthChanged = "length_changed"
  /// The bytes fetched again differ from the kept ones.
  case contentChanged = "content_changed"
}
