import GRDB
import PodfluxCore

/// Keeps the `texts` index true: the words of titles and podcasts.
///
/// New rows are indexed together, before the index is read or the transaction ends: one by one, each would cost twice as
/// much. Owned by one connection and used on its queue only.
final class TextIndex {
  /// The first of the rows that are not in the index yet: all behind it are not either, for keys only grow.
  private var firstMissing: Int64?
  /// Grows when the texts of a row that was there change.
  private(set) var version = 0

  /// Takes in that a row was added.
  func noteInsertion(of key: Int64) {
    if firstMissing == nil { firstMissing = key }
  }

  /// Takes a row out, with the texts that it was indexed with.
  func remove(_ key: Int64, title: String?, podcast: String?, in db: Database) throws {
    guard key < firstMissing ?? .max else { return }
    let sql = "INSERT INTO texts (texts, rowid, title, podcast) VALUES ('delete', ?, ?, ?)"
    try db.cachedStatement(sql: sql).execute(arguments: [key, title, podcast])
  }

  /// Takes a row in again whose texts have changed.
  func insert(_ key: Int64, title: String?, podcast: String?, in db: Database) throws {
    guard key < firstMissing ?? .max else { return }
    version += 1
    let sql = "INSERT INTO texts (rowid, title, podcast) VALUES (?, ?, ?)"
    try db.cachedStatement(sql: sql).execute(arguments: [key, title, podcast])
  }

  /// Forgets what was noted: the transaction has ended.
  func reset() {
    firstMissing = nil
  }

  /// Indexes the new rows.
  func refresh(in db: Database) throws {
    guard let first = firstMissing else { return }
    firstMissing = nil
    let sql = "INSERT INTO texts (rowid, title, podcast) SELECT key, title, podcast FROM downloads WHERE key >= ?"
    try db.cachedStatement(sql: sql).execute(arguments: [first])
  }
}
