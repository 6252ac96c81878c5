import Flux
import GRDB
import PodfluxCore

/// A second connection that holds fast to one moment of the tables until all has been read, while turns go on.
///
/// Every method is thread safe; a moment is held from `hold()` to `release()`, one at a time.
public final class MomentReader: Sendable {
  private let queue: DatabaseQueue

  init(queue: DatabaseQueue) {
    self.queue = queue
  }

  /// Holds the moment that the last commit has made. Cost: one look-up.
  ///
  /// - Returns: the position of that commit.
  public func hold() throws -> LogPosition {
    try queue.writeWithoutTransaction { db in
      try db.beginTransaction(.deferred)
      // SQLite chooses the moment at the first reading, not when the transaction begins.
      return try TableReader(db: db).position()
    }
  }

  /// Reads of the moment that is held.
  public func read<Value>(_ body: (TableReader) throws -> Value) throws -> Value {
    try queue.writeWithoutTransaction { db in try DamagedRow.telling { try body(TableReader(db: db)) } }
  }

  /// Lets go of the moment.
  public func release() throws {
    try queue.writeWithoutTransaction { db in
      if db.isInsideTransaction { try db.commit() }
    }
  }

  /// Closes the connection.
  public func close() throws {
    try queue.close()
  }
}
