import Flux
import GRDB
import PodfluxCore

/// The episodes in SQLite, inside one transaction.
struct SQLEpisodeTable: EpisodeTable {
  let db: Database

  func find(_ id: EpisodeID) throws -> Episode? {
    let statement = try db.cachedStatement(sql: "\(StoredEpisode.select) FROM episodes WHERE key = ?")
    return try StoredEpisode.fetchAll(statement, arguments: [id.number]).first?.episode
  }

  func find(having download: DownloadID) throws -> Episode? {
    let statement = try db.cachedStatement(
      sql: """
        \(StoredEpisode.select) FROM episodes INDEXED BY episodes_of_download WHERE download = ?
        ORDER BY key DESC LIMIT 1
        """)
    return try StoredEpisode.fetchAll(statement, arguments: [download.description]).first?.episode
  }

  func formerEnclosures(of episode: EpisodeID) throws -> [WebAddress] {
    let statement = try db.cachedStatement(sql: "SELECT name FROM episode_names WHERE episode = ? AND kind = 'url'")
    return try String.fetchAll(statement, arguments: [episode.number]).map {
      try Damaged.checked("episode_names.name", try? WebAddress($0))
    }
  }

  func insert(_ content: EpisodeContent, of feed: Feed.Key, added: Timestamp) throws -> EpisodeID {
    let statement = try db.cachedStatement(sql: StoredEpisode.insertion)
    var arguments = ArgumentWriter(statement)
    try arguments.write(feed)
    try arguments.write(added.milliseconds)
    try StoredEpisode.write(content, to: &arguments)
    try statement.execute()
    return EpisodeID(number: db.lastInsertedRowID)
  }

  func update(_ change: RefreshReport.EpisodeChange, of feed: Feed.Key) throws -> Bool {
    let statement = try db.cachedStatement(sql: StoredEpisode.update)
    var arguments = ArgumentWriter(statement)
    try StoredEpisode.write(change.content, to: &arguments)
    try arguments.write(change.id.number)
    try arguments.write(feed)
    try statement.execute()
    guard db.changesCount > 0 else { return false }
    try db.cachedStatement(sql: "DELETE FROM episode_names WHERE episode = ?").execute(arguments: [change.id.number])
    guard !change.formerNames.isEmpty else { return true }
    let insertion = try db.cachedStatement(sql: "INSERT INTO episode_names VALUES (?, ?, ?, ?)")
    let names =
      change.formerNames.guids.map { ("guid", DownloadRow.text($0)) }
      + change.formerNames.enclosures.map { ("url", $0.description) }
    for (place, (kind, name)) in names.enumerated() {
      try insertion.execute(arguments: [change.id.number, place, kind, name])
    }
    return true
  }

  func setMissing(_ isMissing: Bool, _ episodes: [EpisodeID], of feed: Feed.Key) throws {
    let statement = try db.cachedStatement(sql: "UPDATE episodes SET missing = ? WHERE key = ? AND feed = ?")
    for episode in episodes { try statement.execute(arguments: [isMissing, episode.number, feed]) }
  }

  func setDownload(_ download: DownloadID, of episode: EpisodeID) throws {
    try db.cachedStatement(sql: "UPDATE episodes SET download = ? WHERE key = ?")
      .execute(arguments: [download.description, episode.number])
  }

  // MARK: Marks

  func mark(_ episode: EpisodeID, _ marking: PodcastIntent.EpisodeMarking) throws -> Bool? {
    guard try find(episode) != nil else { return nil }
    return try mark(where: Predicate("key = ?", episode.number), marking) > 0
  }

  func mark(
    _ condition: EpisodeCondition, _ marking: PodcastIntent.EpisodeMarking, at moment: ConditionMoment
  ) throws -> Int {
    try mark(where: EpisodeConditionSQL(at: moment, in: db).predicate(condition), marking)
  }

  private func mark(where scope: Predicate, _ marking: PodcastIntent.EpisodeMarking) throws -> Int {
    let marks = [("played", marking.isPlayed), ("favorite", marking.isFavorite), ("archived", marking.isArchived)]
      .compactMap { column, value in value.map { (column, $0 ? 1 : 0) } }
    guard !marks.isEmpty else { return 0 }
    let assignments = marks.map { "\($0.0) = \($0.1)" }.joined(separator: ", ")
    let differs = marks.map { "\($0.0) <> \($0.1)" }.joined(separator: " OR ")
    // Not cached: client input shapes the statement.
    let statement = try db.makeStatement(
      sql: "UPDATE episodes SET \(assignments) WHERE (\(differs)) AND \(scope.sql)")
    try statement.execute(arguments: StatementArguments(scope.values))
    return db.changesCount
  }

  // MARK: Downloads

  func wanted(_ condition: EpisodeCondition, at moment: ConditionMoment, limit: Int) throws -> [Episode] {
    let scope = try EpisodeConditionSQL(at: moment, in: db).predicate(condition)
    let statement = try db.makeStatement(
      sql: """
        \(StoredEpisode.select) FROM episodes
        WHERE url IS NOT NULL AND \(scope.sql)
          AND (download IS NULL OR NOT EXISTS (SELECT 1 FROM downloads WHERE downloads.id = episodes.download))
        ORDER BY key LIMIT ?
        """)
    return try StoredEpisode.fetchAll(statement, arguments: StatementArguments(scope.values + [limit])).map(\.episode)
  }

  func downloads(of feed: Feed.Key) throws -> [DownloadID] {
    let sql = """
      SELECT DISTINCT downloads.id FROM episodes INDEXED BY episodes_download JOIN downloads ON downloads.id = download
      WHERE feed = ? AND download IS NOT NULL ORDER BY downloads.key
      """
    return try String.fetchAll(db.cachedStatement(sql: sql), arguments: [feed]).map {
      try Damaged.checked("id", DownloadID($0))
    }
  }
}
