import Flux
import GRDB
import PodfluxCore

/// The episodes in SQLite, inside one transaction.
struct SQLEpisodeTable: EpisodeTable {
  let db: Database
  let derived: DerivedTables

  private var counts: EpisodeCounts { derived.episodeCounts }

  func find(_ id: EpisodeID) throws -> Episode? {
    let statement = try db.cachedStatement(
      sql: "\(StoredEpisode.select) FROM episodes WHERE key = ? AND \(StoredEpisode.isOfFeed)")
    return try StoredEpisode.fetchAll(statement, arguments: [id.number]).first?.episode
  }

  func find(having download: DownloadID) throws -> Episode? {
    let statement = try db.cachedStatement(
      sql: """
        \(StoredEpisode.select) FROM episodes INDEXED BY episodes_of_download
        WHERE download = ? AND \(StoredEpisode.isOfFeed)
        ORDER BY key DESC LIMIT 1
        """)
    return try StoredEpisode.fetchAll(statement, arguments: [download.description]).first?.episode
  }

  /// Whether another episode of the same feed has this download.
  static func isDownload(
    _ download: DownloadID, ofSiblingOf episode: Episode.Reference, in db: Database
  ) throws -> Bool {
    let sql = """
      SELECT 1 FROM episodes INDEXED BY episodes_of_download WHERE download = ? AND feed = ? AND key <> ? LIMIT 1
      """
    let statement = try db.cachedStatement(sql: sql)
    return try Int.fetchOne(statement, arguments: [download.description, episode.feed, episode.episode.number]) != nil
  }

  func index(of episode: Episode) throws -> Int64? {
    guard let published = episode.content.published?.moment.milliseconds else { return nil }
    let statement = try db.cachedStatement(
      sql: """
        SELECT count(*) FROM episodes INDEXED BY episodes_feed
        WHERE feed = ?1 AND published <= ?2 AND (published < ?2 OR key <= ?3)
        """)
    return try Int64.fetchOne(statement, arguments: [episode.feed, published, episode.id.number])
  }

  func formerEnclosures(of episode: EpisodeID) throws -> [WebAddress] {
    let statement = try db.cachedStatement(sql: "SELECT name FROM episode_names WHERE episode = ? AND kind = 'url'")
    return try String.fetchAll(statement, arguments: [episode.number]).map {
      try Damaged.checked("episode_names.name", try? WebAddress($0))
    }
  }

  func insert(
    _ contents: [EpisodeContent], of feed: Feed.Key, added: Timestamp, isBackdated: (EpisodeContent) -> Bool
  ) throws -> [EpisodeID] {
    guard !contents.isEmpty else { return [] }
    let ids = try takeIDs(contents.count)
    let today = try derived.calendar.today(in: db)
    counts.noteTexts()
    let one = try db.cachedStatement(sql: StoredEpisode.insertion)
    let several = try db.cachedStatement(sql: StoredEpisode.insertions)
    var rest = ids.indices
    while !rest.isEmpty {
      let isRest = rest.count < StoredEpisode.rowsAtOnce
      let rows = rest.prefix(isRest ? 1 : StoredEpisode.rowsAtOnce)
      var arguments = ArgumentWriter(isRest ? one : several)
      for index in rows {
        // Copied once: it has a dozen texts.
        var content = contents[index]
        try arguments.write(ids[index].number)
        try arguments.write(feed)
        try arguments.write(added.milliseconds)
        try arguments.write(isBackdated(content) ? 1 : 0)
        try StoredEpisode.write(&content, to: &arguments)
        let traits = EpisodeTraits(of: content, added: added, on: today)
        counts.add(1, EpisodeCounts.Facet(feed: feed, row: PackedEpisodeTraits(traits)))
      }
      try arguments.execute()
      for index in rows {
        if let notes = contents[index].notes { try write(notes, of: ids[index]) }
      }
      rest = rest[rows.endIndex...]
    }
    return ids
  }

