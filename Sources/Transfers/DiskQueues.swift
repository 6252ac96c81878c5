import Dispatch
import Synchronization

/// The threads for attempts' file work: enough of them that one attempt which waits for the disk does not delay the
/// others, and few enough that hundreds of transfers do not need hundreds of stacks.
///
/// Dispatch's global queues have one thread per core, and blocking file work occupies it: on two cores, two syncs would
/// hold up every other attempt.
final class DiskQueues: Sendable {
  /// The highest number of threads.
  static let count = 16

  private let queues: [DispatchQueue]
  private let users = Mutex([Int](repeating: 0, count: count))

  /// Creates the queues; Dispatch creates threads when there is work.
  init(label: String, qos: DispatchQoS) {
    // A serial queue without a target has its own thread whenever it has work.
    queues = (0..<Self.count).map { DispatchQueue(label: "\(label)-\($0)", qos: qos) }
  }

  /// A place on the queue with the fewest users. Leave it when the work is done.
  func enter() -> Place {
    let index = users.withLock { users in
      let index = users.indices.min { users[$0] < users[$1] } ?? 0
      users[index] += 1
      return index
    }
    return Place(index: index, queue: queues[index])
  }

  func leave(_ place: Place) {
    users.withLock { $0[place.index] -= 1 }
  }

  struct Place {
    fileprivate let index: Int
    /// The target for queues of work.
    let queue: DispatchQueue
  }
}
