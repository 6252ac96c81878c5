/// The path of an entry in a library as the disk stores it: bytes, since a name on the disk may be neither UTF-8 nor
/// one that the engine would create.
///
/// Paths are ordered by their bytes, as SQLite orders blobs.
///
/// ```swift
/// guard let place = step.finding.place else { return }
/// print(place.text, place.libraryPath == nil ? "is a path that the engine would not make" : "")
/// ```
public struct EntryPath: Hashable, Sendable, Comparable {
  /// The path relative to the library, its components joined by "/".
  public let bytes: [UInt8]

  /// Takes a path as read from the disk.
  package init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The bytes of a checked path.
  package init(_ path: LibraryPath) {
    bytes = Array(path.description.utf8)
  }

  /// The checked path; nil if the engine would not create such a path.
  public var libraryPath: LibraryPath? {
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    return try? LibraryPath(validating: text)
  }

  /// The path for display: invalid UTF-8 is replaced.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  public static func < (left: Self, right: Self) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }
}
