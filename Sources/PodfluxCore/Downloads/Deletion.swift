/// What a removed or damaged download left on the disk and is owed its deletion, or its move to quarantine.
///
/// It is a row before it is an effect: a crash between the two loses no deletion.
public struct Deletion: Hashable, Sendable {
  /// A deletion's number in its table.
  public typealias Key = Int64

  /// Its number; 0 until it has a row.
  public var key: Key
  /// Whose partial file is to go.
  public var download: DownloadID
  /// The published file that is to go, if it still is that file.
  public var file: PublishedFile?
  /// Where that file goes.
  public var fate: Fate
  /// The folders on the way to the file that the engine itself has made: they go with it, if nothing else is in them.
  /// Known when it is handed out.
  public var ownFolders: [LibraryPath] = []

  /// What becomes of a published file that is to go.
  public enum Fate: Hashable, Sendable {
    /// It is deleted.
    case deleted
    /// It is kept where nobody takes it for a download's file. The partial file is left alone.
    case quarantined
  }

  /// Makes a deletion.
  public init(key: Key = 0, download: DownloadID, file: PublishedFile?, fate: Fate = .deleted) {
    self.key = key
    self.download = download
    self.file = file
    self.fate = fate
  }
}
