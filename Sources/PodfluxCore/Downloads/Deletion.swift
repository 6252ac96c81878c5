/// A pending deletion, or move to quarantine, of files that a removed or damaged download left on the disk.
///
/// It is a row before it is an effect, so that a crash between the two loses no deletion.
package struct Deletion: Hashable, Sendable {
  /// A deletion's number in its table.
  package typealias Key = Int64

  /// Its number; 0 until it has a row.
  package var key: Key
  /// The download whose partial file to delete.
  package var download: DownloadID
  /// The published file to delete, if it is still that file.
  package var file: PublishedFile?
  /// Whether the file is spared if it was written to since the row saw it last: what a rule deletes may have become a
  /// person's work meanwhile. Without a recorded time nothing tells.
  package var sparesEdits: Bool
  package var fate: Fate
  /// The folders on the file's path that the engine created: they are deleted with it if empty. Set when the effect is
  /// issued.
  package var ownFolders: [LibraryPath] = []

  /// How to remove a published file.
  package enum Fate: Hashable, Sendable {
    case deleted
    /// The published file moves to quarantine. The partial file stays.
    case quarantined
  }

  package init(
    key: Key = 0, download: DownloadID, file: PublishedFile?, fate: Fate = .deleted, sparesEdits: Bool = false
  ) {
    self.key = key
    self.download = download
    self.file = file
    self.sparesEdits = sparesEdits
    self.fate = fate
  }
}
