import Dispatch
import Flux
import Foundation
import PodfluxCore
import PodfluxEngine
import Synchronization
import WireProtocol

/// Connects the protocol with the engine: lines become requests, answers become lines.
final class Session: EngineClient {
  private let output: OutputWriter
  private let libraryPath: String
  private let notifier: Notifier?
  private let notes: RunNotes
  private let decoder = LineDecoder()
  private let encoder = Mutex(LineEncoder())
  private let observer: Observer
  private let turns = TurnGate()
  private let isClosed = DispatchSemaphore(value: 0)

  init(output: OutputWriter, libraryPath: String, notifier: Notifier?) {
    self.output = output
    self.libraryPath = libraryPath
    self.notifier = notifier
    notes = RunNotes(library: libraryPath)
    observer = Observer(output: output)
  }

  func waitUntilClosed() {
    isClosed.wait()
  }

  // MARK: Requests

  /// Decodes a line to a request, on the reader's thread: the engine's queue has other work.
  func request(for line: LineSplitter.Line) -> EngineRequest {
    let decoded =
      switch line {
      case .complete(let bytes, let number): decoder.decode(bytes, number: number)
      case .tooLong(let number): decoder.tooLong(number: number)
      }
    let content: EngineRequest.Content =
      switch decoded.content {
      case .success(.action(let action)): .action(action)
      case .success(.query(let query)): .query(query)
      case .success(.resume): .resume
      case .failure(let refusal): .refused(refusal)
      }
    return .init(content) { [self, number = decoded.number, id = decoded.id] response in
      write(response, line: number, id: id)
    }
  }

  /// Waits until the engine has handled some requests, unless the attempt succeeds now. Returns whether it did.
  func waitForTurn(unless attempt: () -> Bool) -> Bool {
    turns.wait(unless: attempt)
  }

  private func write(_ response: Response, line number: Int, id: RequestID?) {
    if case .answer(.observing) = response.outcome { observer.beginAnew() }
    encoder.withLock { encoder in
      switch response.outcome {
      case .reply(let reply): encoder.reply(reply, id: id, revision: response.revision)
      case .answer(let answer): encoder.answer(answer, id: id, revision: response.revision)
      case .refusal(let refusal): encoder.refusal(refusal, line: number, id: id)
      }
    }
  }

  // MARK: EngineClient

  var hasRoom: Bool { output.hasRoom }

  func hasRoomForAnswers() -> Bool { output.hasRoomOrTells() }

  func ready(revision: Int64) {
    encoder.withLock { encoder in
      encoder.ready(version: Engine.version, library: libraryPath, revision: revision, pid: getpid())
    }
    sendLines()
    notifier?.ready()
  }

  func turnEnded() {
    sendLines()
    turns.open()
  }

  func observed(_ moment: ObservedMoment) {
    observer.tell(moment)
  }

  func committed(_ turn: TurnRecord<Action>, announcements: [Announcement]) {
    observer.tell(turn, announcements)
  }

  func told(_ notice: Notice) {
    StandardError.printSoon(notes.line(for: notice))
  }

  func closed(because reason: StopReason, revision: Int64, remaining: [DownloadState.Kind: Int]) {
    encoder.withLock { $0.stopped(reason, revision: revision) }
    sendLines()
    if let line = notes.line(for: remaining) { StandardError.printSoon(line) }
    turns.open()
    isClosed.signal()
  }

  private func sendLines() {
    encoder.withLock { encoder in
      guard !encoder.bytes.isEmpty else { return }
      output.append(encoder.bytes)
      encoder.removeAll()
    }
    output.flush()
  }
}

/// Lets one thread wait for the end of a turn.
private final class TurnGate: Sendable {
  private let gate = Mutex(Gate())
  private let semaphore = DispatchSemaphore(value: 0)

  func wait(unless attempt: () -> Bool) -> Bool {
    gate.withLock { $0.approach() }
    // A turn may have ended before: try once more, or no signal would ever come.
    guard !attempt() else {
      gate.withLock { $0.leave() }
      return true
    }
    semaphore.wait()
    return false
  }

  func open() {
    if gate.withLock({ $0.open() }) { semaphore.signal() }
  }
}
