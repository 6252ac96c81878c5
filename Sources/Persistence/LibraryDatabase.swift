import Flux
import Foundation
import GRDB
import PodfluxCore

/// A library's SQLite database: where turns are committed and snapshots are read.
///
/// Commits are durable when they return: WAL with `synchronous = FULL`. Used from one place at a time; the connection
/// serialises calls itself.
public final class LibraryDatabase: Sendable {
  /// Why a database is not opened. The file is as it was.
  public enum OpeningError: Error, CustomStringConvertible {
    /// A later version of Podflux has written it.
    case newer
    /// It is some other program's.
    case foreign
    /// It is no database, or a broken one.
    case damaged(String)
    /// There is none.
    case missing

    /// One sentence for people.
    public var description: String {
      switch self {
      case .newer: "the library was written by a newer version of Podflux; use that version or a later one"
      case .foreign: "the file podflux.sqlite is not a Podflux library; move it away or choose another folder"
      case .damaged(let reason): "the library's database is damaged (\(reason)); restore it from a backup"
      case .missing: "there is no Podflux library in this folder; `podflux run` makes one"
      }
    }
  }

  /// Memory that SQLite may use for pages, in KiB.
  private static let pageCacheKibibytes = 8 * 1024
  /// Memory that SQLite may use for pages while it reads, in KiB: what a view asks for goes through much of the library,
  /// finds it in the kernel's cache as fast, and would leave nothing here that a turn needs.
  private static let readingCacheKibibytes = 1024
  /// How many pages the write-ahead log holds before it is copied into the database, 16 MiB: a page that changes often
  /// is copied once.
  private static let checkpointPages = 4096
  /// How long the write-ahead log stays when it is begun anew, in bytes: one large change does not keep its room for ever.
  private static let keptLogBytes = 64 << 20
  /// Databases up to this many bytes are checked whole before they are opened (about 100 ms).
  private static let fullCheckLimit = 16 << 20

  private let queue: DatabaseQueue

  private init(queue: DatabaseQueue) {
    self.queue = queue
  }

  /// Opens the database for an engine; makes it if there is none, and brings an older one up to date.
  ///
  /// - Throws: `OpeningError`; a newer or damaged file is left untouched.
  public static func open(at path: String) throws -> LibraryDatabase {
    if FileManager.default.fileExists(atPath: path) {
      // Look before anything writes: opening for writing may already recover, migrate or truncate.
      try checkUntouched(at: path)
    }
    return try translatingErrors {
      try migrated(DatabaseQueue(path: path, configuration: configuration()))
    }
  }

  /// Opens the database to read it, without an engine or beside a running one.
  public static func openReadOnly(at path: String) throws -> LibraryDatabase {
    guard FileManager.default.fileExists(atPath: path) else { throw OpeningError.missing }
    return try translatingErrors {
      let queue = try untouchingQueue(at: path)
      try queue.read(checkOrigin)
      return LibraryDatabase(queue: queue)
    }
  }

  /// Opens a database that nobody will miss, or makes one: commits do not outlive a power cut, and cost the less.
  public static func openScratch(at path: String) throws -> LibraryDatabase {
    if FileManager.default.fileExists(atPath: path) {
      try checkUntouched(at: path)
    }
    return try translatingErrors {
      try migrated(DatabaseQueue(path: path, configuration: configuration(isScratch: true)))
    }
  }

  /// Makes an empty database in memory. The first one costs all migrations, each other one a copy of some pages.
  public static func inMemory() throws -> LibraryDatabase {
    let queue = try DatabaseQueue(configuration: configuration())
    try emptyLibrary.get().queue.backup(to: queue)
    return LibraryDatabase(queue: queue)
  }

  private static let emptyLibrary = Result { try migrated(DatabaseQueue(configuration: configuration())) }

  /// Closes the connection: afterwards the process holds no lock on the file.
  public func close() throws {
    try queue.close()
  }

  /// The ledger that a dispatcher commits to. There may be one only.
  public func ledger() -> SQLLedger {
    SQLLedger(queue: queue)
  }

  /// Reads one moment of the tables: everything that the body reads belongs to one commit.
  public func read<Value>(_ body: (TableReader) throws -> Value) throws -> Value {
    // Not GRDB's `read`: it switches `query_only` on and off, and each switch has SQLite prepare every statement anew.
    try queue.writeWithoutTransaction { db in
      try Self.setPageCache(Self.readingCacheKibibytes, of: db)
      var value: Value?
      let outcome = Result {
        try db.inTransaction(.deferred) {
          value = try DamagedRow.telling { try body(TableReader(db: db)) }
          return .commit
        }
      }
      try Self.setPageCache(Self.pageCacheKibibytes, of: db)
      try outcome.get()
      guard let value else { preconditionFailure("a transaction that has ended has read its value") }
      return value
    }
  }

