import CCurl
import EngineRuntime
import Synchronization

/// What other threads want of the driver's thread. Posting never blocks longer than a copy takes.
final class CurlMailbox: Sendable {
  struct Start: Sendable {
    let exchange: HTTPExchange
    let request: HTTPRequest
    let delegate: any HTTPExchangeDelegate
  }

  /// Bounded by the exchanges that are alive: each is in every list once at most.
  struct Letters: Sendable {
    var started: [Start] = []
    var resumed: Set<HTTPExchange.ID> = []
    var cancelled: Set<HTTPExchange.ID> = []
    /// Whether the connections that there are belong to a path that has been left.
    var leavesPath = false
    /// The bytes per second of all exchanges together, 0 for no limit; nil where nobody has said anything new.
    var bytesPerSecond: Int64?
    /// Whom to trust from now on; nil where nobody has said anything new.
    var trust: TrustStore?
    var isShuttingDown = false
  }

  private struct State: Sendable {
    var letters = Letters()
    /// One wake-up is enough for any number of letters.
    var isAwake = false
    /// The thread reads no more: the multi handle is about to go and must not be touched.
    var isClosed = false
    var lastID: HTTPExchange.ID = 0
  }

  private let state = Mutex(State())
  private let multi: MultiHandle

  init(multi: MultiHandle) {
    self.multi = multi
  }

  func nextID() -> HTTPExchange.ID {
    state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
  }

  /// Adds to the letters and wakes the thread; false if nobody will read them any more.
  @discardableResult
  func post(_ write: (inout Letters) -> Void) -> Bool {
    state.withLock { state in
      guard !state.isClosed else { return false }
      write(&state.letters)
      if !state.isAwake {
        state.isAwake = true
        multi.wakeUp()
      }
      return true
    }
  }

  /// Takes the letters out. Once they tell to shut down no more are accepted.
  func collect() -> Letters {
    state.withLock { state in
      state.isAwake = false
      state.isClosed = state.letters.isShuttingDown
      defer { state.letters = Letters() }
      return state.letters
    }
  }
}
