/// A walk through the folder of partial files. It belongs to one thread.
public final class PartialListing {
  /// One file in the folder.
  public struct Entry: Hashable, Sendable {
    /// The name on the disk; of bytes that are no UTF-8 something readable is made.
    public var fileName: String { entryName.text }
    /// The name on the disk, byte for byte.
    public let entryName: EntryName
    /// The name of the partial, or nil for a file that is none of the engine's, or not spelled as they are on this disk.
    public let name: PartialName?
    /// Which file it is, and its length.
    public let identity: FileIdentity
  }

  private let folder: Descriptor
  private let names: PartialName.Style
  private let stream: FolderStream

  init(_ folder: Descriptor, spelled names: PartialName.Style) throws(FileError) {
    self.folder = folder
    self.names = names
    stream = try FolderStream(folder)
  }

  /// The next regular file, or nil at the end. Files that vanish meanwhile are passed over.
  public func next() throws(FileError) -> Entry? {
    while let name = try stream.next()?.entryName {
      guard let status = try folder.statusOfChild(name), status.kind == .regular else { continue }
      return Entry(entryName: name, name: PartialName(fileName: name, spelled: names), identity: status.identity)
    }
    return nil
  }
}
