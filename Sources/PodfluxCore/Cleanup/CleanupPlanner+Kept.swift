/// Rows that keep their paths although their files are not there.
extension CleanupPlanner {
  /// A row keeps its path, and its claim to its file, although that is not there.
  mutating func keep(_ row: ExpectedFile) {
    kept.insert(row.place)
    keptRows[row.file.inode, default: []].append(row)
  }

  /// Handles rows that keep their paths: no other row follows its file to such a path, nor a file that such a row claims,
  /// and then keeps its own path too. Two downloads never share a file.
  mutating func leaveKept() {
    guard !kept.isEmpty else { return }
    var followers: [EntryPath: [Int]] = [:]
    var places = Array(kept)
    for (index, step) in steps.enumerated() where step.decision == .follow {
      if step.isClaimed(by: keptRows) {
        leave(index, "another download's row claims that file, and its own cannot be told", &places)
      } else if let target = step.finding.destination {
        followers[EntryPath(target), default: []].append(index)
      }
    }
    while let place = places.popLast() {
      for index in followers.removeValue(forKey: place) ?? [] {
        leave(index, "another download's row has that place, and its own file cannot be told", &places)
      }
    }
  }
}

extension CleanupStep {
  /// Whether the row would follow a file that another one of these rows claims: then the store refuses it.
  fileprivate func isClaimed(by rows: [UInt64: [ExpectedFile]]) -> Bool {
    switch finding {
    case .moved(let id, _, let file), .modified(let id, _, let file):
      rows[file.inode]?.contains { $0.download != id && $0.file.claims(FoundFile(file)) } ?? false
    default: false
    }
  }
}
