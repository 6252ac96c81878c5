import Flux

/// A pending verification: the engine reads a completed file again.
///
/// It is a row before it is an effect: after a crash the file is read once more.
package struct Verification: Hashable, Sendable {
  /// A verification's number in its table, never reused.
  package typealias Key = Int64

  package var key: Key
  /// The download that owns the file.
  package var download: DownloadID
  /// The file, as its row describes it.
  package var file: PublishedFile
  /// When the download was completed, if known.
  package var finished: Timestamp?

  /// The result of reading a file.
  package enum Verdict: Hashable, Sendable {
    /// The file has the recorded length and, if recorded, the recorded SHA-256.
    case intact
    /// The file is missing or its content differs; the message says so in one sentence. `remains` is the download's own
    /// file to quarantine, with its current length. Other programs' files stay.
    case damaged(_ message: String, remains: PublishedFile?)
    /// Another program edited the file, or only set its time: this is the file now, and it is still media.
    case modified(PublishedFile)
    /// The file could not be read, which proves nothing about its content; the message says why.
    case unreadable(_ message: String)
  }

  package init(key: Key, download: DownloadID, file: PublishedFile, finished: Timestamp? = nil) {
    self.finished = finished
    self.key = key
    self.download = download
    self.file = file
  }
}
