import Flux
import GRDB
import PodfluxCore

/// A library's SQLite database: it commits turns and serves snapshots.
///
/// A commit is durable when it returns: WAL with `synchronous = FULL`. One owner uses it; the connection serializes
/// calls.
///
/// Aspects: `+Opening` (ways to open it, and checks before).
package final class LibraryDatabase: Sendable {
  /// Why a database was not opened. The file is unchanged.
  package enum OpeningError: Error, CustomStringConvertible {
    /// A later version of Podflux wrote it.
    case newer
    /// An earlier version wrote the database, and no engine of this version has opened it since.
    case older
    /// Another program wrote the database.
    case foreign
    /// The file is no database, or the database is corrupt.
    case damaged(String)
    /// The file does not exist.
    case missing
    /// The file does not exist, or is empty, and an engine had a database there before.
    case lost
    /// An engine holds it exclusively, since the disk has no shared memory.
    case exclusive

    /// What to do with a database that is lost. SQLite replays a log that lies beside a file, also into an older one.
    static let restoring = "restore it from a backup, without the -wal and -shm files beside it"

    /// One sentence for users.
    package var description: String {
      switch self {
      case .newer: "the library was written by a newer version of Podflux; use that version or a later one"
      case .older:
        "the library was written by an older version of Podflux; podflux run brings it up to date, and loses nothing"
      case .foreign: "the file podflux.sqlite is not a Podflux library; move it away or choose another folder"
      case .damaged(let reason): "the library's database is damaged (\(reason)); \(Self.restoring)"
      case .missing: "there is no Podflux library in this folder; `podflux run` makes one"
      case .lost:
        """
        the library's database podflux.sqlite is gone or empty; \(Self.restoring), or delete the file "database" \
        beside it to begin with an empty library
        """
      case .exclusive:
        """
        the engine that runs on this library has the database for itself, because the library's disk gives programs no \
        memory to share (mmap); send that engine the line {"type":"snapshot"}, or stop it
        """
      }
    }
  }

  /// SQLite's page cache, in KiB.
  static let pageCacheKibibytes = 8 * 1024
  /// SQLite's page cache of connections that only read, in KiB: a view reads much of the library, and finds it in the
  /// kernel's cache as fast.
  static let readingCacheKibibytes = 1024

  let queue: DatabaseQueue
  /// Whether no other process can open it.
  private let isExclusive: Bool
  /// Whether another object closes the connection.
  private let isBorrowed: Bool
  /// The file to which turns are committed.
  private let file: DatabaseFile?

  init(queue: DatabaseQueue, isExclusive: Bool = false, isBorrowed: Bool = false, file: DatabaseFile? = nil) {
    self.queue = queue
    self.file = file
    self.isExclusive = isExclusive
    self.isBorrowed = isBorrowed
  }

  /// Closes the connection: afterwards the process holds no lock on the file. Does nothing for a borrowed connection.
  package func close() throws {
    guard !isBorrowed else { return }
    defer { file?.close() }
    try queue.close()
  }

  /// The ledger to which a dispatcher commits. One at a time is in use.
  package func ledger() -> SQLLedger {
    SQLLedger(queue: queue, file: file)
  }

  /// Reads one snapshot of the tables: everything that the body reads belongs to one commit.
  package func read<Value>(_ body: (TableReader) throws -> Value) throws -> Value {
    // Not GRDB's `read`: it toggles `query_only`, and each toggle makes SQLite prepare every statement again.
    try queue.writeWithoutTransaction { db in
      try db.transaction(.deferred) { try StorageFailure.telling { try body(TableReader(db: db)) } }
    }
  }

  /// A second connection for reading: long reads do not delay turns. The caller closes it.
  ///
  /// In exclusive mode it shares this connection, and turns wait for each read.
  package func reader() throws -> LibraryDatabase {
    guard !isExclusive else { return LibraryDatabase(queue: queue, isExclusive: true, isBorrowed: true) }
    return LibraryDatabase(
      queue: try DatabaseQueue(path: queue.path, configuration: Self.configuration(readOnly: true)))
  }

  /// A second connection that can hold a snapshot. The caller closes it.
  ///
  /// In exclusive mode it shares this connection, and no turn may commit while a snapshot is held
  /// (`MomentReader.holdsUpTurns`).
  package func momentReader() throws -> MomentReader {
    guard !isExclusive else { return MomentReader(queue: queue, holdsUpTurns: true) }
    var configuration = Self.configuration(readOnly: true)
    // The transaction of a held snapshot spans several calls.
    configuration.allowsUnsafeTransactions = true
    return MomentReader(
      queue: try DatabaseQueue(path: queue.path, configuration: configuration), holdsUpTurns: false)
  }
}
