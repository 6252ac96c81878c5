import GRDB

/// The derived tables and caches of one connection.
///
/// A class, so that a table which refers to them is two words: a store gets it as an existential value at each call,
/// for which more than three words would be allocated.
final class DerivedTables {
  let queueHeads = QueueHeads()
  let known = KnownRows()
  let feeds = KnownFeeds()
  let facts = KnownFacts()
  let calendar = CalendarDay()
  let traitCounts = TraitCounts()
  let episodeCounts = EpisodeCounts()
  let usage = Usage()
  let texts = TextIndex()
  let ruleStatements = RuleStatements()

  /// Writes all pending changes of derived tables.
  func refresh(in db: Database) throws {
    try queueHeads.refresh(in: db)
    try traitCounts.refresh(in: db)
    try episodeCounts.refresh(in: db)
    try usage.refresh(in: db)
    try texts.refresh(in: db)
  }

  /// Drops pending changes after the transaction ended.
  func reset() {
    queueHeads.reset()
    traitCounts.reset()
    episodeCounts.reset()
    usage.reset()
    texts.reset()
  }

  /// Drops caches and pending changes after a rollback.
  func forgetAll() {
    queueHeads.forgetAll()
    known.forgetAll()
    feeds.forgetAll()
    facts.forgetAll()
    episodeCounts.forgetAll()
    calendar.forget()
  }
}
