/// The place of something in a library as the disk has it: bytes, since a name on the disk need not be UTF-8, nor one
/// that the engine would give.
///
/// Paths are ordered by their bytes, as SQLite orders them.
public struct EntryPath: Hashable, Sendable, Comparable {
  /// The path relative to the library, its components joined by "/".
  public let bytes: [UInt8]

  /// Takes a path as it was read from the disk.
  public init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The place that a checked path names.
  public init(_ path: LibraryPath) {
    bytes = Array(path.description.utf8)
  }

  /// The path as a checked one; nil if it is none that the engine would make.
  public var libraryPath: LibraryPath? {
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    return try? LibraryPath(validating: text)
  }

  /// The path for people: what is no UTF-8 in it is replaced.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Orders by bytes.
  public static func < (left: Self, right: Self) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }
}
