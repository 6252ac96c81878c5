import EngineRuntime
import Synchronization

/// Memory for what arrives, shared by all attempts.
final class BlockPool: BlockMemory {
  /// How many blocks are kept for later, 16 MiB in all.
  private static let idleLimit = 256

  private let idle = Mutex<[Block]>([])

  func take() -> Block {
    idle.withLock { $0.popLast() } ?? Block()
  }

  func giveBack(_ blocks: [Block]) {
    idle.withLock { idle in
      for block in blocks.prefix(max(0, Self.idleLimit - idle.count)) {
        block.clear()
        idle.append(block)
      }
    }
  }
}
