/// How much has been handed to a slow reader and has not reached it, and whether a producer waits until it is less.
///
/// It belongs under one lock, together with what is handed over. Three sides go through it, and each changes only what is
/// its own:
///
/// | side | calls | changes |
/// |---|---|---|
/// | a producer that hands something over | `add` | how much is on its way |
/// | a producer that may skip | `hasRoom` | nothing |
/// | a producer that rests until there is room | `hasRoomOrIsAwaited` | that it waits, together with the answer "no" |
/// | the writer | `deliver`, `close` | how much is on its way; it returns whether to wake the producer |
///
/// The answer and the note that a producer waits for another one must not come apart. The engine once asked with the same
/// call as its observers did, which noted what it had found for all of them: the engine saw a full backlog and lay down;
/// the writer took everything out to write it; an observer asked, found room, and so took the note away; when the writer
/// had written, no producer seemed to wait. The reader of stdin waited for the engine, the engine for the writer, the writer
/// for something to write, and the client for replies.
public struct Backlog: Hashable, Sendable {
  /// From how many bytes on there is no room.
  public let limit: Int
  /// How many bytes are on their way: neither delivered nor given up.
  public private(set) var bytes = 0
  /// Whether a producer waits for room.
  public private(set) var isAwaited = false
  /// Whether the reader is gone: then everything has room, since nothing is kept.
  public private(set) var isClosed = false

  /// Makes an empty one. The limit is no cap: what is said in one go may go beyond it.
  public init(limit: Int) {
    precondition(limit > 0, "a backlog without room never has any")
    self.limit = limit
  }

  /// Whether more may be said now. Asking changes nothing.
  public var hasRoom: Bool { bytes < limit }

  /// Whether more may be said now. If not, the asker is owed a wake-up: `deliver` or `close` says so once there is room.
  public mutating func hasRoomOrIsAwaited() -> Bool {
    if hasRoom { return true }
    isAwaited = true
    return false
  }

  /// So many more bytes are on their way. Returns whether they are: a closed one takes none.
  public mutating func add(_ count: Int) -> Bool {
    guard !isClosed else { return false }
    bytes += count
    return true
  }

  /// So many of them have arrived. Returns whether the waiting producer is to be woken now.
  public mutating func deliver(_ count: Int) -> Bool {
    guard !isClosed else { return false }
    precondition(count <= bytes, "more has arrived than was sent")
    bytes -= count
    return release()
  }

  /// The reader is gone. Returns whether the waiting producer is to be woken now.
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
