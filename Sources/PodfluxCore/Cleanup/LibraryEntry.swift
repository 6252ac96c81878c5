import Flux

/// Something in a library's folders, in the byte order of its place.
public enum LibraryEntry: Hashable, Sendable {
  /// A regular file.
  case file(FoundFile)
  /// A folder in which nothing is.
  case emptyFolder(EntryPath)
  /// A link, a pipe, a device: nothing that is followed or touched.
  case other(EntryPath)
  /// A folder that cannot be looked into, and why: what rows say lies in it is neither there nor gone.
  case unreadable(EntryPath, String)
}

/// A file as it was found.
public struct FoundFile: Hashable, Sendable, Codable {
  /// Where it is.
  public var place: EntryPath
  /// Its length in bytes.
  public var length: Int64
  /// Which file it is, whatever its name; `unknownInode` where the file system has no such numbers that last.
  public var inode: UInt64
  /// See `PublishedFile.modifiedNanoseconds`.
  public var modifiedNanoseconds: Int64?

  /// The inode of no file.
  public static let unknownInode: UInt64 = 0

  /// Describes a file that was found.
  public init(place: EntryPath, length: Int64, inode: UInt64, modifiedNanoseconds: Int64? = nil) {
    self.place = place
    self.length = length
    self.inode = inode
    self.modifiedNanoseconds = modifiedNanoseconds
  }

  /// The file that a download's row describes.
  public init(_ file: PublishedFile) {
    self.init(
      place: EntryPath(file.path), length: file.length, inode: file.inode,
      modifiedNanoseconds: file.modifiedNanoseconds)
  }

  /// Whether its inode leaves it possible that it is this file.
  func canBe(_ file: PublishedFile) -> Bool { inode == file.inode || inode == Self.unknownInode }

  /// Whether its inode says that it is this file, whatever its place and its length.
  func isKnown(as file: PublishedFile) -> Bool { inode == file.inode && inode != Self.unknownInode }

  /// The file as a download's row keeps it; nil if its place has a name that no row can keep.
  public func published(sha256: String?) -> PublishedFile? {
    place.libraryPath.map {
      PublishedFile(
        path: $0, length: length, inode: inode, sha256: sha256, modifiedNanoseconds: modifiedNanoseconds)
    }
  }

  /// The file, whenever it was written to.
  public var withoutTime: FoundFile { FoundFile(place: place, length: length, inode: inode) }
}

/// A file that a row says is there.
public struct ExpectedFile: Hashable, Sendable {
  /// Whose file it is.
  public var download: DownloadID
  /// The file, as the row describes it.
  public var file: PublishedFile
  /// Whether the download is completed. Otherwise it is just being published: whatever is at that place is its own affair.
  public var isCompleted: Bool
  /// When the download was completed.
  public var finished: Timestamp?
  /// Where it should be.
  public let place: EntryPath

  /// Describes what a row expects.
  public init(download: DownloadID, file: PublishedFile, isCompleted: Bool, finished: Timestamp? = nil) {
    self.finished = finished
    self.download = download
    self.file = file
    self.isCompleted = isCompleted
    place = EntryPath(file.path)
  }
}

/// A partial file as it was found.
public struct FoundPartial: Hashable, Sendable, Codable {
  /// Whose partial it is.
  public var download: DownloadID
  /// Its length in bytes.
  public var length: Int64

  /// Describes a partial file.
  public init(download: DownloadID, length: Int64) {
    self.download = download
    self.length = length
  }
}
