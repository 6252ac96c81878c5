import Flux
import Foundation
import Synchronization

/// Writes lines to stdout on a thread of its own, whole lines only, and says when there is too much of them.
///
/// It keeps a private copy of the descriptor and points stdout itself at stderr: whatever else in the process prints
/// cannot spoil the protocol.
final class OutputWriter: Sendable {
  /// How much may wait before no more requests are answered, in bytes.
  private static let roomBytes = 4 << 20
  /// How much is written in one go, in bytes: what has been written makes room, so that a slow reader is given the next
  /// answers before it has read all of the last ones.
  private static let pieceBytes = 256 << 10
  /// How often it is looked whether the last lines are read, in milliseconds.
  private static let finishMilliseconds = 250
  /// How many looks a client is waited for that reads nothing at all: 10 s.
  private static let idleLooks = 40
  /// How many looks a client is waited for, as long as it reads at each, once a signal has told the process to end: a second
  /// in all, since it has two.
  private static let hurriedLooks = 4

  private struct State {
    var pending: [UInt8] = []
    /// What was appended and has not been written, with what is being written.
    var backlog = Backlog(limit: roomBytes)
    var isFinished = false
    /// Whether nobody can read any more, whether or not anything was written since.
    var hasNoReader = false
    var onRoom: @Sendable () -> Void = {}
    var onClosed: @Sendable () -> Void = {}
  }

  private let descriptor: Int32
  private let state = Mutex(State())
  private let wakeUp = DispatchSemaphore(value: 0)
  private let done = DispatchSemaphore(value: 0)

  enum Source {
    case standardOutput
  }

  init(takingOver _: Source) throws {
    signal(SIGPIPE, SIG_IGN)
    descriptor = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
    guard descriptor >= 0, dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
    let thread = Thread { [self] in write() }
    thread.name = "podflux.stdout"
    thread.start()
    let watch = Thread { [self] in watchReaders() }
    watch.name = "podflux.stdout.watch"
    watch.start()
  }

  /// Whether more may be appended. Asking promises nothing.
  var hasRoom: Bool {
    state.withLock { $0.backlog.hasRoom }
  }

  /// Whether more may be appended; if not, `onRoom` is called as soon as there is room.
  func hasRoomOrTells() -> Bool {
    state.withLock { $0.backlog.hasRoomOrIsAwaited() }
  }

  /// Appends lines; `flush` sends them on.
  func append(_ lines: [UInt8]) {
    state.withLock { state in
      guard state.backlog.add(lines.count) else { return }
      state.pending += lines
    }
  }

  /// Sends on what was appended, if anything was.
  func flush() {
    // Most turns have nothing to say: then the writing thread is not woken for it.
    guard state.withLock({ !$0.pending.isEmpty }) else { return }
    wakeUp.signal()
  }

  /// Called when there is room again after `hasRoomOrTells` has found none.
  func onRoom(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.onRoom = body }
  }

  /// Called when nobody can read any more.
  func onClosed(_ body: @escaping @Sendable () -> Void) {
    let hasNoReader = state.withLock { state in
      state.onClosed = body
      return state.hasNoReader
    }
    if hasNoReader { body() }
  }

  /// Writes the last lines and ends. A client that reads is waited for, however slow it is: every request has its reply. One
  /// that does not holds nobody up for long.
  ///
  /// - Parameter isHurried: Whether a signal has told the process to end.
  func finish(isHurried: () -> Bool) {
    var bytes = state.withLock { state in
      state.isFinished = true
      return state.backlog.bytes
    }
    wakeUp.signal()
    var (idle, hurried) = (0, 0)
    while done.wait(timeout: .now() + .milliseconds(Self.finishMilliseconds)) == .timedOut {
      let left = state.withLock { $0.backlog.bytes }
      idle = left < bytes ? 0 : idle + 1
      bytes = left
      hurried = isHurried() ? hurried + 1 : 0
      guard hurried > 0 ? idle == 0 && hurried < Self.hurriedLooks : idle < Self.idleLooks else { return }
    }
  }

  /// Waits until nobody can read any more, though nothing may be written for long: whoever started the engine is gone then.
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
          if isFinished { return _ = done.signal() }
          break
        }
        guard write(bytes) else {
          giveUp()
          return _ = done.signal()
        }
      }
    }
  }

  /// Nobody can read any more: what was appended is forgotten, and whoever waits for room need not.
  private func giveUp() {
    let (shouldWake, onRoom, onClosed) = state.withLock { state in
      state.pending = []
      return (state.backlog.close(), state.onRoom, state.onClosed)
    }
    if shouldWake { onRoom() }
    onClosed()
  }

  /// Writes it all, piece by piece. False if nobody can read any more.
  private func write(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(Self.pieceBytes))
        let count = Foundation.write(descriptor, piece.baseAddress, piece.count)
        if count > 0 {
          rest = rest.dropFirst(count)
          delivered(count)
        } else if errno == EAGAIN {
          var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          _ = Foundation.poll(&poll, 1, -1)
        } else if errno != EINTR {
          return false
        }
      }
      return true
    }
  }

  private func delivered(_ count: Int) {
    let onRoom = state.withLock { state in
      state.backlog.deliver(count) ? state.onRoom : nil
    }
    onRoom?()
  }
}
