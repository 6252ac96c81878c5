/// How many downloads are in each state. The table has them too, so that a start need not count rows.
struct StateCounts: Sendable {
  /// The counts now.
  private(set) var current: [DownloadState.Kind: Int]
  /// The counts that the table holds.
  private var saved: [DownloadState.Kind: Int]

  /// Begins with the counts that the table has.
  init(_ counts: [DownloadState.Kind: Int]) {
    (current, saved) = (counts, counts)
  }

  /// Counts so many more downloads in a state.
  mutating func change(_ kind: DownloadState.Kind, by number: Int) {
    current[kind, default: 0] += number
  }

  /// Writes the counts that have changed since they were written last.
  mutating func save(in turn: borrowing PodfluxTurn) throws {
    let changed = current.filter { saved[$0.key] != $0.value }
    guard !changed.isEmpty else { return }
    try turn.tables.downloads.save(changed)
    saved = current
  }
}
