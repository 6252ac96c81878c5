import Flux
import PodfluxClient
import PodfluxCore

/// Follows refreshes of feeds until each has ended, from looks at the feeds.
package struct RefreshFollower {
  /// What the refreshes have come to.
  package struct Report: Hashable, Sendable {
    package var unchanged = 0
    package var changed = 0
    package var newEpisodes: Int64 = 0
    package var failed: [FeedItem] = []
    /// Those whose refresh has not begun, since the network, their policy or their login does not let it.
    package var waiting: [FeedItem] = []

    package var count: Int { unchanged + changed + failed.count + waiting.count }
  }

  /// What a look at a feed needs of it: all else would cost more than the refreshes.
  package static let fields: Set<FeedField> = [
    .ended, .episodes, .error, .id, .lastRefreshed, .network, .nextRefresh, .paused, .refreshing, .title, .url,
  ]

  private let before: [String: FeedItem]
  private let orderedAt: Timestamp
  private var pending: Set<String>
  package private(set) var report = Report()

  /// - Parameters:
  ///   - feeds: The feeds as they were before.
  ///   - orderedAt: When the refreshes had been ordered: a feed whose refresh has failed is due later.
  package init(_ feeds: [FeedItem], orderedAt: Timestamp) {
    before = Dictionary(feeds.map { ($0.id, $0) }) { first, _ in first }
    pending = Set(before.keys)
    self.orderedAt = orderedAt
  }

  package var isOver: Bool { pending.isEmpty }

  /// Whether a refresh is under way.
  package private(set) var isMoving = false

  /// Takes in how the feeds are now; one that is not there any more has ended.
  package mutating func look(at feeds: [FeedItem]) {
    let now = Dictionary(feeds.map { ($0.id, $0) }) { first, _ in first }
    isMoving = false
    for id in pending.sorted() {
      guard let feed = now[id] else {
        pending.remove(id)
        continue
      }
      isMoving = isMoving || feed.isRefreshing
      if !feed.isRefreshing, hasEnded(feed) { finish(feed) }
    }
  }

  /// Whether a feed's refresh has ended. A success is known by a moment that is another one than before, and not by one
  /// that is late: a clock that was ahead has left moments which are still to come. A feed that is never due is not
  /// refreshed any more.
  private func hasEnded(_ feed: FeedItem) -> Bool {
    guard let due = feed.nextRefresh else { return true }
    return feed.hasBeenRefreshed(since: before[feed.id]) || feed.error != nil && due > orderedAt
  }

  private mutating func finish(_ feed: FeedItem) {
    pending.remove(feed.id)
    let new = feed.episodes - (before[feed.id]?.episodes ?? 0)
    if feed.error != nil {
      report.failed.append(feed)
    } else if new > 0 {
      report.changed += 1
      report.newEpisodes += new
    } else {
      report.unchanged += 1
    }
  }

  /// Gives up those that have not begun.
  package mutating func giveUp() {
    report.waiting += pending.sorted().compactMap { before[$0] }
    pending = []
  }
}

extension FeedItem {
  /// Whether a refresh has succeeded since a look at the feed; where there was none, whether any has.
  package func hasBeenRefreshed(since before: FeedItem?) -> Bool { lastRefreshed != before?.lastRefreshed }
}

extension RefreshFollower.Report {
  /// "Refreshed 38 feeds in 2.1 s: 31 unchanged, 6 with 9 new episodes, 1 failed".
  package func sentence(milliseconds: Int64) -> String {
    if count == 0 { return "No feed is due" }
    var parts: [String] = []
    if unchanged > 0 { parts.append("\(unchanged) unchanged") }
    if changed > 0 { parts.append("\(changed) with \(PodfluxPeople.count(newEpisodes, "new episode"))") }
    if !failed.isEmpty { parts.append("\(failed.count) failed") }
    if !waiting.isEmpty { parts.append("\(waiting.count) waiting for the network or a login") }
    let tenths = (milliseconds + 50) / 100
    let time = "\(tenths / 10).\(tenths % 10) s"
    return "Refreshed \(PodfluxPeople.count(count, "feed")) in \(time)" + (parts.isEmpty ? "" : ": ")
      + parts.joined(separator: ", ")
  }
}
