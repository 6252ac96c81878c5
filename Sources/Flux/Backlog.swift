/// Counts the bytes on their way to a slow reader, and remembers whether a producer waits for room.
///
/// Guard it with one lock, together with the data. Three parties use it, and each changes only its own part:
///
/// | party | calls | changes |
/// |---|---|---|
/// | a producer | `add` | the bytes on their way |
/// | an observer | `hasRoom` | nothing |
/// | a producer that sleeps | `hasRoomOrIsAwaited` | that it waits, atomically with the answer "no" |
/// | the writer | `deliver`, `close` | the bytes on their way; the result says whether to wake the producer |
///
/// The answer "no" and the note that a producer waits must be atomic. The engine and its observers once shared one call
/// that stored its answer for both: the engine saw a full backlog and slept; the writer took everything out to write
/// it; an observer called, found room, and so cleared the note; after writing, the writer saw no waiting producer. The
/// reader of stdin waited for the engine, the engine for the writer, the writer for something to write, and the client
/// for replies.
///
/// ```swift
/// var backlog = Backlog(limit: 1 << 20)
/// _ = backlog.add(1 << 20)
/// if !backlog.hasRoomOrIsAwaited() { print("the producer sleeps") }
/// if backlog.deliver(1 << 20) { print("the writer wakes it") }
/// ```
public struct Backlog: Hashable, Sendable {
  /// The number of bytes from which there is no room.
  public let limit: Int
  /// The bytes on their way: neither delivered nor discarded.
  public private(set) var bytes = 0
  /// Whether a producer waits for room.
  public private(set) var isAwaited = false
  /// Whether the reader is gone: then there is always room, since nothing is kept.
  public private(set) var isClosed = false

  /// An empty backlog. The limit is no cap: one `add` may exceed it.
  public init(limit: Int) {
    precondition(limit > 0, "a backlog without room never has any")
    self.limit = limit
  }

  /// Whether a producer may add more now. Changes nothing.
  public var hasRoom: Bool { bytes < limit }

  /// Whether the caller may add more now. If not, the caller waits: `deliver` or `close` returns true once there is
  /// room.
  public mutating func hasRoomOrIsAwaited() -> Bool {
    if hasRoom { return true }
    isAwaited = true
    return false
  }

  /// Adds bytes that are on their way. Returns false if it is closed, and then counts nothing.
  public mutating func add(_ count: Int) -> Bool {
    guard !isClosed else { return false }
    bytes += count
    return true
  }

  /// Removes bytes that arrived. Returns whether to wake the waiting producer.
  public mutating func deliver(_ count: Int) -> Bool {
    guard !isClosed else { return false }
    precondition(count <= bytes, "more has arrived than was sent")
    bytes -= count
    return release()
  }

  /// Closes it after the reader has gone. Returns whether to wake the waiting producer.
  public mutating func close() -> Bool {
    bytes = 0
    isClosed = true
    return release()
  }

  private mutating func release() -> Bool {
    guard isAwaited, hasRoom else { return false }
    isAwaited = false
    return true
  }
}
