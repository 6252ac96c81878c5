import Dispatch
import Glibc
import Synchronization

/// Counts what is open of a library, so that it can be given up: whoever wants it closed can wait for those who have
/// something of it open still, and nobody opens anything any more.
///
/// A folder that somebody forgot to let go of would keep the library's disk from being unmounted.
final class OpenFiles: Sendable {
  private struct State {
    var count = 0
    var isClosed = false
    /// How many may be open for the wait to end; nil while nobody waits.
    var awaited: Int?
  }

  private let state = Mutex(State())
  private let news = DispatchSemaphore(value: 0)

  /// How many are open.
  var count: Int { state.withLock(\.count) }

  /// Whether more may be opened.
  var isOpen: Bool { state.withLock { !$0.isClosed } }

  /// One more is about to be opened at this path. Fails if the library has been given up.
  func enter(_ path: String) throws(FileError) {
    let isOpen = state.withLock { state in
      if !state.isClosed { state.count += 1 }
      return !state.isClosed
    }
    // What a closed descriptor would say.
    guard isOpen else { throw .io(operation: "openat", path: path, code: EBADF) }
  }

  /// One less is open.
  func leave() {
    let isEnough = state.withLock { state in
      state.count -= 1
      guard let awaited = state.awaited, state.count <= awaited else { return false }
      state.awaited = nil
      return true
    }
    if isEnough { news.signal() }
  }

  /// Nothing is opened from now on. Waits until no more than `rest` are open, for at most so long.
  ///
  /// To be called by one thread at a time. Returns how many are open beyond the rest: 0 but for a disk that does not
  /// answer.
  func close(besides rest: Int, upToMilliseconds limit: Int) -> Int {
    let mustWait = state.withLock { state in
      state.isClosed = true
      guard state.count > rest else { return false }
      state.awaited = rest
      return true
    }
    if mustWait { _ = news.wait(timeout: .now() + .milliseconds(limit)) }
    return state.withLock { state in
      state.awaited = nil
      return max(0, state.count - rest)
    }
  }
}
