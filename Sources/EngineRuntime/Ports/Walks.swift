import Flux
import PodfluxCore

/// A walk through all that people can see in a library. It belongs to one caller.
package protocol LibraryWalk {
  /// The next entry in the byte order of the places; nil at the end. Passes over what vanishes meanwhile.
  func next() throws(FileSystemFailure) -> LibraryEntry?
}

/// A walk through the folder of partial files, in no order. It belongs to one caller.
package protocol PartialWalk {
  /// The next regular file; nil at the end. Passes over what vanishes meanwhile.
  func next() throws(FileSystemFailure) -> PartialEntry?
}

/// A regular file in the folder of partial files.
package enum PartialEntry: Hashable, Sendable {
  /// A download's partial file.
  case partial(FoundPartial)
  /// A file that has no partial file's name. Its place is its name in the folder.
  case stray(FoundFile)
}

/// An open published file.
package protocol PublishedFileContents {
  /// The file as it was opened.
  var file: FoundFile { get }
  /// When the file was made; nil where the file system does not keep that.
  var birth: Timestamp? { get }
  /// When its content, its names or its permissions were last changed; nil where the file system does not keep that.
  var changed: Timestamp? { get }
  /// The file as it is now, under its former place.
  func present() throws(FileSystemFailure) -> FoundFile
  /// Whether the file has several names, in the library or elsewhere on its disk, now.
  func hasOtherNames() throws(FileSystemFailure) -> Bool
  /// Its first bytes: all, or `MediaSignature.length` of them.
  func beginning() throws(FileSystemFailure) -> [UInt8]
  /// So many bytes from an offset, or fewer where the file ends.
  func read(offset: Int64, count: Int) throws(FileSystemFailure) -> [UInt8]
}

/// An open partial file.
package protocol ExistingPartial {
  /// Its length in bytes.
  func length() throws(FileSystemFailure) -> Int64
  /// The hash of the last 64 KiB of so many of its bytes, as resume records have it.
  func tailHash(length: Int64) throws(FileSystemFailure) -> String
  /// Brings its bytes, and its entry in its folder, to the device.
  func synchronize() throws(FileSystemFailure)
  func close()
}
