import Flux
import PodfluxClient
import PodfluxCore
import Terminal

/// Lists as tables.
package struct LibraryTables {
  private let clock: PersonalClock

  package init(_ clock: PersonalClock) {
    self.clock = clock
  }

  package func table(of feeds: [FeedItem]) -> TextTable {
    var table = TextTable(
      [
        .init("feed", givesWayTo: 12), .init("episodes", .trailing), .init("here", .trailing),
        .init("last", givesWayTo: 0), .init("next", givesWayTo: 0), .init("state", givesWayTo: 8),
      ], givingWay: [3, 4, 5, 0])
    for feed in feeds {
      table.add([
        StyledText(feed.title ?? feed.id), StyledText("\(feed.episodes)"), StyledText("\(feed.downloaded)"),
        StyledText(feed.lastRefreshed.map(clock.time) ?? "never"), StyledText(nextWords(for: feed)), state(of: feed),
      ])
    }
    return table
  }

  private func nextWords(for feed: FeedItem) -> String {
    guard let next = feed.nextRefresh else { return "–" }
    return next <= clock.now ? "due" : clock.time(next)
  }

  private func state(of feed: FeedItem) -> StyledText {
    if feed.hasEnded { return StyledText("ended", .dim) }
    if let error = feed.error { return StyledText(error.words, .bad) }
    if feed.isRefreshing { return StyledText("refreshing") }
    return feed.isPaused ? StyledText("paused", .dim) : StyledText(feed.lastRefreshed == nil ? "new" : "ok", .good)
  }

  /// - Parameter titles: The titles of feeds by their ids.
  package func table(of episodes: [EpisodeItem], titles: [String: String]) -> TextTable {
    var table = TextTable(
      [
        .init("id"), .init("published", givesWayTo: 0), .init("feed", givesWayTo: 0),
        .init("title", givesWayTo: 12), .init("length", .trailing, givesWayTo: 0), .init("state"),
      ], givingWay: [4, 2, 3, 1])
    for episode in episodes {
      table.add([
        StyledText(episode.id), StyledText(episode.published.map(clock.day) ?? ""),
        StyledText(episode.feed.flatMap { titles[$0] } ?? ""), StyledText(episode.title ?? ""),
        StyledText(episode.seconds.map { TimeLeft(seconds: $0).description } ?? ""), state(of: episode),
      ])
    }
    return table
  }

  private func state(of episode: EpisodeItem) -> StyledText {
    let marks = [
      episode.marks.isPlayed ? "played" : nil, episode.marks.isFavorite ? "favorite" : nil,
      episode.marks.isArchived ? "archived" : nil, episode.isMissingFromFeed ? "left its feed" : nil,
    ].compactMap { $0 }
    switch episode.state {
    case .completed: return StyledText((["here"] + marks).joined(separator: ", "), .good)
    case .failed: return StyledText((["failed"] + marks).joined(separator: ", "), .bad)
    case let state: return StyledText(((state.map { [$0.rawValue] } ?? []) + marks).joined(separator: ", "))
    }
  }

  package func table(of downloads: [DownloadItem]) -> TextTable {
    var table = TextTable(
      [
        .init("id", givesWayTo: 0), .init("podcast", givesWayTo: 0), .init("title", givesWayTo: 12),
        .init("bytes", .trailing), .init("state", givesWayTo: 12),
      ], givingWay: [4, 0, 1, 2])
    for item in downloads {
      let total = item.bytes.total.map { ByteCount($0) }
      let bytes =
        item.state == .completed
        ? total?.description ?? ByteCount(item.bytes.received).description : ByteCount(item.bytes.received).of(total)
      table.add([
        StyledText(item.id), StyledText(item.podcast ?? ""), StyledText(item.name), StyledText(bytes), state(of: item),
      ])
    }
    return table
  }

  private func state(of item: DownloadItem) -> StyledText {
    let words = item.stateWords(by: clock)
    switch item.state {
    case .completed: return StyledText(words, .good)
    case .failed: return StyledText(words, .bad)
    case .waiting: return StyledText(words, .attention)
    case .queued, .running, .paused, nil: return StyledText(words)
    }
  }
}
