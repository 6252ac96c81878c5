import Flux
import GRDB
import PodfluxCore

/// Commits turns to SQLite: one batch, one transaction. One dispatcher uses it.
package final class SQLLedger: Ledger {
  private let queue: DatabaseQueue
  private let file: DatabaseFile?
  private let derived = DerivedTables()
  private var current: Database?

  init(queue: DatabaseQueue, file: DatabaseFile? = nil) {
    self.queue = queue
    self.file = file
  }

  /// Grows when the filters' counts may have changed. Read it on the thread that commits turns.
  package var countsVersion: Int {
    derived.traitCounts.version + derived.texts.version + derived.episodeCounts.version
  }

  /// Runs the body in one transaction. When it returns, the changes survive a power cut.
  ///
  /// - Throws: what the body throws, and `StorageFailure`, also if the database's file was deleted or replaced.
  package func transaction<Result>(_ body: (any Tables) throws -> Result) throws -> Result {
    guard file?.isDeleted != true else { throw StorageFailure.deleted }
    return try queue.writeWithoutTransaction { db in
      current = db
      defer { current = nil }
      defer { derived.reset() }
      do {
        let result = try db.transaction(.immediate) {
          let result = try DamagedRow.telling { try body(SQLTables(db: db, keeping: derived)) }
          try derived.refresh(in: db)
          return result
        }
        derived.known.keepSome()
        return result
      } catch {
        derived.forgetAll()
        throw (error as? DatabaseError).map(StorageFailure.init) ?? error
      }
    }
  }

  /// Records the position that the transaction reaches.
  package func record(_ position: LogPosition) throws {
    guard let current else { preconditionFailure("a position is recorded inside a transaction") }
    // This takes time, and runs while other readers of the turn do their part before its commit.
    try derived.refresh(in: current)
    try current.cachedStatement(sql: "UPDATE log SET revision = ?, sequence = ?")
      .execute(arguments: [position.revision, position.sequence])
  }
}

/// SQLite failed: the disk is full, the file is damaged, or a constraint was violated.
package struct StorageFailure: Error, CustomStringConvertible {
  /// SQLite's message, without the statement and its values.
  package let description: String
  /// Whether the disk, or what the user may have of it, may be full. A log that cannot be written or mapped can mean
  /// that, too.
  package let isOfFullDisk: Bool

  /// The database's file has no name any more.
  static let deleted = StorageFailure(
    """
    the file podflux.sqlite was deleted or replaced while the engine had it open; end the engine, restore the database \
    if it is to be kept, without the -wal and -shm files beside it, and start again
    """)

  private init(_ description: String) {
    self.description = description
    isOfFullDisk = false
  }

  init(_ error: DatabaseError) {
    let words = "SQLite says \"\(error.message ?? "nothing")\" (\(error.extendedResultCode.rawValue))"
    let isDamaged = [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode)
    description = isDamaged ? LibraryDatabase.OpeningError.damaged(words).description : words
    isOfFullDisk = [.SQLITE_FULL, .SQLITE_IOERR, .SQLITE_CANTOPEN].contains(error.resultCode)
  }

  /// Runs what reads. SQLite's own errors have the text of the statement.
  static func telling<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try DamagedRow.telling(body)
    } catch let error as DatabaseError {
      throw StorageFailure(error)
    }
  }
}

/// The tables, inside one transaction. Each domain's folder has its own.
///
/// A class, since a turn hands them to each store that an action concerns.
final class SQLTables: Tables {
  let db: Database
  let keeping: DerivedTables

  init(db: Database, keeping: DerivedTables) {
    (self.db, self.keeping) = (db, keeping)
  }
}
