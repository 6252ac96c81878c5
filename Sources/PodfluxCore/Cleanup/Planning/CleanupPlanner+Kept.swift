/// Rows that keep their paths although their files are not there.
extension CleanupPlanner {
  /// A row keeps its path, and its claim to its file, although that is not there.
  mutating func keep(_ row: ExpectedFile) {
    kept.insert(row.place)
    keptRows[row.file.inode, default: []].append(row)
  }

  /// Handles rows that keep their paths: no other row follows its file to such a path, nor a file that such a row
  /// claims, and then keeps its own path too. Two downloads never share a file. What lies at such a path stays there.
  mutating func leaveKept() {
    guard !kept.isEmpty else { return }
    var followers: [EntryPath: [Int]] = [:]
    let strays = Dictionary(
      steps.indices.compactMap { index in steps[index].takenStray.map { ($0, index) } }, uniquingKeysWith: { $1 })
    var places = Array(kept)
    for (index, step) in steps.enumerated() where step.decision == .follow {
      if step.isClaimed(by: keptRows) {
        leave(index, "another download's row claims that file, and its own cannot be told", &places)
      } else if let target = step.finding.destination {
        followers[EntryPath(target), default: []].append(index)
      }
    }
    while let place = places.popLast() {
      if let index = strays[place], steps[index].decision != .leave {
        leave(index, "a download's row says that its file is here, and that one stays where it is", &places)
      }
      for index in followers.removeValue(forKey: place) ?? [] {
        leave(index, "another download's row has that place, and its own file cannot be told", &places)
      }
    }
  }
}

extension CleanupStep {
  /// The place of a file that no row has and that is to be taken from it, or for a row; nil for other steps.
  fileprivate var takenStray: EntryPath? {
    guard decision != .leave, decision != .offer else { return nil }
    return switch finding {
    case .orphan(let found), .adoptable(let found, _, _): found.place
    default: nil
    }
  }

  /// Whether the row would follow a file that another one of these rows claims: then the store refuses it.
  fileprivate func isClaimed(by rows: [UInt64: [ExpectedFile]]) -> Bool {
    switch finding {
    case .moved(let id, _, let file), .modified(let id, _, let file):
      rows[file.inode]?.contains { $0.download != id && $0.file.claims(FoundFile(file)) } ?? false
    default: false
    }
  }
}
