import CCurl
import EngineRuntime
import Synchronization

/// Requests of other threads for the driver's thread. Posting blocks no longer than a copy takes.
final class CurlMailbox: Sendable {
  struct Start: Sendable {
    let exchange: HTTPExchange
    let request: HTTPRequest
    /// The credentials of the request's session, if it has one that is open.
    let credentials: SessionCredentials?
    let delegate: any HTTPExchangeDelegate
  }

  /// Bounded by the number of living exchanges: each is in every list once at most.
  struct Letters: Sendable {
    var started: [Start] = []
    var resumed: Set<HTTPExchange.ID> = []
    var cancelled: Set<HTTPExchange.ID> = []
    /// Whether the open connections belong to an old path.
    var leavesPath = false
    /// The bytes per second of all exchanges together, 0 for no limit; nil if unchanged.
    var bytesPerSecond: Int64?
    /// The new trust store; nil if unchanged.
    var trust: TrustStore?
    var isShuttingDown = false
  }

  private struct State: Sendable {
    var letters = Letters()
    /// Whether the thread was woken already: one wake-up is enough for any number of letters.
    var isAwake = false
    /// The thread reads no more: the multi handle is about to be freed and must not be touched.
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

  /// Adds a letter and wakes the thread; false after the mailbox was closed.
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

  /// Takes the letters out. Closes the mailbox if they request a shutdown.
  func collect() -> Letters {
    state.withLock { state in
      state.isAwake = false
      state.isClosed = state.letters.isShuttingDown
      defer { state.letters = Letters() }
      return state.letters
    }
  }
}
