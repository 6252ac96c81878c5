/// Bytes of a body that the curl thread has handed over and an operation's queue has not taken. Pieces that come faster
/// than they are taken are joined: a server may send each byte by itself.
struct ArrivedBytes {
  /// From how many bytes on a piece grows no more.
  static let pieceBytes = 64 << 10

  private var pieces: [[UInt8]] = []

  /// Adds bytes. Returns whether a piece begins with them, for which `take` is to be called.
  mutating func add(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let last = pieces.indices.last, pieces[last].count < Self.pieceBytes else {
      pieces.append(Array(bytes))
      return true
    }
    pieces[last] += bytes
    return false
  }

  /// Takes the first piece; an empty one if there is none.
  mutating func take() -> [UInt8] { pieces.isEmpty ? [] : pieces.removeFirst() }
}
