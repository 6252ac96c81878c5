import GRDB
import PodfluxCore

/// What a run that pairs files with episodes reads.
extension TableReader {
  /// The subscriptions after one, in the order of their keys.
  package func feedNames(after key: Feed.Key, limit: Int) throws -> [FeedName] {
    let sql = "\(StoredFeed.select) FROM feeds WHERE key > ? ORDER BY key LIMIT ?"
    return try StoredFeed.fetchAll(db.cachedStatement(sql: sql), arguments: [key, limit]).map { row in
      let (shown, own) = (row.feed.shownTitle, row.feed.podcast?.title)
      return FeedName(
        key: row.feed.key, id: row.feed.id, titles: own.map { $0 == shown ? [shown] : [shown, $0] } ?? [shown])
    }
  }

  /// The episodes of a feed after one, in the order of their keys, and whether each has a download that is completed or
  /// running. Cost: one look-up, the page, and a look-up for each episode that had a download.
  package func adoptableEpisodes(
    of feed: Feed.Key, after episode: EpisodeID?, limit: Int
  ) throws -> [AdoptableEpisode] {
    let sql = """
      \(StoredEpisode.select) FROM episodes INDEXED BY episodes_feed WHERE feed = ? AND key > ? ORDER BY key LIMIT ?
      """
    let rows = try StoredEpisode.fetchAll(
      db.cachedStatement(sql: sql), arguments: [feed, episode?.number ?? 0, limit])
    // In a damaged index, reading on after a page might never end.
    let keys = [episode?.number ?? 0] + rows.map(\.episode.id.number)
    guard zip(keys, keys.dropFirst()).allSatisfy(<) else { throw DamagedRow(column: "episodes.key, or in its index") }
    let state = try db.cachedStatement(
      sql: "SELECT 1 FROM downloads WHERE id = ? AND state IN ('completed', 'running')")
    return try rows.map { row in
      let hasDownload = try row.episode.download.map { id in
        try Int.fetchOne(state, arguments: [id.description]) != nil
      }
      return AdoptableEpisode(row.episode, hasDownload: hasDownload ?? false)
    }
  }

  /// The rows with which a file becomes the download of an episode.
  package func adoption(of episode: EpisodeID) throws -> EpisodeAdoption {
    try EpisodeAdoption(of: episode, episodes: episodeTable, feeds: feedTable, downloads: table)
  }
}
