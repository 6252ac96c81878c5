import Dispatch
import Synchronization

/// The threads on which attempts do their file work: so many that one which waits for the disk keeps none of the others
/// waiting, and so few that hundreds of transfers cost no hundreds of stacks.
///
/// Dispatch's global queues have a thread for each core, and file work that blocks keeps it: two syncs would hold up
/// every other attempt of a machine with two cores.
final class DiskQueues: Sendable {
  /// How many threads there are at most.
  static let count = 16

  private let queues: [DispatchQueue]
  private let users = Mutex([Int](repeating: 0, count: count))

  /// Makes queues; threads are made when there is work for them.
  init(label: String, qos: DispatchQoS) {
    // A serial queue without a target of its own has a thread for itself whenever it has work.
    queues = (0..<Self.count).map { DispatchQueue(label: "\(label)-\($0)", qos: qos) }
  }

  /// A place on the queue that has the fewest users; to be left when the work is done.
  func enter() -> Place {
    let index = users.withLock { users in
      let index = users.indices.min { users[$0] < users[$1] } ?? 0
      users[index] += 1
      return index
    }
    return Place(index: index, queue: queues[index])
  }

  /// Gives a place back.
  func leave(_ place: Place) {
    users.withLock { $0[place.index] -= 1 }
  }

  /// A place on a queue.
  struct Place {
    fileprivate let index: Int
    /// What queues of work are to have as their target.
    let queue: DispatchQueue
  }
}
