import GRDB
import PodfluxCore

/// Keeps the `texts` index true: the words of titles and podcasts, folded.
///
/// New rows are indexed together, before the index is read or the transaction ends: one by one, each would cost twice as
/// much. Each transaction leaves a segment in the index, and segments are merged in small steps, a few pages for each
/// transaction: by itself FTS5 merges some hundred pages at once now and then, and whoever waits for that commit waits 10 ms
/// longer (https://www.sqlite.org/fts5.html section 6.8).
///
/// Owned by one connection and used on its queue only.
final class TextIndex {
  /// How many pages a transaction merges at least.
  private static let fewestMergedPages = 8
  /// A transaction merges one more page for so many rows: about as many times what it writes itself as there are levels of
  /// segments.
  private static let rowsForMergedPage = 64

  /// The first of the rows that are not in the index yet: all behind it are not either, for keys only grow.
  private var firstMissing: Int64?
  /// How many rows this transaction has taken in or out.
  private var changes = 0
  /// Grows when the texts of a row that was there change.
  private(set) var version = 0

  /// Has FTS5 merge nothing by itself. It keeps that in the file.
  static func prepare(in db: Database) throws {
    guard try Int.fetchOne(db, sql: "SELECT v FROM texts_config WHERE k = 'automerge'") != 0 else { return }
    try db.execute(sql: "INSERT INTO texts (texts, rank) VALUES ('automerge', 0)")
  }

  /// Takes in that a row was added.
  func noteInsertion(of key: Int64) {
    if firstMissing == nil { firstMissing = key }
  }

  /// Takes a row out, with the texts that it was indexed with, folded or not.
  func remove(_ key: Int64, title: String?, podcast: String?, in db: Database) throws {
    guard key < firstMissing ?? .max else { return }
    changes += 1
    let sql = "INSERT INTO texts (texts, rowid, title, podcast) VALUES ('delete', ?, ?, ?)"
    try db.cachedStatement(sql: sql)
      .execute(arguments: [key, title.map(FoldedText.of), podcast.map(FoldedText.of)])
  }

  /// Takes a row in again whose texts have changed.
  func insert(_ key: Int64, title: String?, podcast: String?, in db: Database) throws {
    guard key < firstMissing ?? .max else { return }
    version += 1
    changes += 1
    let sql = "INSERT INTO texts (rowid, title, podcast) VALUES (?, ?, ?)"
    try db.cachedStatement(sql: sql)
      .execute(arguments: [key, title.map(FoldedText.of), podcast.map(FoldedText.of)])
  }

  /// Takes in that so many rows were taken out by somebody else.
  func noteRemovals(_ number: Int) {
    changes += number
  }

  /// Forgets what was noted: the transaction has ended.
  func reset() {
    firstMissing = nil
    changes = 0
  }

  /// Indexes the new rows, and merges a little.
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
