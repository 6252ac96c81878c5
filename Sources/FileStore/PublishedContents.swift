/// An open published file, to be read. It is closed when the last reference goes.
public struct PublishedContents: Sendable {
  private let file: Descriptor
  /// Which file it is, and its length when it was opened.
  public let identity: FileIdentity

  init(_ file: Descriptor) throws(FileError) {
    identity = try file.status().regularFile(at: file.path)
    self.file = file
  }

  /// Reads `count` bytes from `offset`, or fewer where the file ends.
  public func read(offset: Int64, count: Int) throws(FileError) -> [UInt8] {
    try file.read(offset: offset, count: count)
  }
}
