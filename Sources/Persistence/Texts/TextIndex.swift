import GRDB
import PodfluxCore
import Texts

/// Maintains the `texts` index: the folded words of titles and podcasts.
///
/// It indexes new rows together, before the index is read or the transaction ends: one by one, each would cost twice as
/// much. Each transaction adds a segment to the index, and merges segments in small steps of a few pages: FTS5's
/// automatic merge takes some hundred pages at once now and then, and makes that commit 10 ms longer
/// (https://www.sqlite.org/fts5.html section 6.8).
///
/// One connection owns it and uses it on its queue.
final class TextIndex {
  /// How many pages a transaction merges at least.
  private static let fewestMergedPages = 8
  /// A transaction merges one more page for this many rows: about its own writes times the number of segment levels.
  private static let rowsForMergedPage = 64

  /// The key of the first row that is not in the index yet: later rows are not either, since keys only grow.
  private var firstMissing: Int64?
  /// How many rows this transaction has added or removed.
  private var changes = 0
  /// Grows when the texts of an existing row change.
  private(set) var version = 0

  /// Switches FTS5's automatic merge off. The file stores this setting.
  static func prepare(in db: Database) throws {
    guard try Int.fetchOne(db, sql: "SELECT v FROM texts_config WHERE k = 'automerge'") != 0 else { return }
    try db.execute(sql: "INSERT INTO texts (texts, rank) VALUES ('automerge', 0)")
  }

  /// Notes that a row was added.
  func noteInsertion(of key: Int64) {
    if firstMissing == nil { firstMissing = key }
  }

  /// Removes a row with the texts with which it was indexed, folded or not.
  func remove(_ key: Int64, title: String?, podcast: String?, in db: Database) throws {
    guard key < firstMissing ?? .max else { return }
    changes += 1
    let sql = "INSERT INTO texts (texts, rowid, title, podcast) VALUES ('delete', ?, ?, ?)"
    try db.cachedStatement(sql: sql)
      .execute(arguments: [key, title.map(FoldedText.of), podcast.map(FoldedText.of)])
  }

  /// Indexes a row again after its texts changed.
  func insert(_ key: Int64, title: String?, podcast: String?, in db: Database) throws {
    guard key < firstMissing ?? .max else { return }
    version += 1
    changes += 1
    let sql = "INSERT INTO texts (rowid, title, podcast) VALUES (?, ?, ?)"
    try db.cachedStatement(sql: sql)
      .execute(arguments: [key, title.map(FoldedText.of), podcast.map(FoldedText.of)])
  }

  /// Notes that another function removed this many rows from the index.
  func noteRemovals(_ number: Int) {
    changes += number
  }

  /// Drops pending changes after the transaction ended.
  func reset() {
    firstMissing = nil
    changes = 0
  }

  /// Indexes the new rows, and merges a few pages.
  func refresh(in db: Database) throws {
    if let first = firstMissing {
      firstMissing = nil
      let sql = """
        INSERT INTO texts (rowid, title, podcast) SELECT key, title_key, folded(podcast) FROM downloads WHERE key >= ?
        """
      try db.cachedStatement(sql: sql).execute(arguments: [first])
      changes += db.changesCount
    }
    guard changes > 0 else { return }
    let pages = Self.fewestMergedPages + changes / Self.rowsForMergedPage
    changes = 0
    try db.cachedStatement(sql: "INSERT INTO texts (texts, rank) VALUES ('merge', ?)").execute(arguments: [pages])
  }
}
