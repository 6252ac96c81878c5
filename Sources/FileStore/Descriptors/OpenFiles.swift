import Dispatch
import Glibc
import Synchronization

/// Counts the open files of a library, so that closing the library can wait for them and refuse new ones.
///
/// One folder left open would keep the library's disk from being unmounted.
final class OpenFiles: Sendable {
  private struct State {
    var count = 0
    var isClosed = false
    /// The count at which the waiting `close` resumes; nil while no thread waits.
    var awaited: Int?
  }

  private let state = Mutex(State())
  private let news = DispatchSemaphore(value: 0)

  var count: Int { state.withLock(\.count) }

  var isOpen: Bool { state.withLock { !$0.isClosed } }

  /// Counts a file that is about to be opened at this path. Fails after `close`.
  func enter(_ path: String) throws(FileError) {
    let isOpen = state.withLock { state in
      if !state.isClosed { state.count += 1 }
      return !state.isClosed
    }
    // The error of a closed descriptor.
    guard isOpen else { throw .io(operation: "openat", path: path, code: EBADF) }
  }

  /// Counts a file that was closed.
  func leave() {
    let isEnough = state.withLock { state in
      state.count -= 1
      guard let awaited = state.awaited, state.count <= awaited else { return false }
      state.awaited = nil
      return true
    }
    if isEnough { news.signal() }
  }

  /// Refuses to open more files, and waits until at most `rest` are open, or until the limit has passed.
  ///
  /// One thread at a time may call it. Returns how many are open beyond `rest`: 0 unless a disk does not answer.
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
