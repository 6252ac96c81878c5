import PodfluxClient
import PodfluxCore
import WireProtocol

/// Where the list of a library's downloads ended at a moment. What is added later has a later row; its time says
/// nothing: a clock that was ahead has left downloads that seem to be added in the future.
package struct EndOfDownloads: Hashable, Sendable {
  /// The last download; nil if there was none.
  private let last: String?
  /// The number of its row; nil if it was the only one.
  private let key: Int64?

  /// Looks at the end of the list.
  package init(of source: some SnapshotSource) throws {
    let query = DownloadsQuery(
      condition: .everything, isUnfiltered: true, order: .init(.added, isReversed: true), limit: 1, fields: [.id])
    let page = try source.snapshot(SnapshotQuery(stores: [.downloads], downloads: query)).downloads()
    last = page.items.first?.id
    key = page.next.flatMap { OrderCursor(text: $0) }?.key
  }

  /// Calls the body with each download that was added later and meets a condition.
  func forEachLater(
    _ condition: Condition, in source: some SnapshotSource, _ body: (DownloadItem) throws -> Void
  ) throws {
    let order = DownloadOrder(.added)
    let cursor = key.map { OrderCursor(order: order, value: .none, key: $0) }
    try source.forEachDownload(condition, order: order, after: cursor) { item in
      if item.id != last { try body(item) }
      return true
    }
  }
}
