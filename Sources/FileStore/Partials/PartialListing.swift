/// A walk through the folder of partial files. One thread at a time may use it.
package final class PartialListing {
  /// One file in the folder.
  package struct Entry: Hashable, Sendable {
    /// The name for display: invalid UTF-8 is replaced.
    package var fileName: String { entryName.text }
    /// The name on the disk, byte for byte.
    package let entryName: EntryName
    /// The partial's name, or nil if the file is not the engine's or is not spelled as on this disk.
    package let name: PartialName?
    /// Its identity and length.
    package let identity: FileIdentity
  }

  private let folder: Descriptor
  private let names: PartialName.Style
  private let stream: FolderStream

  init(_ folder: Descriptor, spelled names: PartialName.Style) throws(FileError) {
    self.folder = folder
    self.names = names
    stream = try FolderStream(folder)
  }

  /// The next regular file, or nil at the end. Skips files that vanish meanwhile.
  package func next() throws(FileError) -> Entry? {
    while let name = try stream.next()?.entryName {
      guard let status = try folder.statusOfChild(name), status.kind == .regular else { continue }
      return Entry(entryName: name, name: PartialName(fileName: name, spelled: names), identity: status.identity)
    }
    return nil
  }
}
