import Flux
import GRDB
import PodfluxCore

/// The feeds in SQLite, inside one transaction.
struct SQLFeedTable: FeedTable {
  let db: Database
  let derived: DerivedTables

  func find(_ id: FeedID) throws -> Feed? {
    var arguments = ArgumentWriter(try db.cachedStatement(sql: Self.selectByID))
    try arguments.write(id.description)
    return try arguments.first(StoredFeed.self)?.feed
  }

  func find(_ key: Feed.Key) throws -> Feed? {
    if let feed = derived.feeds[key] { return feed }
    var arguments = ArgumentWriter(try db.cachedStatement(sql: Self.selectByKey))
    try arguments.write(key)
    return try arguments.first(StoredFeed.self)?.feed
  }

  func find(at address: WebAddress) throws -> FeedID? {
    let hash = DownloadRow.hash(address)
    let feeds = try all(Self.selectByURL, [hash])
    return feeds.first { $0.address == address || $0.refreshes.formerAddresses.contains(address) }?.id
  }

  func insert(
    _ id: FeedID, at address: WebAddress, wishes: Feed.Wishes, session: Session.Key?, next: Timestamp, added: Timestamp
  ) throws -> Feed.Key {
    let feed = Feed(
      key: 0, id: id, address: address, wishes: wishes, refreshes: Feed.Refreshes(next: next, isAsked: true),
      added: added, session: session)
    let statement = try db.cachedStatement(sql: StoredFeed.insertion)
    var arguments = ArgumentWriter(statement)
    try StoredFeed.write(feed, to: &arguments)
    try arguments.execute()
    return db.lastInsertedRowID
  }

  func update(_ feed: Feed) throws {
    derived.feeds.forget(feed.key)
    let statement = try db.cachedStatement(sql: StoredFeed.update)
    var arguments = ArgumentWriter(statement)
    try StoredFeed.write(feed, to: &arguments)
    try arguments.write(feed.key)
    try arguments.execute()
    derived.episodeCounts.noteTexts()
    guard !feed.refreshes.formerAddresses.isEmpty else { return }
    try db.cachedStatement(sql: "DELETE FROM feed_urls WHERE feed = ?").execute(arguments: [feed.key])
    let insertion = try db.cachedStatement(sql: "INSERT OR IGNORE INTO feed_urls VALUES (?, ?)")
    for address in feed.refreshes.formerAddresses {
      try insertion.execute(arguments: [DownloadRow.hash(address), feed.key])
    }
  }

  func updateRefreshes(of feed: Feed) throws {
    derived.feeds.forget(feed.key)
    let statement = try db.cachedStatement(sql: StoredFeed.refreshUpdate)
    var arguments = ArgumentWriter(statement)
    try StoredFeed.writeRefreshes(feed, to: &arguments)
    try arguments.write(feed.key)
    try arguments.execute()
  }

  func delete(_ key: Feed.Key) throws {
    derived.feeds.forget(key)
    // The feed's key is never given again, so that a late report on it cannot concern another feed.
    try db.cachedStatement(sql: "DELETE FROM feeds WHERE key = ?").execute(arguments: [key])
    try db.cachedStatement(sql: "INSERT INTO left_feeds VALUES (?)").execute(arguments: [key])
    try derived.episodeCounts.forget(key, in: db)
  }

  func due(
    at now: Timestamp, on hosts: HostScope, besides live: Set<Feed.Key>,
    judging judge: (FeedID, QueueLane) -> DueVerdict
  ) throws -> [Feed] {
    let (scope, names) =
      switch hosts {
      case .only(let names): ("INDEXED BY feeds_due_on_host WHERE host IN", names)
      case .allBut(let names): ("INDEXED BY feeds_due WHERE host NOT IN", names)
      }
    // There are some hosts at most: no more than refreshes that run, or have ended in the turn.
    let list = names.map { _ in "?" }.joined(separator: ", ")
    // The index has the keys: of those that are live, which come first, nothing else is read.
    let sql = "SELECT key FROM feeds \(scope) (\(list)) AND due_at <= ? ORDER BY due_at, key"
    var due = ArgumentWriter(try db.cachedStatement(sql: sql))
    for name in names.sorted() { try due.write(name) }
    try due.write(now.milliseconds)
    let waiting = try db.cachedStatement(sql: "SELECT id, host, network, session FROM feeds WHERE key = ?")
    var taken: [Feed] = []
    try due.walk { columns in
      let key: Feed.Key = try columns.next()
      guard !live.contains(key) else { return true }
      var arguments = ArgumentWriter(waiting)
      try arguments.write(key)
      guard let feed = try arguments.first(WaitingFeed.self) else { return true }
      let verdict = judge(feed.id, feed.lane)
      if verdict != .passed, let feed = try find(key) {
        taken.append(feed)
        derived.feeds.note(feed)
      }
      return verdict != .takenAsLast
    }
    return taken
  }

