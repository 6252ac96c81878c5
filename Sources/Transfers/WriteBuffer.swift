import PodfluxCore
import Synchronization

/// Collects received bytes for larger writes: one piece fills while another is written.
struct WriteBuffer: Sendable {
  private let capacity: Int
  private let pool: BlockPool
  private var filling: [Block] = []
  private var count = 0
  private var isWriting = false

  init(capacity: Int, pool: BlockPool) {
    self.capacity = capacity
    self.pool = pool
  }

  /// Whether it can take this many bytes without waiting for the current write.
  func hasRoom(for count: Int) -> Bool {
    !isWriting || self.count + count <= capacity
  }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes
    while !rest.isEmpty {
      if filling.last?.isFull ?? true { filling.append(pool.take()) }
      let taken = filling[filling.count - 1].append(rest)
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(taken))
    }
    count += bytes.count
  }

  /// The piece to write now, if it is full, or if `evenIfSmall` and not empty, and no write is running.
  ///
  /// An incomplete page at the end stays in the buffer, unless it is all there is: consecutive pieces can then bypass
  /// the page cache.
  mutating func takePiece(evenIfSmall: Bool) -> [Block]? {
    let rest = count % WritePolicy.page
    guard count >= (evenIfSmall ? 1 : capacity), var piece = takeAll() else { return nil }
    guard rest > 0, let last = piece.last, piece.count > 1 || last.count > rest else { return piece }
    // All blocks before the last are full.
    append(last.takeBack(rest))
    if last.count == 0 { pool.giveBack([piece.removeLast()]) }
    return piece
  }

  /// The whole content, if there is any and no write is running.
  mutating func takeAll() -> [Block]? {
    guard !isWriting, count > 0 else { return nil }
    isWriting = true
    count = 0
    defer { filling = [] }
    return filling
  }

  /// Discards the content: another exchange begins.
  mutating func reset() {
    pool.giveBack(filling)
    (filling, count, isWriting) = ([], 0, false)
  }

  /// The write has ended; reuses its memory.
  mutating func giveBack(_ piece: [Block]) {
    isWriting = false
    pool.giveBack(piece)
  }
}

/// Reusable memory for bytes on their way to the disk, shared by all transfers: fresh pages cost more than the bytes in
/// them.
final class BlockPool: Sendable {
  /// How many blocks are kept, 16 MiB in all.
  private static let idleLimit = 256

  private let idle = Mutex<[Block]>([])

  func take() -> Block {
    idle.withLock { $0.popLast() } ?? Block()
  }

  func giveBack(_ blocks: [Block]) {
    idle.withLock { idle in
      for block in blocks.prefix(max(0, Self.idleLimit - idle.count)) {
        block.count = 0
        idle.append(block)
      }
    }
  }
}

extension WritePolicy {
  /// A transfer that fills this many blocks for one write is fast: its syncs run beside its writes. For slow ones
  /// another thread would cost more than it saves.
  static let fastPieceBlocks = 8
}

/// A block of memory for bytes on their way to the disk.
final class Block: @unchecked Sendable {
  // `@unchecked`: it has one owner at a time. The buffer, under its lock, passes it to the writer and gets it back.

  /// Its size in bytes.
  static let size = 64 << 10

  private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: WritePolicy.page)
  fileprivate var count = 0

  deinit {
    memory.deallocate()
  }

  var isFull: Bool { count == Self.size }

  /// Its content; valid as long as the block.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

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
