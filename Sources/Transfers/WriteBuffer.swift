/// Collects what arrives until it is worth a write: one piece fills while another is written.
struct WriteBuffer: Sendable {
  private let capacity: Int
  private var filling = Piece()
  private var spare: Piece? = Piece()

  init(capacity: Int) {
    self.capacity = capacity
  }

  /// Whether so many more bytes can be taken without waiting for the write under way.
  func hasRoom(for count: Int) -> Bool {
    spare != nil || filling.bytes.count + count <= capacity
  }

  /// Takes bytes.
  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    filling.bytes.append(contentsOf: bytes)
  }

  /// The piece to write now, if it is full, or if anything at all is to be written, and no write is under way.
  mutating func takePiece(evenIfSmall: Bool) -> Piece? {
    guard let empty = spare, evenIfSmall ? !filling.bytes.isEmpty : filling.bytes.count >= capacity else { return nil }
    spare = nil
    defer { filling = empty }
    return filling
  }

  /// The write has ended; its memory is used again.
  mutating func giveBack(_ piece: Piece) {
    piece.bytes.removeAll(keepingCapacity: true)
    spare = piece
  }
}

/// Bytes on their way to the disk, in memory that is used again and again.
final class Piece: @unchecked Sendable {
  // `@unchecked`: it has one owner at a time. The buffer, under its lock, hands it to the writer and gets it back.
  fileprivate(set) var bytes: [UInt8] = []
}
