import Flux

/// A file that was put aside: nothing is lost, and nobody takes it for a download's file any more.
public struct QuarantinedFile: Hashable, Sendable {
  /// The file's name in the quarantine: what it is asked for by.
  public let name: String
  /// Whence it came; nil if that is not known, or is no place for a published file.
  public let place: EntryPath?
  /// Its length in bytes.
  public let length: Int64
  /// Why it was put aside, in one sentence without a full stop.
  public let because: String
  /// When it was put aside.
  public let at: Timestamp
  /// The download whose file it was, if that is known.
  public let download: DownloadID?

  /// Puts together what is known of a file.
  public init(
    name: String, place: EntryPath?, length: Int64, because: String, at: Timestamp, download: DownloadID?
  ) {
    self.name = name
    self.place = place
    self.length = length
    self.because = because
    self.at = at
    self.download = download
  }
}
