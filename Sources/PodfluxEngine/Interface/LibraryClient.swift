import EngineRuntime
import Flux
import PodfluxCore
import Synchronization

/// Connects a program's asynchronous calls with the engine.
final class LibraryClient: EngineClient {
  private struct State {
    var engine: Engine?
    /// Requests that the engine has no room for yet, in order.
    var waiting: [EngineRequest] = []
    var isClosed = false
    var closing: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  /// Sets the engine. Call it once, before the first request.
  func serve(_ engine: Engine) {
    state.withLock { $0.engine = engine }
  }

  // MARK: Requests

  func post(_ content: EngineRequest.Content) async -> Response.Outcome {
    await withCheckedContinuation { continuation in
      let request = EngineRequest(content) { continuation.resume(returning: $0.outcome) }
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
      guard let engine = state.engine else { return }
      let posted = state.waiting.firstIndex { !engine.post($0) } ?? state.waiting.endIndex
      state.waiting.removeFirst(posted)
    }
  }

  func waitUntilClosed() async {
    await withCheckedContinuation { continuation in
      let isClosed = state.withLock { state in
        if !state.isClosed { state.closing.append(continuation) }
        return state.isClosed
      }
      if isClosed { continuation.resume() }
    }
  }

  // MARK: EngineClient

  var hasRoom: Bool { true }

  func hasRoomForAnswers() -> Bool { true }

  func ready(revision: Int64) {}

  func turnEnded() {
    postWaiting()
  }

  func observed(_ moment: ObservedMoment) {}

  func committed(_ turn: TurnRecord<Action>, announcements: [Announcement]) {}

  /// A program that embeds Podflux sees runs in the state.
  func told(_ notice: Notice) {}

  func closed(because cause: StopReason, revision: Int64, remaining: [DownloadState.Kind: Int]) {
    let (waiting, closing) = state.withLock { state in
      defer { (state.engine, state.isClosed, state.waiting, state.closing) = (nil, true, [], []) }
      return (state.waiting, state.closing)
    }
    for request in waiting {
      request.completion(Response(outcome: .refusal(.hasStopped), revision: revision))
    }
    for continuation in closing { continuation.resume() }
  }
}
