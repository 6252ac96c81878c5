import Dispatch
import Foundation
import PodfluxCore
import PodfluxEngine
import Synchronization
import WireProtocol

/// One client's conversation with the engine, over whichever streams: lines become requests, answers become lines, in
/// the order of the lines.
///
/// Any thread may call it. One thread at a time posts.
final class ClientSession: EngineClient {
  /// A line that was read, on its way to the engine.
  struct QueuedRequest: Sendable {
    let content: EngineRequest.Content
    /// The length of its line.
    let byteCount: Int
    let onAnswer: @Sendable (Response) -> Void
  }

  private struct State {
    /// The way to the engine; nil until it has taken this client in.
    var connection: EngineConnection?
    var gate = RequestGate()
    /// Why nothing more comes of the engine, and at which revision.
    var end: (end: ConnectionEnd, revision: Int64)?
  }

  /// Lines that are sent at the end of a turn.
  private struct Lines {
    var encoder = LineEncoder()
    /// Whether the last one has been written.
    var areComplete = false
  }

  private let output: any ClientOutput
  private let libraryPath: String
  private let decoder = LineDecoder()
  private let lines = Mutex(Lines())
  private let observer: Observer
  private let state = Mutex(State())
  /// Signalled when `end` has got its value.
  private let ended = DispatchSemaphore(value: 0)

  init(output: any ClientOutput, libraryPath: String) {
    self.output = output
    self.libraryPath = libraryPath
    observer = Observer(output: output)
  }

  // MARK: Requests

  /// Decodes a line, on the reader's thread: the engine's queue has other work.
  func request(for line: LineSplitter.Line) -> QueuedRequest {
    let (decoded, byteCount) =
      switch line {
      case .complete(let bytes, let number): (decoder.decode(bytes, number: number), bytes.count)
      case .tooLong(let number): (decoder.tooLong(number: number), 0)
      }
    let content: EngineRequest.Content =
      switch decoded.content {
      case .success(.intent(let intent)): .intent(intent)
      case .success(.query(let query)): .query(query)
      case .success(.resume): .resume
      case .failure(let refusal): .refused(refusal)
      }
    let (number, id) = (decoded.number, decoded.id)
    return QueuedRequest(content: content, byteCount: byteCount) { [self] in write($0, line: number, id: id) }
  }

  /// Posts a request.
  ///
  /// - Returns: false if it must wait for answers to those before it, for room in the output or in the engine, or for
  ///   the connection. After each `ClientOutput.flush` it is worth another try.
  func post(_ request: QueuedRequest) -> Bool {
    guard output.hasRoomForAnswers() else { return false }
    // The client is gone, and what it asked changes nothing.
    if output.isClosed, request.content.isQuery { return true }
    let connection = state.withLock { state -> EngineConnection? in
      guard let connection = state.connection else { return nil }
      return state.gate.admit(request.content, byteCount: request.byteCount) ? connection : nil
    }
    guard let connection else { return false }
    let isPosted = connection.post(said: request.content) { [self] response in
      request.onAnswer(response)
      // No turn ends any more behind the engine's end.
      if release(request) { sendLines() }
    }
    if !isPosted { release(request) }
    return isPosted
  }

  /// Counts a request no more. Returns whether the end has come before.
  @discardableResult
  private func release(_ request: QueuedRequest) -> Bool {
    state.withLock { state in
      state.gate.release(request.content, byteCount: request.byteCount)
      return state.end != nil
    }
  }

  /// Whether it is worth reading a line: its request can be posted, if it is no query.
  var isOpen: Bool {
    output.hasRoomForAnswers() && state.withLock { $0.connection != nil && $0.end == nil && $0.gate.isOpen }
  }

  /// Whether all requests that were posted have been answered.
  var isAnswered: Bool {
    state.withLock { $0.connection != nil && $0.gate.isAnswered }
  }

  private func write(_ response: Response, line number: Int, id: RequestID?) {
    switch response.outcome {
    case .answer(.observing), .answer(.unobserving): observer.beginAnew()
    default: break
    }
    guard !output.isClosed else { return }
    lines.withLock { lines in
      guard !lines.areComplete else { return }
      switch response.outcome {
      case .reply(let reply): lines.encoder.reply(reply, id: id, revision: response.revision)
      case .answer(let answer): lines.encoder.answer(answer, id: id, revision: response.revision)
      case .refusal(let refusal): lines.encoder.refusal(refusal, line: number, id: id)
      }
    }
  }

  // MARK: The end

  /// Ends the conversation; `end` tells when nothing more comes of the engine.
  func leave() {
    state.withLock { $0.connection }?.end()
  }

  /// Why nothing more comes of the engine; nil as long as something may.
  var end: ConnectionEnd? {
    state.withLock { $0.end?.end }
  }

  /// Refuses a request that was not posted before the end.
  func refuse(_ request: QueuedRequest) {
    request.onAnswer(Response(outcome: .refusal(.hasStopped), revision: 0))
  }

  /// Waits until `end` has a value. The engine may have ended before it took this client in, and tells it then. To be
  /// called once.
  func waitUntilEnded() {
    ended.wait()
  }

  /// Sends the last line. To be called once, after `end` has a value.
  func sayGoodbye() {
    guard let (end, revision) = state.withLock({ $0.end }) else { return }
    lines.withLock { lines in
      lines.encoder.stopped(end, revision: revision)
      lines.areComplete = true
    }
    sendLines()
  }

  // MARK: EngineClient

  var hasRoom: Bool { output.hasRoom }

  func connected(over connection: EngineConnection, revision: Int64) {
    lines.withLock { lines in
      lines.encoder.ready(version: Engine.version, library: libraryPath, revision: revision, pid: getpid())
    }
    state.withLock { $0.connection = connection }
    sendLines()
  }

  func turnEnded() {
    sendLines()
  }

  func observed(_ moment: ObservedMoment) {
    observer.tell(moment)
  }

  func committed(_ turn: ObservedTurn) {
    observer.tell(turn)
  }

  func disconnected(_ end: ConnectionEnd, revision: Int64) {
    state.withLock { $0.end = (end, revision) }
    sendLines()
    ended.signal()
  }

  private func sendLines() {
    lines.withLock { lines in
      guard !lines.encoder.bytes.isEmpty else { return }
      output.append(lines.encoder.bytes)
      // The output keeps the bytes; a client that is idle costs no buffer.
      lines.encoder = LineEncoder()
    }
    output.flush()
  }
}
