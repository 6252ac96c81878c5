import ArgumentParser
import Flux
import Foundation
import Synchronization

/// Writes complete lines to stdout on its own thread, and reports when too many are waiting.
///
/// It keeps a private copy of the descriptor and redirects stdout to stderr: other output of the process cannot corrupt
/// the protocol.
final class OutputWriter: Sendable {
  /// How many bytes may wait before no more of the client's lines are taken.
  private static let roomBytes = 4 << 20
  /// How many bytes are written at once: written bytes make room, so that a slow reader gets the next answers before it
  /// has read all of the last ones.
  private static let pieceBytes = 256 << 10

  private struct State {
    var pending: [UInt8] = []
    /// The bytes appended but not written, with those being written.
    var backlog = Backlog(limit: roomBytes)
    var isFinished = false
    /// The number of the error after which nothing is written any more; 0 for none.
    var errorCode: Int32 = 0
    /// Whether the reader has closed its end, even if nothing was written since.
    var hasNoReader = false
    var onRoom: @Sendable () -> Void = {}
    var onClosed: @Sendable () -> Void = {}
  }

  private let descriptor: Int32
  private let state = Mutex(State())
  private let wakeUp = DispatchSemaphore(value: 0)
  /// Left when the last line has been written, or none will be.
  private let done = DispatchGroup()

  enum Source {
    case standardOutput
  }

  init(takingOver _: Source) throws {
    descriptor = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
    guard descriptor >= 0, dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
    done.enter()
    let thread = Thread { [self] in write() }
    thread.name = "podflux.stdout"
    thread.start()
    let watch = Thread { [self] in watchReaders() }
    watch.name = "podflux.stdout.watch"
    watch.start()
  }

  /// Whether there is room for more. Registers nothing.
  var hasRoom: Bool {
    state.withLock { $0.backlog.hasRoom }
  }

  /// Whether the reader has closed its end, so that nothing is kept.
  var isClosed: Bool {
    state.withLock { $0.backlog.isClosed }
  }

  /// Whether there is room for more; if not, `onRoom` is called as soon as there is.
  func hasRoomOrTells() -> Bool {
    state.withLock { $0.backlog.hasRoomOrIsAwaited() }
  }

  /// Appends lines; `flush` sends them.
  func append(_ lines: [UInt8]) {
    state.withLock { state in
      guard state.backlog.add(lines.count) else { return }
      if state.pending.isEmpty {
        state.pending = lines
      } else {
        state.pending += lines
      }
    }
  }

  /// Sends the appended lines, if any.
  func flush() {
    // Most turns have no output: then the writing thread is not woken.
    guard state.withLock({ !$0.pending.isEmpty }) else { return }
    wakeUp.signal()
  }

  /// Sets the closure to call when there is room again after `hasRoomOrTells` has returned false.
  func onRoom(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.onRoom = body }
  }

  /// Sets the closure to call when the reader has closed its end.
  func onClosed(_ body: @escaping @Sendable () -> Void) {
    let hasNoReader = state.withLock { state in
      state.onClosed = body
      return state.hasNoReader
    }
    if hasNoReader { body() }
  }

  /// Says what kept lines from being written. A reader who has had enough is no mistake.
  ///
  /// - Throws: the exit status.
  func check() throws(ExitCode) { try OutputFault.check(state.withLock { $0.errorCode }) }

  /// Waits until the reader closes its end, even if nothing is written for long: then the client is gone.
  private func watchReaders() {
    var poll = pollfd(fd: descriptor, events: 0, revents: 0)
    while Foundation.poll(&poll, 1, -1) <= 0 {
      guard errno == EINTR else { return }
    }
    let onClosed = state.withLock { state in
      state.hasNoReader = true
      return state.onClosed
    }
    onClosed()
  }

  private func write() {
    while true {
      wakeUp.wait()
      while true {
        let (bytes, isFinished) = state.withLock { state in
          defer { state.pending = [] }
          return (state.pending, state.isFinished)
        }
        guard !bytes.isEmpty else {
          if isFinished { return done.leave() }
          break
        }
        let code = bytes.withUnsafeBytes {
          writeAll($0, to: descriptor, pieceBytes: Self.pieceBytes, onWritten: delivered)
        }
        guard code == 0 else {
          giveUp(because: code)
          return done.leave()
        }
      }
    }
  }

  /// The reader has closed its end, or the file takes no more: discards the output and releases waiting threads.
  private func giveUp(because code: Int32) {
    let (shouldWake, onRoom, onClosed) = state.withLock { state in
      (state.pending, state.errorCode) = ([], code)
      return (state.backlog.close(), state.onRoom, state.onClosed)
    }
    if shouldWake { onRoom() }
    onClosed()
  }

  private func delivered(_ count: Int) {
    let onRoom = state.withLock { state in
      state.backlog.deliver(count) ? state.onRoom : nil
    }
    onRoom?()
  }
}

extension OutputWriter: LastLines {
  var bytesLeft: Int { state.withLock { $0.backlog.bytes } }

  func finish() -> DispatchGroup {
    state.withLock { $0.isFinished = true }
    wakeUp.signal()
    return done
  }
}
