/// A piece of work that a row in a table owes.
protocol OwedPiece: Sendable {
  /// The row's number. None is given twice.
  var key: Int64 { get }
}

/// Work that a table owes: its pieces are handed out in the table's order, a limited number at a time, and awaited.
///
/// The rows survive a crash; only memory knows which pieces are under way. A start therefore hands out every piece
/// anew.
struct OwedWork<Piece: OwedPiece>: Sendable {
  /// How many pieces are under way at once.
  let limit: Int
  /// The pieces that have been handed out and have not ended.
  private(set) var underWay: [Int64: Piece] = [:]
  /// Whether the table may owe pieces that have not been handed out.
  private(set) var mayOweMore: Bool

  /// Makes work of which at most so many pieces are under way at once.
  init(limit: Int, mayOweMore: Bool = false) {
    self.limit = limit
    self.mayOweMore = mayOweMore
  }

  /// Whether nothing is under way and the table owes nothing.
  var isDone: Bool { underWay.isEmpty && !mayOweMore }

  /// How many more pieces may be under way.
  var room: Int { max(0, limit - underWay.count) }

  /// Notes that the table may owe more than it did.
  mutating func oweMore() { mayOweMore = true }

  /// Takes as many pieces as there is room for.
  ///
  /// - Parameter first: Reads the first pieces that the table owes, as many as are named; those that are under way may
  ///   be among them. If they cannot be, as many as there is `room` for are enough. It is not called if there is no
  ///   room.
  /// - Returns: the pieces that are under way from now on, in the table's order.
  mutating func take(_ first: (_ limit: Int) throws -> [Piece]) rethrows -> [Piece] {
    guard mayOweMore, room > 0 else { return [] }
    let owed = try first(limit).filter { underWay[$0.key] == nil }
    let taken = Array(owed.prefix(room))
    for piece in taken { underWay[piece.key] = piece }
    // Each piece that was owed is under way now, unless there was no room for it or the table was not read to its end.
    mayOweMore = taken.count < owed.count || room == 0
    return taken
  }

  /// Notes that a piece has ended. Returns the piece; nil if it was not under way.
  mutating func end(_ key: Int64) -> Piece? { underWay.removeValue(forKey: key) }
}
