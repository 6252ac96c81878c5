import Flux

/// Everything that one attempt at a download needs to know: it asks for nothing later.
package struct Attempt: Hashable, Sendable {
  package var id: AttemptID
  /// What to fetch: the download's own address, or the mirror whose turn it is.
  package var address: WebAddress
  /// The download's own address: the file is named after it, wherever it comes from.
  package var ownAddress: WebAddress
  /// What the client said about the download, such as the name that it wants. Its headers are not for every address:
  /// what may be sent says `headers`.
  package var description: Download.Description
  /// Who asked, which decides the quality of service.
  package var origin: Origin
  /// The record of the kept bytes; nil if none are kept.
  package var resume: ResumeRecord?
  /// The settings at its start. Later changes of settings do not affect it.
  package var settings: Settings
  /// How the file is named if the client names no path.
  package var naming = DownloadNaming()
  /// What the file's tags are to say; nil if it is to be published as it was downloaded.
  package var tags: EpisodeTags?
  /// What is fetched for them when the file is complete; nil if nothing is.
  package var tagSources: TagSources?
  /// The route that its connections must take.
  package var route: Route
  /// To which addresses its connections may lead.
  package var reach = Reach.asNamed
  /// The credentials that its request is sent with; nil for none.
  package var session: SessionUse?
  /// Set where what was said of the file's length is too old to be believed, or where there is a quota and no server
  /// has said it: the length that the server names now is judged before the file is fetched.
  package var doubt: Doubt?

  /// What is needed to judge a length that a server has just named.
  package struct Doubt: Hashable, Sendable {
    /// How many bytes more may be stored by the quota.
    package var quotaLeft: Int64

    /// Makes a doubt; of a library without a quota, by default.
    package init(quotaLeft: Int64 = .max) {
      self.quotaLeft = quotaLeft
    }
  }

  /// Makes an attempt.
  package init(
    id: AttemptID, address: WebAddress, ownAddress: WebAddress? = nil, description: Download.Description,
    origin: Origin, resume: ResumeRecord?, settings: Settings, route: Route = .any
  ) {
    self.id = id
    self.address = address
    self.ownAddress = ownAddress ?? address
    self.description = description
    self.origin = origin
    self.resume = resume
    self.settings = settings
    self.route = route
  }
}

extension Attempt {
  /// The client's headers as far as this attempt may send them: they are for the origin of the download's own address.
  /// A mirror elsewhere is a stranger, and they may be credentials.
  package var headers: [Header] {
    address.hasOrigin(of: ownAddress) ? description.headers : []
  }

  /// The digests that the complete file is to have: what the client knows one of, and what the settings want recorded.
  package var digestAlgorithms: [DigestAlgorithm] {
    let wanted = [description.integrity?.algorithm, settings.checksum ? .sha256 : nil].compactMap { $0 }
    return DigestAlgorithm.allCases.filter(wanted.contains)
  }

  /// The extension of the file that the client wants, as far as it has said so.
  var wantedExtension: String? {
    MediaCheck.wantedExtension(path: description.path, url: ownAddress.description)
  }
}

/// A report of an attempt to the stores.
package struct AttemptReport: Hashable, Sendable {
  /// The attempt that reports.
  package var attempt: AttemptID
  /// The event that is reported.
  package var news: News
  /// How many bytes of bodies have come over the network since the last report that was no reading, of use or not;
  /// 0 for a reading.
  package var fetched: Int64

  /// Makes a report.
  package init(attempt: AttemptID, news: News, fetched: Int64 = 0) {
    self.attempt = attempt
    self.news = news
    self.fetched = fetched
  }

  /// What can happen in an attempt.
  package enum News: Hashable, Sendable {
    /// So many bytes have arrived, kept ones included.
    case reading(received: Int64, phase: DownloadState.Phase)
    /// The record's durable bytes are on the disk.
    case checkpoint(ResumeRecord)
    /// So many bytes are of no use. Waits for `proceed` before it throws them away; until then, and in the row from now
    /// on, nothing is promised.
    case restarting(discarding: Int64, because: RestartCause)
    /// The file is complete, or a tagged copy of it. Until it has its name only what the record says would survive a
    /// power cut for certain. Waits for `proceed`, and for its contents to be durable, before it renames it so.
    case publishing(PublishedFile, kept: ResumeRecord, tagging: Download.Tagging? = nil)
    /// The file stands at its place, and the place is synced; these folders were made for it, the outermost first. The
    /// attempt has ended.
    case finished(PublishedFile, madeFolders: [LibraryPath] = [])
    /// The attempt has ended without the file; the record tells what is kept, and the server may have said how long to
    /// leave it alone.
    case failed(DownloadError, kept: ResumeRecord?, retryAfterMilliseconds: Int64? = nil)
    /// The attempt has ended because it was told to; the record tells what is kept.
    case stopped(kept: ResumeRecord?)

    /// The attempt has ended because it was led from loopback to where its route does not go; the record tells what is
    /// kept.
    case pathRefused(kept: ResumeRecord?)

    /// Whether it is a reading that the next one replaces.
    package var isReading: Bool {
      if case .reading = self { true } else { false }
    }
  }
}

/// Why an attempt discards bytes that it had fetched.
///
/// Use: `download.progress.discarded.amounts.first?.cause`.
public enum RestartCause: String, Hashable, Sendable, CaseIterable {
  /// The partial file is gone or shorter than its record.
  case partialMissing = "partial_missing"
  /// The partial file's end is not what its record says.
  case partialDamaged = "partial_damaged"
  /// The part that came was not the part that was asked for, and the whole file is another one.
  case rangeMismatch = "range_mismatch"
  /// The server names another entity tag or modification date, and the file is another one.
  case validatorChanged = "validator_changed"
  /// The file has another length now.
  case lengthChanged = "length_changed"
  /// The bytes fetched again differ from the kept ones.
  case contentChanged = "content_changed"
  /// The complete file is no media.
  case notMedia = "not_media"
  /// The complete file's digest is not the one that the client knows.
  case integrityMismatch = "integrity_mismatch"
  /// The file is longer than the settings allow.
  case tooLarge = "too_large"
}
