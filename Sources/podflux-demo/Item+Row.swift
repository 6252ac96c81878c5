import Terminal

extension Item {
  /// Whether nothing happens to it any more in this demo.
  var isFinished: Bool { ["completed", "failed"].contains(state) }

  fileprivate var row: TransferRow.State {
    let amount = ByteCount(Int64(received)).of(total.map { ByteCount(Int64($0)) })
    return switch state {
    case "running":
      .moving(
        .init(received: Int64(received), total: total.map { Int64($0) }, bytesPerSecond: Int64(bytesPerSecond)))
    case "completed": .done(bytes: Int64(received), path: path)
    case "failed": .failed("failed")
    default: .waiting(received > 0 ? "\(state) at \(amount)" : state)
    }
  }
}

extension TransferRow {
  init(_ item: Item) {
    self.init(podcast: item.podcast, title: item.title, state: item.row)
  }
}

extension TransferSummary {
  init(_ items: [Item]) {
    let totals = items.compactMap(\.total)
    self.init(
      done: items.count { $0.state == "completed" }, of: items.count, failed: items.count { $0.state == "failed" },
      received: Int64(items.reduce(0) { $0 + $1.received }),
      total: totals.count == items.count ? Int64(totals.reduce(0, +)) : nil,
      bytesPerSecond: Int64(items.reduce(0) { $0 + $1.bytesPerSecond }))
  }
}
