import Flux

/// A completed file that is to be read again.
///
/// It is a row before it is an effect: a crash while the file is read only has it read once more.
public struct Verification: Hashable, Sendable {
  /// A verification's number in its table. None is given twice.
  public typealias Key = Int64

  /// Its number.
  public var key: Key
  /// Whose file it is.
  public var download: DownloadID
  /// The file, as its row describes it.
  public var file: PublishedFile
  /// When the download was completed, where that is known.
  public var finished: Timestamp?

  /// What reading came to.
  public enum Verdict: Hashable, Sendable {
    /// The file has the recorded length and, where one is recorded, the recorded SHA-256.
    case intact
    /// The file is gone or another one's content; the message says so in one sentence. `remains` is what is to be put
    /// into quarantine: the download's own file, with the length that it has now. Files of others stay where they are.
    case damaged(_ message: String, remains: PublishedFile?)
    /// Somebody has edited the file, or only set its time: it is this now, and media still.
    case modified(PublishedFile)
    /// The file could not be read, which says nothing about its content; the message says why.
    case unreadable(_ message: String)
  }

  /// Makes a verification.
  public init(key: Key, download: DownloadID, file: PublishedFile, finished: Timestamp? = nil) {
    self.finished = finished
    self.key = key
    self.download = download
    self.file = file
  }
}
