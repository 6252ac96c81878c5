/// The number of downloads in each state. The table stores it, so that a start need not count rows.
struct StateCounts: Sendable {
  /// The current counts.
  private(set) var current: [DownloadState.Kind: Int]
  /// The counts in the table.
  private var saved: [DownloadState.Kind: Int]

  /// Starts with the counts in the table.
  init(_ counts: [DownloadState.Kind: Int]) {
    (current, saved) = (counts, counts)
  }

  /// Changes the count of a state.
  mutating func change(_ kind: DownloadState.Kind, by number: Int) {
    current[kind, default: 0] += number
  }

  /// Writes the counts that have changed since the last call.
  mutating func save(in turn: borrowing StoreTurn<DownloadsStore>) throws {
    let changed = current.filter { saved[$0.key] != $0.value }
    guard !changed.isEmpty else { return }
    try turn.tables.downloads.save(changed)
    saved = current
  }
}
