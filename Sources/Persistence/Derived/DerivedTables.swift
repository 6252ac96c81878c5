import GRDB

/// What is kept true beside the rows, and what is remembered of them, by one connection.
struct DerivedTables {
  let queueHeads = QueueHeads()
  let known = KnownRows()
  let facts = KnownFacts()
  let calendar = CalendarDay()
  let traitCounts = TraitCounts()
  let usage = Usage()
  let texts = TextIndex()

  /// Brings everything up to date that turns and readers find in tables of its own.
  func refresh(in db: Database) throws {
    try queueHeads.refresh(in: db)
    try traitCounts.refresh(in: db)
    try usage.refresh(in: db)
    try texts.refresh(in: db)
  }

  /// The transaction has ended: what was not written is forgotten.
  func reset() {
    queueHeads.reset()
    traitCounts.reset()
    usage.reset()
    texts.reset()
  }

  /// The transaction was undone: nothing that was learnt in it is true.
  func forgetAll() {
    queueHeads.forgetAll()
    known.forgetAll()
    facts.forgetAll()
    calendar.forget()
  }
}