  /// The ids of so many new episodes. None is given twice, also after the episodes are gone.
  private func takeIDs(_ number: Int) throws -> [EpisodeID] {
    let last = try SQLRuleReader(db: db).lastEpisode()
    guard last <= EpisodeID.numbers.upperBound - Int64(number) else { throw DamagedRow(column: "last_episode.key") }
    try db.cachedStatement(sql: "UPDATE last_episode SET key = ?").execute(arguments: [last + Int64(number)])
    return (1...Int64(number)).map { EpisodeID(number: last + $0) }
  }

  func update(_ change: RefreshReport.EpisodeChange, of feed: Feed.Key) throws -> UpdatedEpisode? {
    let statement = try db.cachedStatement(sql: StoredEpisode.update)
    var arguments = ArgumentWriter(statement)
    var content = change.content
    try StoredEpisode.write(&content, to: &arguments)
    try arguments.write(change.id.number)
    try arguments.write(feed)
    counts.noteTexts()
    let row = try recounting(change.id) { try arguments.first(StoredUpdate.self) }
    guard let row else { return nil }
    try write(change.formerNames, of: change.id)
    if let notes = change.content.notes { try write(notes, of: change.id) }
    return UpdatedEpisode(download: row.download)
  }

  /// Changes an episode, and counts it as what it is then.
  private func recounting<Value>(_ episode: EpisodeID, _ change: () throws -> Value) throws -> Value {
    try count(episode, -1)
    let value = try change()
    try count(episode, 1)
    return value
  }

  private func count(_ episode: EpisodeID, _ number: Int) throws {
    let today = try derived.calendar.today(in: db)
    try counts.forEach(in: db, from: "episodes", where: Predicate("key = ?", episode.number)) {
      counts.add(number, $0.facet(on: today))
    }
  }

  private func write(_ names: EpisodeTraces.FormerNames, of episode: EpisodeID) throws {
    try db.cachedStatement(sql: "DELETE FROM episode_names WHERE episode = ?").execute(arguments: [episode.number])
    guard !names.isEmpty else { return }
    let insertion = try db.cachedStatement(sql: "INSERT INTO episode_names VALUES (?, ?, ?, ?)")
    let named =
      names.guids.map { ("guid", DownloadRow.text($0)) } + names.enclosures.map { ("url", $0.description) }
    for (place, (kind, name)) in named.enumerated() {
      try insertion.execute(arguments: [episode.number, place, kind, name])
    }
  }

  // MARK: Notes

  func notes(of episode: EpisodeID) throws -> EpisodeNotes? {
    let statement = try db.cachedStatement(sql: "SELECT html FROM episode_notes WHERE episode = ?")
    return try StoredNotes.fetchAll(statement, arguments: [episode.number]).first?.notes
  }

  func hasNotes(_ episode: EpisodeID) throws -> Bool {
    let statement = try db.cachedStatement(sql: "SELECT 1 FROM episode_notes WHERE episode = ?")
    return try Int.fetchOne(statement, arguments: [episode.number]) != nil
  }

  private func write(_ notes: EpisodeNotes, of episode: EpisodeID) throws {
    guard !notes.isEmpty else {
      return try db.cachedStatement(sql: "DELETE FROM episode_notes WHERE episode = ?")
        .execute(arguments: [episode.number])
    }
    let sql = "INSERT OR REPLACE INTO episode_notes (episode, hash, html) VALUES (?, ?, ?)"
    try db.cachedStatement(sql: sql)
      .execute(arguments: [episode.number, notes.hash, notes.html])
  }

  // MARK: Feeds

  func setMissing(_ isMissing: Bool, _ episodes: [EpisodeID], of feed: Feed.Key) throws {
    let statement = try db.cachedStatement(sql: "UPDATE episodes SET missing = ? WHERE key = ? AND feed = ?")
    for episode in episodes { try statement.execute(arguments: [isMissing, episode.number, feed]) }
  }

  func setDownload(_ download: DownloadID, of episode: EpisodeID) throws {
    counts.noteDownload()
    try recounting(episode) {
      try db.cachedStatement(sql: "UPDATE episodes SET download = ? WHERE key = ?")
        .execute(arguments: [download.description, episode.number])
    }
  }

