/// What stands at a place in a library. No link is ever followed.
///
/// `File` is what is known of a regular file: how it was found, or its open contents.
package enum Presence<File> {
  /// Nothing, or a folder on the way is missing.
  case nothing
  /// A regular file.
  case file(File)
  /// A symbolic link.
  case link(FileSystemFailure)
  /// A folder, a pipe, a socket or a device.
  case other(FileSystemFailure)
  /// A symbolic link is on the way: what stands at the place cannot be known.
  case behindLink(FileSystemFailure)

  /// The regular file; nil if nothing is there.
  ///
  /// - Throws: the failure that comes with all else.
  package func regularFile() throws(FileSystemFailure) -> File? {
    switch self {
    case .nothing: nil
    case .file(let file): file
    case .link(let failure), .other(let failure), .behindLink(let failure): throw failure
    }
  }
}

extension Presence: Sendable where File: Sendable {}
