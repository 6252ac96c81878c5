import Flux

/// A file in quarantine: its content is kept, and no download owns it any more.
package struct QuarantinedFile: Hashable, Sendable {
  /// The file's name in quarantine, which identifies it.
  package let name: String
  /// Its original path; nil if unknown, or if no published file can be there.
  package let place: EntryPath?
  /// Its length in bytes.
  package let length: Int64
  /// The reason, in one sentence without a full stop.
  package let because: String
  /// When it was quarantined.
  package let at: Timestamp
  /// The download that owned the file, if known.
  package let download: DownloadID?

  package init(
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
