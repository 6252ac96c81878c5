/// Names on a disk that does not tell case apart; all of them are ASCII here.
extension SimulatedDisk {
  /// Whether a file has this name, or something one that differs from it in case only.
  func isTaken(_ path: String) -> Bool {
    published[path] != nil || !twins(of: path).isEmpty
  }

  /// The files in a file's folder whose names differ from its name in case only; if its folder is still to be made, the
  /// folders of which that is true. In order.
  func twins(of path: String) -> [String] {
    let folder = Self.folder(of: path)
    if !folder.isEmpty, !folders.contains(String(folder)) {
      return folders.filter { $0.lowercased() == folder.lowercased() }.sorted()
    }
    return published.keys.filter {
      $0 != path && Self.folder(of: $0) == folder && $0.lowercased() == path.lowercased()
    }.sorted()
  }

  /// The path with its folder spelled as it is on the disk.
  func spelled(_ path: String) -> String {
    let folder = Self.folder(of: path)
    guard !folder.isEmpty, !folders.contains(String(folder)), let twin = twins(of: path).first else { return path }
    return twin + path.dropFirst(folder.count)
  }

  private static func folder(of path: String) -> Substring {
    path.lastIndex(of: "/").map { path[..<$0] } ?? ""
  }
}
