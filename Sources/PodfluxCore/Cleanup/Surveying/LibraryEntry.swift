import Flux

/// An entry of a library, in the byte order of its path.
package enum LibraryEntry: Hashable, Sendable {
  /// A regular file.
  case file(FoundFile)
  case emptyFolder(EntryPath)
  /// A link, a pipe, a device: the engine neither follows nor changes it.
  case other(EntryPath)
  /// An unreadable folder, and why: files below it count as neither present nor missing.
  case unreadable(EntryPath, String)
}

/// A file as the survey found it.
///
/// ```swift
/// if case .orphan(let file) = step.finding { print(file.place.text, file.length) }
/// ```
public struct FoundFile: Hashable, Sendable, Codable {
  public var place: EntryPath
  /// Its length in bytes.
  public var length: Int64
  /// Its inode, which identifies it; `unknownInode` if the file system has no lasting ones.
  public var inode: UInt64
  /// See `PublishedFile.modifiedNanoseconds`.
  public var modifiedNanoseconds: Int64?

  /// No file has this inode.
  public static let unknownInode: UInt64 = 0

  package init(place: EntryPath, length: Int64, inode: UInt64, modifiedNanoseconds: Int64? = nil) {
    self.place = place
    self.length = length
    self.inode = inode
    self.modifiedNanoseconds = modifiedNanoseconds
  }

  /// The file that a download's row describes.
  package init(_ file: PublishedFile) {
    self.init(
      place: EntryPath(file.path), length: file.length, inode: file.inode,
      modifiedNanoseconds: file.modifiedNanoseconds)
  }

  /// Whether its inode allows it to be this file.
  func canBe(_ file: PublishedFile) -> Bool { inode == file.inode || inode == Self.unknownInode }

  /// Whether its inode proves that it is this file, at any path and length.
  func isKnown(as file: PublishedFile) -> Bool { inode == file.inode && inode != Self.unknownInode }

  /// The file as a row stores it; nil if a row cannot store its path.
  package func published(sha256: String?) -> PublishedFile? {
    place.libraryPath.map {
      PublishedFile(
        path: $0, length: length, inode: inode, sha256: sha256, modifiedNanoseconds: modifiedNanoseconds)
    }
  }

  /// The file without its modification time.
  package var withoutTime: FoundFile { FoundFile(place: place, length: length, inode: inode) }
}

/// A file that a row expects.
package struct ExpectedFile: Hashable, Sendable {
  /// The download that owns the file.
  package var download: DownloadID
  package var file: PublishedFile
  /// Whether the download is completed. Otherwise it is publishing, and the survey ignores this path.
  package var isCompleted: Bool
  package var finished: Timestamp?
  package let place: EntryPath

  package init(download: DownloadID, file: PublishedFile, isCompleted: Bool, finished: Timestamp? = nil) {
    self.finished = finished
    self.download = download
    self.file = file
    self.isCompleted = isCompleted
    place = EntryPath(file.path)
  }
}

/// A partial file as the survey found it.
///
/// ```swift
/// if case .orphanPartial(let partial) = step.finding { print(partial.download, partial.length) }
/// ```
public struct FoundPartial: Hashable, Sendable, Codable {
  /// The download that owns it.
  public var download: DownloadID
  public var length: Int64

  package init(download: DownloadID, length: Int64) {
    self.download = download
    self.length = length
  }
}
