import EngineRuntime
import Flux
import PodfluxCore

/// What can happen next.
enum Event {
  /// The loop takes a step.
  case turn(SimulatedEngine)
  /// A timer of the loop; a number that is not its present one means nothing any more.
  case timer(SimulatedEngine, EngineTimer, number: Int)
  /// The system tells the engine's process something.
  case signal(SimulatedEngine, SimulatedSignal)
  /// An attempt does the next thing with its files.
  case files(SimulatedAttempt)
  /// A sync that an attempt has begun beside its writing ends.
  case synchronization(SimulatedAttempt)
  /// Something happens to an exchange; a number that is not its present one means nothing any more.
  case network(SimulatedAttempt, number: Int)
  case deletion(SimulatedProcess, Deletion)
  case verification(SimulatedVerification)
  /// The daily upkeep's work has been done.
  case upkeep(SimulatedProcess, [LibraryPath], DailyUpkeep?)
  /// Cleaning up does the next thing.
  case cleanup(SimulatedCleanup)
  /// The engine finds out what the path is.
  case path(SimulatedProcess)
  /// The services look how much room there is.
  case room(SimulatedProcess, number: Int)
  /// An attempt that has ended says something once more.
  case lateReport(SimulatedProcess, AttemptReport)
  /// An ended refresh says something once more.
  case lateRefresh(SimulatedProcess, RefreshReport)
  /// A refresh takes in what was handed to it.
  case refresh(SimulatedRefresh)
  /// Something comes of a refresh's exchange; a number that is not its present one means nothing any more.
  case feedExchange(SimulatedRefresh, number: Int)
  /// The fetch of a sidecar takes in what was handed to it.
  case sidecar(SimulatedSidecar)
  /// Something comes of its exchange; a number that is not its present one means nothing any more.
  case sidecarExchange(SimulatedSidecar, number: Int)
  /// A sidecar's file is deleted or moved, or some are looked at.
  case sidecarErrand(SimulatedProcess, SidecarOrder)
  /// The opening of a session takes in what was handed to it.
  case session(SimulatedOpening)
  /// The answer to its request comes; a number that is not its present one means nothing any more.
  case sessionExchange(SimulatedOpening, number: Int)
  /// Something happens to a feed.
  case feedChange
  /// The disk of published files is mounted again.
  case mounting
  /// A wall clock that was wrong is set right.
  case clockSetRight
  case client
  case mishap
  case boot
}

/// Events by time; of the same time, the one that was scheduled first. A binary heap.
struct Scheduler {
  /// When an event happens, and where it is kept: what is moved about in the heap is small.
  private struct Entry {
    var time: Int64
    var number: Int
    var slot: Int

    func precedes(_ other: Entry) -> Bool {
      time == other.time ? number < other.number : time < other.time
    }
  }

  /// The present, in milliseconds since the world began.
  private(set) var now: Int64 = 0
  private var heap: [Entry] = []
  private var events: [Event?] = []
  private var freeSlots: [Int] = []
  private var number = 0

  /// Whether nothing will happen but that an alarm rings.
  var hasOnlyAlarms: Bool {
    events.allSatisfy { event in
      switch event {
      case .timer(_, .alarm, _), nil: true
      default: false
      }
    }
  }

  mutating func schedule(_ event: Event, after delay: Int64) {
    number += 1
    heap.append(Entry(time: now + max(0, delay), number: number, slot: keep(event)))
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].precedes(heap[parent]) else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  /// Takes out the next event; the clock goes on to its time.
  mutating func next() -> Event? {
    guard let first = heap.first else { return nil }
    let last = heap.removeLast()
    if !heap.isEmpty {
      heap[0] = last
      siftDown()
    }
    now = first.time
    return release(first.slot)
  }

  private mutating func keep(_ event: Event) -> Int {
    guard let slot = freeSlots.popLast() else {
      events.append(event)
      return events.count - 1
    }
    events[slot] = event
    return slot
  }

  private mutating func release(_ slot: Int) -> Event? {
    freeSlots.append(slot)
    let event = events[slot]
    events[slot] = nil
    return event
  }

  private mutating func siftDown() {
    var parent = 0
    while true {
      var smallest = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
        if heap[child].precedes(heap[smallest]) { smallest = child }
      }
      guard smallest != parent else { return }
      heap.swapAt(parent, smallest)
      parent = smallest
    }
  }
}
