/// How many things lie in each folder, in those inside it too: which folders do steps leave empty?
struct FolderContents {
  private var counts: [EntryPath: Int] = [:]
  /// The folder that the last thing lay in, up to and with its "/", and how many things in it are not in `counts` yet:
  /// what lies together comes together.
  private var latest: (folder: [UInt8], count: Int) = ([], 0)

  /// Notes something that was found.
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

  /// The folders in which nothing is left when these steps are done, those inside others first.
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
  /// The place at which nothing is any more when the step is done. What is damaged goes when its row has been changed,
  /// which is later.
  fileprivate var emptiedPlace: EntryPath? {
    switch (finding, decision) {
    case (.orphan(let found), .quarantine), (.orphan(let found), .delete): found.place
    case (.emptyFolder(let place), .delete): place
    default: nil
    }
  }
}

extension EntryPath {
  /// The folders on the way to it, the outermost first.
  fileprivate func forEachFolder(_ body: (EntryPath) -> Void) {
    for index in bytes.indices where bytes[index] == UInt8(ascii: "/") {
      body(EntryPath(bytes: Array(bytes[..<index])))
    }
  }
}
