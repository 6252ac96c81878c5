import PodfluxCore
import Synchronization

/// Collects what arrives until it is worth a write: one piece fills while another is written.
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

  /// Whether so many more bytes can be taken without waiting for the write under way.
  func hasRoom(for count: Int) -> Bool {
    !isWriting || self.count + count <= capacity
  }

  /// Takes bytes.
  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes
    while !rest.isEmpty {
      if filling.last?.isFull ?? true { filling.append(pool.take()) }
      let taken = filling[filling.count - 1].append(rest)
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(taken))
    }
    count += bytes.count
  }

  /// The piece to write now, if it is full, or if there is anything at all, and no write is under way.
  ///
  /// What does not fill a page of its own at the end stays, but where there is nothing else: pieces that follow one another
  /// so can be written past the page cache.
  mutating func takePiece(evenIfSmall: Bool) -> [Block]? {
    let rest = count % WritePolicy.page
    guard count >= (evenIfSmall ? 1 : capacity), var piece = takeAll() else { return nil }
    guard rest > 0, let last = piece.last, piece.count > 1 || last.count > rest else { return piece }
    // All blocks before the last are full.
    append(last.takeBack(rest))
    if last.count == 0 { pool.giveBack([piece.removeLast()]) }
    return piece
  }

  /// All that there is, if that is anything and no write is under way.
  mutating func takeAll() -> [Block]? {
    guard !isWriting, count > 0 else { return nil }
    isWriting = true
    count = 0
    defer { filling = [] }
    return filling
  }

  /// Forgets what it holds: another exchange begins.
  mutating func reset() {
    pool.giveBack(filling)
    (filling, count, isWriting) = ([], 0, false)
  }

  /// The write has ended; its memory is used again.
  mutating func giveBack(_ piece: [Block]) {
    isWriting = false
    pool.giveBack(piece)
  }
}

/// Memory for bytes on their way to the disk, shared by all transfers and used again and again: fresh pages cost more than
/// the bytes that they hold.
final class BlockPool: Sendable {
  /// How many blocks are kept for later, 16 MiB in all.
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
  /// A transfer that fills so many blocks for one write is fast: its syncs run beside its writing. For slow ones another
  /// thread would cost more than it saves.
  static let fastPieceBlocks = 8
}

/// A block of bytes on its way to the disk.
final class Block: @unchecked Sendable {
  // `@unchecked`: it has one owner at a time. The buffer, under its lock, hands it to the writer and gets it back.

  /// Its size in bytes.
  static let size = 64 << 10

  private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: WritePolicy.page)
  fileprivate var count = 0

  deinit {
    memory.deallocate()
  }

  var isFull: Bool { count == Self.size }

  /// What it holds; valid while the block is.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

  /// Gives its last bytes up again; valid until it takes others.
  fileprivate func takeBack(_ number: Int) -> UnsafeRawBufferPointer {
    count -= number
    return UnsafeRawBufferPointer(rebasing: memory[count...].prefix(number))
  }

  /// Takes as much as there is room for, and tells how much that is.
  fileprivate func append(_ bytes: UnsafeRawBufferPointer) -> Int {
    let taken = min(bytes.count, Self.size - count)
    UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(
      from: UnsafeRawBufferPointer(rebasing: bytes.prefix(taken)))
    count += taken
    return taken
  }
}
