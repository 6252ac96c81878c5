import Flux

/// A file in quarantine: its content is kept, and no download owns it any more.
public struct QuarantinedFile: Hashable, Sendable {
  /// The file's name in quarantine, which identifies it.
  public let name: String
  /// Its original path; nil if unknown, or if no published file can be there.
  public let place: EntryPath?
  /// Its length in bytes.
  public let length: Int64
  /// The reason, in one sentence without a full stop.
  public let because: String
  /// When it was quarantined.
  public let at: Timestamp
  /// The download that owned the file, if known.
  public let download: DownloadID?

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
