import Flux
import GRDB
import PodfluxCore

/// A second connection that reads one snapshot of the tables in several calls, while turns continue.
///
/// Every method is thread safe. `hold()` takes a snapshot, `release()` ends it; there is one at a time.
package final class MomentReader: Sendable {
  private let queue: DatabaseQueue
  /// Whether turns commit over this very connection: then the caller must not commit one between `hold()` and
  /// `release()`.
  package let holdsUpTurns: Bool

  init(queue: DatabaseQueue, holdsUpTurns: Bool) {
    self.queue = queue
    self.holdsUpTurns = holdsUpTurns
  }

  /// Takes a snapshot as of the last commit. Cost: one look-up.
  ///
  /// - Returns: The position of that commit.
  package func hold() throws -> LogPosition {
    try queue.writeWithoutTransaction { db in
      if !holdsUpTurns { try db.beginTransaction(.deferred) }
      // SQLite takes the snapshot at the first read, not when the transaction begins.
      return try TableReader(db: db).position()
    }
  }

  /// Reads from the snapshot.
  package func read<Value>(_ body: (TableReader) throws -> Value) throws -> Value {
    try queue.writeWithoutTransaction { db in try StorageFailure.telling { try body(TableReader(db: db)) } }
  }

  /// Ends the snapshot.
  package func release() throws {
    guard !holdsUpTurns else { return }
    try queue.writeWithoutTransaction { db in
      if db.isInsideTransaction { try db.commit() }
    }
  }

  /// Closes the connection, unless it is borrowed.
  package func close() throws {
    guard !holdsUpTurns else { return }
    try queue.close()
  }
}
