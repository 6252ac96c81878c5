import PodfluxCore

/// Collects what arrives until it is worth a write: one piece fills while another is written.
package struct WriteBuffer: Sendable {
  private let capacity: Int
  private let memory: any BlockMemory
  private var filling: [Block] = []
  private var count = 0
  private var isWriting = false

  /// Makes an empty buffer, full with so many bytes.
  package init(capacity: Int, memory: any BlockMemory) {
    self.capacity = capacity
    self.memory = memory
  }

  /// Whether so many more bytes can be taken without waiting for the write under way.
  package func hasRoom(for count: Int) -> Bool {
    !isWriting || self.count + count <= capacity
  }

  /// Takes bytes.
  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes
    while !rest.isEmpty {
      if filling.last?.isFull ?? true { filling.append(memory.take()) }
      let taken = filling[filling.count - 1].append(rest)
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(taken))
    }
    count += bytes.count
  }

  /// The piece to write now, if it is full, or if `evenIfSmall` and not empty, and no write is running.
  ///
  /// What does not fill a page of its own at the end stays, but where there is nothing else: pieces that follow one
  /// another so can be written past the page cache.
  package mutating func takePiece(evenIfSmall: Bool) -> [Block]? {
    let rest = count % WritePolicy.page
    guard count >= (evenIfSmall ? 1 : capacity), var piece = takeAll() else { return nil }
    guard rest > 0, let last = piece.last, piece.count > 1 || last.count > rest else { return piece }
    // All blocks before the last are full.
    append(last.takeBack(rest))
    if last.count == 0 { memory.giveBack([piece.removeLast()]) }
    return piece
  }

  /// All that there is, if that is anything and no write is under way.
  package mutating func takeAll() -> [Block]? {
    guard !isWriting, count > 0 else { return nil }
    isWriting = true
    count = 0
    defer { filling = [] }
    return filling
  }

  /// Forgets what it holds: another exchange begins.
  package mutating func reset() {
    memory.giveBack(filling)
    (filling, count, isWriting) = ([], 0, false)
  }

  /// The write has ended; its memory is used again.
  package mutating func giveBack(_ piece: [Block]) {
    isWriting = false
    memory.giveBack(piece)
  }
}

/// Memory for bytes on their way to the disk, shared by all attempts and used again: fresh pages cost more than the
/// bytes that they hold. Called from any thread that runs an attempt.
package protocol BlockMemory: AnyObject, Sendable {
  /// An empty block.
  func take() -> Block
  /// Takes blocks back, and keeps as many as it likes.
  func giveBack(_ blocks: [Block])
}

extension WritePolicy {
  /// A transfer that fills so many blocks for one write is fast: its syncs run beside its writing. For slow ones
  /// another thread would cost more than it saves.
  package static let fastPieceBlocks = 8
}

/// A block of bytes on its way to the disk.
package final class Block: @unchecked Sendable {
  // `@unchecked`: it has one owner at a time. The buffer, under its lock, hands it to the writer and gets it back.

  /// Its size in bytes.
  package static let size = 64 << 10

  private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: WritePolicy.page)
  fileprivate var count = 0

  /// Makes an empty block.
  package init() {}

  deinit {
    memory.deallocate()
  }

  fileprivate var isFull: Bool { count == Self.size }

  /// The block's bytes; valid as long as the block.
  package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

  /// Drops the block's bytes.
  package func clear() {
    count = 0
  }

  /// Removes and returns its last bytes; valid until the block takes others.
  fileprivate func takeBack(_ number: Int) -> UnsafeRawBufferPointer {
    count -= number
    return UnsafeRawBufferPointer(rebasing: memory[count...].prefix(number))
  }

  /// Takes as many bytes as fit, and returns how many.
  fileprivate func append(_ bytes: UnsafeRawBufferPointer) -> Int {
    let taken = min(bytes.count, Self.size - count)
    UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(
      from: UnsafeRawBufferPointer(rebasing: bytes.prefix(taken)))
    count += taken
    return taken
  }
}
