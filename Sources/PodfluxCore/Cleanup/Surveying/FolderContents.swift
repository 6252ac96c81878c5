/// Counts the entries below each folder, to find the folders that steps leave empty.
struct FolderContents {
  private var counts: [EntryPath: Int] = [:]
  /// The folder of the last entry, with its final "/", and how many of its entries are not in `counts` yet: entries of
  /// a folder arrive together.
  private var latest: (folder: [UInt8], count: Int) = ([], 0)

  /// Counts an entry of the survey.
  mutating func count(_ entry: LibraryEntry) {
    let place: EntryPath =
      switch entry {
      case .file(let file): file.place
      case .emptyFolder(let place), .other(let place), .unreadable(let place, _): place
      }
    guard let slash = place.bytes.lastIndex(of: UInt8(ascii: "/")) else { return }
    let folder = place.bytes[...slash]
    if !latest.folder.elementsEqual(folder) {
      bringUpToDate()
      latest.folder = Array(folder)
    }
    latest.count += 1
  }

  private mutating func bringUpToDate() {
    EntryPath(bytes: latest.folder).forEachFolder { counts[$0, default: 0] += latest.count }
    latest.count = 0
  }

  /// The folders that these steps leave empty, inner ones first.
  mutating func emptied(by steps: [CleanupStep]) -> [EntryPath] {
    bringUpToDate()
    var rest: [EntryPath: Int] = [:]
    for step in steps {
      step.emptiedPlace?.forEachFolder { rest[$0, default: counts[$0] ?? 0] -= 1 }
    }
    return rest.filter { $0.value == 0 }.keys.sorted { $1 < $0 }
  }
}

extension CleanupStep {
  /// The path that the step leaves empty. A damaged file is moved later, after its row has changed.
  fileprivate var emptiedPlace: EntryPath? {
    switch (finding, decision) {
    case (.orphan(let found), .quarantine), (.orphan(let found), .delete): found.place
    case (.emptyFolder(let place), .delete): place
    default: nil
    }
  }
}

extension EntryPath {
  /// Calls the body with the folders on the path, the outermost first.
  fileprivate func forEachFolder(_ body: (EntryPath) -> Void) {
    for index in bytes.indices where bytes[index] == UInt8(ascii: "/") {
      body(EntryPath(bytes: Array(bytes[..<index])))
    }
  }
}