  /// A second connection to read over, beside this one: long readings hold up no turn. It is to be closed.
  public func reader() throws -> LibraryDatabase {
    LibraryDatabase(queue: try DatabaseQueue(path: queue.path, configuration: Self.configuration(readOnly: true)))
  }

  /// A connection that can hold fast to a moment, beside this one. It is to be closed.
  public func momentReader() throws -> MomentReader {
    var configuration = Self.configuration(readOnly: true)
    // The transaction in which a moment is held spans several calls.
    configuration.allowsUnsafeTransactions = true
    return MomentReader(queue: try DatabaseQueue(path: queue.path, configuration: configuration))
  }

  private static func setPageCache(_ kibibytes: Int, of db: Database) throws {
    // Takes effect as it is prepared: such a statement cannot be kept.
    try db.execute(sql: "PRAGMA cache_size = -\(kibibytes)")
  }

  // MARK: Opening

  private static func configuration(readOnly: Bool = false, isScratch: Bool = false) -> Configuration {
    var configuration = Configuration()
    configuration.readonly = readOnly
    configuration.label = "podflux.database"
    configuration.busyMode = .timeout(5)
    configuration.maximumReaderCount = 1
    configuration.prepareDatabase { db in
      try setPageCache(readOnly ? readingCacheKibibytes : pageCacheKibibytes, of: db)
      db.add(function: FoldedText.folding())
      db.add(function: FoldedText.containing())
      guard !readOnly else { return }
      try db.execute(sql: "PRAGMA journal_mode = WAL")
      try db.execute(sql: "PRAGMA synchronous = \(isScratch ? "OFF" : "FULL")")
      try db.execute(sql: "PRAGMA wal_autocheckpoint = \(checkpointPages)")
      try db.execute(sql: "PRAGMA journal_size_limit = \(keptLogBytes)")
    }
    return configuration
  }

  private static func migrated(_ queue: DatabaseQueue) throws -> LibraryDatabase {
    try Schema.migrator.migrate(queue)
    try queue.write(TextIndex.prepare)
    return LibraryDatabase(queue: queue)
  }

  private static func checkUntouched(at path: String) throws {
    try translatingErrors {
      let queue = try untouchingQueue(at: path)
      try queue.read { db in
        // An empty file is a library whose first start was cut short.
        guard try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema") != 0 else { return }
        try checkOrigin(db)
        try checkIntegrity(db, at: path)
      }
      try queue.close()
    }
  }

  /// A connection that leaves nothing behind: even a reader makes -wal and -shm files beside a database in WAL mode.
  ///
  /// Where there is no -wal, nobody has the database open and all of it is in the one file, which may be read as it
  /// stands (`immutable`, https://www.sqlite.org/uri.html). Where there is one, it has to be read too.
  private static func untouchingQueue(at path: String) throws -> DatabaseQueue {
    guard !FileManager.default.fileExists(atPath: path + "-wal") else {
      return try DatabaseQueue(path: path, configuration: configuration(readOnly: true))
    }
    let url = URL(fileURLWithPath: path).absoluteString + "?immutable=1"
    return try DatabaseQueue(path: url, configuration: configuration(readOnly: true))
  }

  private static func checkOrigin(_ db: Database) throws {
    guard try Int32.fetchOne(db, sql: "PRAGMA application_id") == Schema.applicationID else {
      throw OpeningError.foreign
    }
    guard try !Schema.migrator.hasBeenSuperseded(db) else { throw OpeningError.newer }
  }

  private static func checkIntegrity(_ db: Database, at path: String) throws {
    let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
    let pageSize = try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0
    guard pages * pageSize <= fullCheckLimit else { return }
    let verdict = try String.fetchOne(db, sql: "PRAGMA quick_check(1)") ?? "no answer"
    guard verdict == "ok" else { throw OpeningError.damaged(verdict) }
  }

  private static func translatingErrors<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let error as DatabaseError
      where [.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_FORMAT].contains(error.resultCode)
    {
      throw OpeningError.damaged(error.message ?? "SQLite error \(error.resultCode.rawValue)")
    } catch let error as DamagedRow {
      throw OpeningError.damaged(error.description)
    } catch is RowDecodingError {
      throw OpeningError.damaged(DamagedRow.nowhere.description)
    }
  }
}
