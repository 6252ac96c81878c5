import EngineRuntime
import PodfluxCore
import Synchronization

/// Connects a program's asynchronous calls with the engine that the program owns.
final class LibraryClient: EngineOwner, EngineClient {
  private struct Waiting {
    let content: EngineRequest.Content
    let completion: @Sendable (Response) -> Void
  }

  private struct State {
    var engine: Engine?
    /// nil until the engine has taken this client in.
    var connection: EngineConnection?
    /// Requests that the engine has no room for yet, in order.
    var waiting: [Waiting] = []
    /// Whether the engine takes no requests any more.
    var isClosed = false
    /// Whether the engine has ended and released the library.
    var hasEnded = false
    var closing: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  /// Sets the engine. Call it once, before the first request.
  func serve(_ engine: Engine) {
    state.withLock { $0.engine = engine }
    engine.connect(self)
  }

  // MARK: Requests

  /// Posts an action and awaits its reply.
  func post(_ intent: Intent) async -> Response.Outcome { await post(.intent(intent)) }

  private func post(_ content: EngineRequest.Content) async -> Response.Outcome {
    await withCheckedContinuation { continuation in
      // Here, and not where the engine's turns would wait for it.
      let request = Waiting(content: content.asSaid()) { continuation.resume(returning: $0.outcome) }
      let isClosed = state.withLock { state in
        guard !state.isClosed else { return true }
        state.waiting.append(request)
        return false
      }
      if isClosed {
        request.completion(Response(outcome: .refusal(.hasStopped), revision: 0))
      } else {
        postWaiting()
      }
    }
  }

  func ask(_ query: Query) async throws(Refusal) -> Answer {
    switch await post(.query(query)) {
    case .answer(let answer): return answer
    case .refusal(let refusal): throw refusal
    case .reply: preconditionFailure("a query has an answer")
    }
  }

  /// Posts an action to the engine and awaits its reply.
  func perform(
    _ begin: (Engine, @escaping @Sendable (Response) -> Void) -> Void
  ) async throws(Refusal) {
    let outcome: Response.Outcome = await withCheckedContinuation { continuation in
      guard let engine = state.withLock({ $0.engine }) else {
        return continuation.resume(returning: .refusal(.hasStopped))
      }
      begin(engine) { continuation.resume(returning: $0.outcome) }
    }
    if case .refusal(let refusal) = outcome { throw refusal }
  }

  /// Posts waiting requests while there is room.
  private func postWaiting() {
    state.withLock { state in
      guard let connection = state.connection else { return }
      let posted =
        state.waiting.firstIndex { !connection.post(said: $0.content, completion: $0.completion) }
        ?? state.waiting.endIndex
      state.waiting.removeFirst(posted)
    }
  }

  func waitUntilClosed() async {
    await withCheckedContinuation { continuation in
      let hasEnded = state.withLock { state in
        if !state.hasEnded { state.closing.append(continuation) }
        return state.hasEnded
      }
      if hasEnded { continuation.resume() }
    }
  }

  // MARK: EngineClient

  var hasRoom: Bool { true }

  func connected(over connection: EngineConnection, revision: Int64) {
    state.withLock { $0.connection = connection }
    postWaiting()
  }

  func turnEnded() {
    postWaiting()
  }

  func observed(_ moment: ObservedMoment) {}

  func committed(_ turn: ObservedTurn) {}

  func disconnected(_ end: ConnectionEnd, revision: Int64) {
    let waiting = state.withLock { state in
      defer { (state.engine, state.connection, state.isClosed, state.waiting) = (nil, nil, true, []) }
      return state.waiting
    }
    for request in waiting {
      request.completion(Response(outcome: .refusal(.hasStopped), revision: revision))
    }
  }

  // MARK: EngineOwner

  func ready(revision: Int64) {}

  /// A program that embeds Podflux sees runs in the state.
  func told(_ notice: Notice) {}

  func closed(because reason: StopReason, revision: Int64, remaining: [DownloadState.Kind: Int]) {
    let closing = state.withLock { state in
      defer { (state.hasEnded, state.closing) = (true, []) }
      return state.closing
    }
    for continuation in closing { continuation.resume() }
  }
}
