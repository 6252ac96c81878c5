import Flux
import GRDB
import PodfluxCore

/// A second connection that holds fast to one moment of the tables until all has been read, while turns go on.
///
/// Every method is thread safe; a moment is held from `hold()` to `release()`, one at a time.
public final class MomentReader: Sendable {
  private let queue: DatabaseQueue
  /// Whether turns are committed over this very connection: whoever holds a moment then sees to it that none is, since
  /// nothing else holds it.
  public let holdsUpTurns: Bool

  init(queue: DatabaseQueue, holdsUpTurns: Bool) {
    self.queue = queue
    self.holdsUpTurns = holdsUpTurns
  }

  /// Holds the moment that the last commit has made. Cost: one look-up.
  ///
  /// - Returns: the position of that commit.
  public func hold() throws -> LogPosition {
    try queue.writeWithoutTransaction { db in
      if !holdsUpTurns { try db.beginTransaction(.deferred) }
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
    guard !holdsUpTurns else { return }
    try queue.writeWithoutTransaction { db in
      if db.isInsideTransaction { try db.commit() }
    }
  }

  /// Closes the connection, if it is its own.
  public func close() throws {
    guard !holdsUpTurns else { return }
    try queue.close()
  }
}
