import Dispatch
import Flux
import Synchronization

/// The output of the client that drives the engine over stdin and stdout, and what its reader of lines waits for.
final class StandardStreams: ClientOutput {
  private let writer: OutputWriter
  private let gate = Mutex(Gate())
  private let semaphore = DispatchSemaphore(value: 0)

  init(_ writer: OutputWriter) {
    self.writer = writer
    writer.onRoom { [weak self] in self?.wakeReader() }
  }

  /// Waits for the next `flush` or for room, unless the attempt succeeds now. Returns whether it did.
  func waitForFlush(unless attempt: () -> Bool) -> Bool {
    gate.withLock { $0.approach() }
    // A flush may have come before: try once more, or no signal would ever come.
    guard !attempt() else {
      gate.withLock { $0.leave() }
      return true
    }
    semaphore.wait()
    return false
  }

  private func wakeReader() {
    if gate.withLock({ $0.open() }) { semaphore.signal() }
  }

  // MARK: ClientOutput

  var hasRoom: Bool { writer.hasRoom }

  func hasRoomForAnswers() -> Bool { writer.hasRoomOrTells() }

  var isClosed: Bool { writer.isClosed }

  func append(_ lines: [UInt8]) {
    writer.append(lines)
  }

  func flush() {
    writer.flush()
    wakeReader()
  }
}
