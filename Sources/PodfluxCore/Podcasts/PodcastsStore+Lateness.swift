import Flux

/// Old episodes that appear late.
extension PodcastsStore {
  /// Tells new episodes from old ones that appear late: those that were published before the feed was last read, and
  /// before its newest episode. A publisher's clock may be wrong by a day, and an episode late by as much.
  func lateness(
    of contents: [EpisodeContent], in feed: Feed, in turn: borrowing StoreTurn<Self>
  ) throws -> (EpisodeContent) -> Bool {
    guard feed.wishes.rules.autoDownload != nil, let last = feed.refreshes.last else { return { _ in false } }
    let end = last.advanced(byDays: -Limits.lateDays)
    guard contents.contains(where: { $0.isPublished(before: end) }) else { return { _ in false } }
    // Where the feed had none, a failing server may have hidden them all.
    let newest = try turn.tables.rules.newest(of: feed.key, addedBy: last) ?? end
    return { $0.isPublished(before: min(end, newest)) }
  }
}

extension EpisodeContent {
  fileprivate func isPublished(before moment: Timestamp) -> Bool { published.map { $0.moment < moment } ?? false }
}
