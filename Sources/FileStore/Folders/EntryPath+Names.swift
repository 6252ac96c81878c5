import PodfluxCore

extension EntryPath {
  private static let separator = UInt8(ascii: "/")

  /// The names of the path's components; the last one is the entry's own.
  ///
  /// The path may come from a database or a manifest that another program has edited. Fails with `illegalPath` for a
  /// path that could lead out of the library or into the engine's own folder, and for one that a walk never yields:
  /// names that are empty, too long, contain a zero or begin with a dot, and paths that are too long or too deep.
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