  func nextMoment(after now: Timestamp) throws -> Timestamp? {
    let sql = "SELECT min(due_at) FROM feeds INDEXED BY feeds_due WHERE due_at > ?"
    guard let next = try Int64.fetchOne(db.cachedStatement(sql: sql), arguments: [now.milliseconds]) else { return nil }
    guard StoredNumber.moment.range.contains(next) else { throw DamagedRow(column: "feeds.due_at") }
    return Timestamp(milliseconds: next)
  }

  func bringForward(dueAfter latest: Timestamp, to moment: Timestamp) throws -> Bool {
    let sql = "UPDATE feeds INDEXED BY feeds_due SET next_at = ?1, due_at = ?1 WHERE due_at > ?2"
    derived.feeds.forgetAll()
    try db.cachedStatement(sql: sql).execute(arguments: [moment.milliseconds, latest.milliseconds])
    return db.changesCount > 0
  }

  func makeAllDue(at now: Timestamp) throws -> Int {
    derived.feeds.forgetAll()
    let sql = "UPDATE feeds SET next_at = ?1, due_at = ?1 WHERE paused = 0 AND ended = 0"
    try db.cachedStatement(sql: sql).execute(arguments: [now.milliseconds])
    return db.changesCount
  }

  func makeRefusedDue(of session: Session.Key, at now: Timestamp) throws {
    derived.feeds.forgetAll()
    let sql = """
      UPDATE feeds INDEXED BY feeds_session SET next_at = ?1, due_at = ?1
      WHERE session = ?2 AND error_code = 'unauthorized' AND paused = 0 AND ended = 0
      """
    try db.cachedStatement(sql: sql).execute(arguments: [now.milliseconds, session])
  }

  func count() throws -> Int {
    try Int.fetchOne(db.cachedStatement(sql: "SELECT count(*) FROM feeds")) ?? 0
  }

  // MARK: Reading rows

  private static let selectByID = "\(StoredFeed.select) FROM feeds WHERE id = ?"
  private static let selectByKey = "\(StoredFeed.select) FROM feeds WHERE key = ?"
  private static let selectByURL = """
    \(StoredFeed.select) FROM feeds
    WHERE url_hash = ?1 OR key IN (SELECT feed FROM feed_urls WHERE url_hash = ?1) ORDER BY key
    """

  private func all(_ sql: String, _ arguments: StatementArguments) throws -> [Feed] {
    try StoredFeed.fetchAll(db.cachedStatement(sql: sql), arguments: arguments).map(\.feed)
  }
}

/// What the scheduler looks at.
private struct WaitingFeed: StatementRow {
  let id: FeedID
  let lane: QueueLane

  init(_ columns: inout ColumnReader) throws {
    id = try Damaged.checked("feeds.id", FeedID(columns.next()))
    lane = QueueLane(
      host: try columns.next(), origin: .auto,
      policy: try Damaged.checked("feeds.network", NetworkPolicy(rowCode: columns.next())),
      session: try columns.nextIfPresent(.session))
  }
}

extension SQLTables {
  var feeds: any FeedTable { SQLFeedTable(db: db, derived: keeping) }
  var episodes: any EpisodeTable { SQLEpisodeTable(db: db, derived: keeping) }
  var rules: any RuleTable { SQLRuleTable(db: db, derived: keeping) }
}
