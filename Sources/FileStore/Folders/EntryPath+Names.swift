import PodfluxCore

extension EntryPath {
  private static let separator = UInt8(ascii: "/")

  /// The names on the way, the entry's own name last.
  ///
  /// A path may come from a database or a manifest that somebody has changed. Refused with `illegalPath` is whatever could
  /// lead out of the library or into the engine's own folder, or is none of those that a walk comes upon: names that are
  /// empty, too long, have a zero in them or begin with a dot, and paths that are too long or too deep.
  func names() throws(FileError) -> [EntryName] {
    let names = bytes.split(separator: Self.separator, omittingEmptySubsequences: false)
    guard bytes.count <= LibraryPath.maximumBytes, names.count <= LibraryPath.maximumComponents,
      names.allSatisfy(Self.isLegal)
    else { throw .illegalPath(path: text) }
    return names.map { EntryName(bytes: $0) }
  }

  private static func isLegal(_ name: ArraySlice<UInt8>) -> Bool {
    name.count <= LibraryPath.maximumComponentBytes && !name.contains(0)
      && name.first.map { $0 != UInt8(ascii: ".") } ?? false
  }
}
