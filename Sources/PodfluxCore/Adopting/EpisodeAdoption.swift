/// What is needed to make a file the download of an episode, as the rows are now.
package struct EpisodeAdoption: Sendable {
  /// The episode's download, which is neither completed nor running; nil if it has none.
  package let owner: DownloadID?
  /// What a new download would be; nil if the episode is gone.
  package let wish: DownloadIntent.Enqueue?
  /// Why the episode cannot get a file, in one sentence; nil if nothing prevents it.
  package let obstacle: String?

  /// Looks at the rows. Cost: some look-ups.
  package init(
    of id: EpisodeID, episodes: any EpisodeTableReader, feeds: any FeedTableReader, downloads: any DownloadTableReader
  ) throws {
    let episode = try episodes.find(id)
    guard let episode, let feed = try feeds.find(episode.feed), let wish = DownloadIntent.Enqueue(of: episode, in: feed)
    else {
      (owner, self.wish, obstacle) = (nil, nil, "the episode is gone, or has no file")
      return
    }
    self.wish = wish
    let own = try episode.download.flatMap { try downloads.find($0) }
    owner = own?.id
    if let own {
      obstacle = own.state.kind.isWithoutFile ? nil : "the episode has a download"
    } else if let other = try downloads.find(wish, of: .init(feed: episode.feed, episode: id), where: { _ in true }) {
      obstacle = "the download \(other) has the address of the episode"
    } else {
      obstacle = nil
    }
  }
}

extension DownloadState.Kind {
  /// Whether a download in this state has no file, and none is being fetched for it: then it can get one.
  package var isWithoutFile: Bool {
    switch self {
    case .queued, .waiting, .paused, .failed: true
    case .running, .completed: false
    }
  }
}

extension EpisodeAdoption {
  /// Looks at the rows of a turn.
  init(of id: EpisodeID, in turn: borrowing StoreTurn<some DomainStore>) throws {
    try self.init(
      of: id, episodes: turn.tables.episodes, feeds: turn.tables.feeds, downloads: turn.tables.downloads)
  }
}
