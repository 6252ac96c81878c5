import Flux
import GRDB
import PodfluxCore

/// A library's SQLite database: where turns are committed and snapshots are read.
///
/// Commits are durable when they return: WAL with `synchronous = FULL`. Used from one place at a time; the connection
/// serialises calls itself.
///
/// Its aspects: `+Opening` (in which ways it is opened, and what is checked before).
public final class LibraryDatabase: Sendable {
  /// Why a database is not opened. The file is as it was.
  public enum OpeningError: Error, CustomStringConvertible {
    /// A later version of Podflux has written it.
    case newer
    /// An earlier version has written it, and no engine of this one has opened it since.
    case older
    /// It is some other program's.
    case foreign
    /// It is no database, or a broken one.
    case damaged(String)
    /// There is none.
    case missing
    /// An engine has it for itself, since the disk has no memory that connections could share.
    case exclusive

    /// One sentence for people.
    public var description: String {
      switch self {
      case .newer: "the library was written by a newer version of Podflux; use that version or a later one"
      case .older:
        "the library was written by an older version of Podflux; podflux run brings it up to date, and loses nothing"
      case .foreign: "the file podflux.sqlite is not a Podflux library; move it away or choose another folder"
      case .damaged(let reason): "the library's database is damaged (\(reason)); restore it from a backup"
      case .missing: "there is no Podflux library in this folder; `podflux run` makes one"
      case .exclusive:
        """
        the engine that runs on this library has the database for itself, because the library's disk gives programs no \
        memory to share (mmap); send that engine the line {"type":"snapshot"}, or stop it
        """
      }
    }
  }

  /// Memory that SQLite may use for pages, in KiB.
  static let pageCacheKibibytes = 8 * 1024
  /// Memory that SQLite may use for pages while it reads, in KiB: what a view asks for goes through much of the library,
  /// finds it in the kernel's cache as fast, and would leave nothing here that a turn needs.
  static let readingCacheKibibytes = 1024

  let queue: DatabaseQueue
  /// Whether nobody else can open it.
  private let isExclusive: Bool
  /// Whether another one closes the connection.
  private let isBorrowed: Bool
  /// Whether there is no file: then all pages are in memory in any case.
  private let isInMemory: Bool

  init(queue: DatabaseQueue, isExclusive: Bool = false, isBorrowed: Bool = false, isInMemory: Bool = false) {
    self.queue = queue
    self.isExclusive = isExclusive
    self.isBorrowed = isBorrowed
    self.isInMemory = isInMemory
  }

  /// Closes the connection: afterwards the process holds no lock on the file. One that only reads over another's does not.
  public func close() throws {
    guard !isBorrowed else { return }
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
      if !isInMemory { try Self.setPageCache(Self.readingCacheKibibytes, of: db) }
      var value: Value?
      let outcome = Result {
        try db.inTransaction(.deferred) {
          value = try DamagedRow.telling { try body(TableReader(db: db)) }
          return .commit
        }
      }
      if !isInMemory { try Self.setPageCache(Self.pageCacheKibibytes, of: db) }
      try outcome.get()
      guard let value else { preconditionFailure("a transaction that has ended has read its value") }
      return value
    }
  }

  /// A second connection to read over, beside this one: long readings hold up no turn. It is to be closed.
  ///
  /// Where there can be one connection only it is this one, and turns wait for what is read at once.
  public func reader() throws -> LibraryDatabase {
    guard !isExclusive else { return LibraryDatabase(queue: queue, isExclusive: true, isBorrowed: true) }
    return LibraryDatabase(
      queue: try DatabaseQueue(path: queue.path, configuration: Self.configuration(readOnly: true)))
  }

  /// A connection that can hold fast to a moment, beside this one. It is to be closed.
  ///
  /// Where there can be one connection only it is this one, and no turn may be committed while a moment is held
  /// (`MomentReader.holdsUpTurns`).
  public func momentReader() throws -> MomentReader {
    guard !isExclusive else { return MomentReader(queue: queue, holdsUpTurns: true) }
    var configuration = Self.configuration(readOnly: true)
    // The transaction in which a moment is held spans several calls.
    configuration.allowsUnsafeTransactions = true
    return MomentReader(
      queue: try DatabaseQueue(path: queue.path, configuration: configuration), holdsUpTurns: false)
  }

  static func setPageCache(_ kibibytes: Int, of db: Database) throws {
    // Takes effect as it is prepared: such a statement cannot be kept.
    try db.execute(sql: "PRAGMA cache_size = -\(kibibytes)")
  }
}