  func forgetLeft(limit: Int) throws -> Bool {
    let first = try db.cachedStatement(sql: "SELECT key FROM left_feeds ORDER BY key LIMIT 1")
    guard let feed = try Int64.fetchOne(first) else { return false }
    let sql = """
      DELETE FROM episodes WHERE key IN (SELECT key FROM episodes INDEXED BY episodes_feed WHERE feed = ? LIMIT ?)
      """
    try db.cachedStatement(sql: sql).execute(arguments: [feed, limit])
    guard db.changesCount < limit else { return true }
    try db.cachedStatement(sql: "DELETE FROM left_feeds WHERE key = ?").execute(arguments: [feed])
    return try Int64.fetchOne(first) != nil
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
    let changed = Predicate("(\(differs)) AND \(scope.sql)", values: scope.values)
    // The statement that changes the rows evaluates the scope again, so it comes last.
    if marking.isPlayed != nil || marking.isFavorite != nil { try count(changed, as: marking) }
    // Not cached: client input shapes the statement.
    let statement = try db.makeStatement(
      sql: "UPDATE episodes SET \(assignments) WHERE \(changed.sql) AND \(StoredEpisode.isOfFeed)")
    try statement.execute(arguments: StatementArguments(changed.values))
    return db.changesCount
  }

  /// Moves the counts of episodes that are about to be marked.
  private func count(_ changed: Predicate, as marking: PodcastIntent.EpisodeMarking) throws {
    let today = try derived.calendar.today(in: db)
    try counts.forEach(in: db, from: "episodes", where: changed, isCached: false) { episode in
      let facet = episode.facet(on: today)
      counts.add(-1, facet)
      counts.add(1, try facet.with(isPlayed: marking.isPlayed, isFavorite: marking.isFavorite))
    }
  }

  // MARK: Downloads

  func wanted(_ condition: EpisodeCondition, at moment: ConditionMoment, limit: Int) throws -> [Episode] {
    let scope = try EpisodeConditionSQL(at: moment, in: db).predicate(condition)
    let statement = try db.makeStatement(
      sql: """
        \(StoredEpisode.select) FROM episodes
        WHERE url IS NOT NULL AND \(scope.sql) AND \(StoredEpisode.isOfFeed)
          AND (download IS NULL OR NOT EXISTS (SELECT 1 FROM downloads WHERE downloads.id = episodes.download))
        ORDER BY key LIMIT ?
        """)
    return try StoredEpisode.fetchAll(statement, arguments: StatementArguments(scope.values + [limit])).map(\.episode)
  }

  func downloads(of feed: Feed.Key) throws -> [DownloadID] { try downloads(of: feed, "") }

  func ownDownloads(of feed: Feed.Key) throws -> [DownloadID] {
    try downloads(
      of: feed,
      """
      AND NOT EXISTS (SELECT 1 FROM episodes AS others INDEXED BY episodes_of_download
        WHERE others.download = episodes.download AND others.feed <> episodes.feed
        AND others.\(StoredEpisode.isOfFeed))
      """)
  }

  private func downloads(of feed: Feed.Key, _ condition: String) throws -> [DownloadID] {
    let sql = """
      SELECT DISTINCT downloads.id FROM episodes INDEXED BY episodes_download JOIN downloads ON downloads.id = download
      WHERE feed = ? AND download IS NOT NULL \(condition) ORDER BY downloads.key
      """
    return try String.fetchAll(db.cachedStatement(sql: sql), arguments: [feed]).map {
      try Damaged.checked("id", DownloadID($0))
    }
  }
}

/// The text of a row of `episode_notes`.
private struct StoredNotes: StatementRow {
  let notes: EpisodeNotes

  init(_ columns: inout ColumnReader) throws {
    let html: String = try columns.next()
    guard (1...EpisodeNotes.maximumBytes).contains(html.utf8.count) else {
      throw DamagedRow(column: "episode_notes.html")
    }
    notes = EpisodeNotes(html)
  }
}

/// What an update returns of an episode.
private struct StoredUpdate: StatementRow {
  let download: DownloadID?

  init(_ columns: inout ColumnReader) throws {
    download = try (columns.next() as String?).map { try Damaged.checked("episodes.download", DownloadID($0)) }
  }
}
