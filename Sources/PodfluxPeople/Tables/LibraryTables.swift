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
        .init("feed"), .init("episodes", .trailing), .init("here", .trailing), .init("last"), .init("next"),
        .init("state"),
      ],
      narrowings: [
        .shrink(5, to: 24), .shrink(0, to: 24), .drop(3), .drop(4), .shrink(5, to: 8), .shrink(0, to: 8), .drop(1),
      ])
    for feed in feeds {
      table.add([
        StyledText(feed.title ?? feed.id), StyledText("\(feed.episodes)"), StyledText("\(feed.downloaded)"),
        StyledText(feed.lastRefreshed.map(clock.time) ?? "never"), StyledText(nextWords(for: feed)), state(of: feed),
      ])
    }
    return table
  }

  package func table(of sessions: [SessionItem]) -> TextTable {
    var table = TextTable(
      [.init("id"), .init("hosts"), .init("login"), .init("expires"), .init("state")],
      narrowings: [.shrink(4, to: 24), .shrink(1, to: 24), .drop(3), .drop(2), .shrink(0, to: 12), .shrink(1, to: 12)])
    for session in sessions {
      let isBad = session.state == .loginFailed
      table.add([
        StyledText(session.id), StyledText(session.hosts.joined(separator: ", ")),
        StyledText(session.kind?.rawValue ?? ""), StyledText(session.expires.map(clock.time) ?? ""),
        StyledText(session.words, isBad ? .bad : session.state == .closed ? .dim : .good),
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

  // MARK: Lists that may be long

  /// A table for episodes, without rows.
  package var episodes: TextTable {
    TextTable(
      [
        .init("id"), .init("published"), .init("feed"), .init("title"), .init("length", .trailing), .init("state"),
      ],
      narrowings: [
        .shrink(2, to: 16), .shrink(3, to: 24), .drop(4), .drop(2), .shrink(3, to: 12), .drop(1), .shrink(5, to: 6),
      ])
  }

  /// The row of an episode.
  ///
  /// - Parameter titles: The titles of feeds by their ids.
  package func row(of episode: EpisodeItem, titles: [String: String]) -> [StyledText] {
    [
      StyledText(episode.id), StyledText(episode.published.map(clock.day) ?? ""),
      StyledText(episode.feed.flatMap { titles[$0] } ?? ""), StyledText(episode.title ?? ""),
      StyledText(episode.seconds.map { TimeLeft(seconds: $0).description } ?? ""), state(of: episode),
    ]
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

  /// A table for downloads, without rows.
  package var downloads: TextTable {
    TextTable(
      [
        .init("id"), .init("podcast"), .init("title"), .init("bytes", .trailing), .init("state"),
      ],
      narrowings: [
        .shrink(4, to: 24), .shrink(1, to: 16), .shrink(2, to: 24), .drop(0), .drop(1), .shrink(2, to: 12),
        .shrink(4, to: 8),
      ])
  }

  /// The cells of a download's row, in the order of the table's columns.
  package func row(of item: DownloadItem) -> [StyledText] {
    let total = item.bytes.total.map { ByteCount($0) }
    let bytes =
      item.state == .completed
      ? total?.description ?? ByteCount(item.bytes.received).description : ByteCount(item.bytes.received).of(total)
    return [
      StyledText(item.id), StyledText(item.podcast ?? ""), StyledText(item.name), StyledText(bytes), state(of: item),
    ]
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
