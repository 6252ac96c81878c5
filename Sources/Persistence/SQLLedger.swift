import Flux
import GRDB
import PodfluxCore

/// Commits turns to SQLite: one batch, one transaction. Used by one dispatcher.
public final class SQLLedger: Ledger {
  private let queue: DatabaseQueue
  private let lanes = Lanes()
  private let known = KnownRows()
  private var current: Database?

  init(queue: DatabaseQueue) {
    self.queue = queue
  }

  /// Runs the body in one transaction. When it returns the changes survive a power cut.
  public func transaction<Result>(_ body: (any Tables) throws -> Result) throws -> Result {
    try queue.writeWithoutTransaction { db in
      current = db
      defer { current = nil }
      defer { lanes.reset() }
      do {
        var result: Result?
        try db.inTransaction(.immediate) {
          result = try body(SQLTables(db: db, lanes: lanes, known: known))
          try lanes.refresh(in: db)
          return .commit
        }
        known.keepSome()
        guard let result else { preconditionFailure("a committed transaction has a result") }
        return result
      } catch {
        known.forgetAll()
        throw (error as? DatabaseError).map(StorageFailure.init) ?? error
      }
    }
  }

  /// Records, inside the transaction, the position that it reaches.
  public func record(_ position: LogPosition) throws {
    guard let current else { preconditionFailure("a position is recorded inside a transaction") }
    try current.cachedStatement(sql: "UPDATE log SET revision = ?, sequence = ?")
      .execute(arguments: [position.revision, position.sequence])
  }
}

/// SQLite could not do what it was told: the disk is full, the file is damaged, a constraint does not hold.
public struct StorageFailure: Error, CustomStringConvertible {
  /// SQLite's own words, without the statement and its values.
  public let description: String

  init(_ error: DatabaseError) {
    description = "SQLite says \"\(error.message ?? "nothing")\" (\(error.extendedResultCode.rawValue))"
  }
}

/// The tables, inside one transaction.
struct SQLTables: Tables {
  let db: Database
  let lanes: Lanes
  let known: KnownRows

  var downloads: any DownloadTable { SQLDownloadTable(db: db, lanes: lanes, known: known) }
  var deletions: any DeletionTable { SQLDeletionTable(db: db) }
  var verifications: any VerificationTable { SQLVerificationTable(db: db) }
  var cleanup: any CleanupTable { SQLCleanupTable(db: db) }

  func save(_ settings: Settings) throws {
    try SettingsRow.write(settings, to: db)
  }

  func save(cooldownOf host: String, until moment: Timestamp?) throws {
    try SQLHosts.save(cooldownOf: host, until: moment, in: db)
  }

  func save(discarded bytes: Int64, because cause: RestartCause) throws {
    try SQLHosts.save(discarded: bytes, because: cause, in: db)
  }
}
