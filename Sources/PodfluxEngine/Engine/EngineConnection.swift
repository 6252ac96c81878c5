import EngineRuntime
import PodfluxCore
import Synchronization
import WireProtocol

/// A client's connection to an engine, over which it posts requests. Thread safe.
///
/// ```swift
/// let isTaken = connection.post(.intent(.downloads(.pause(.all)))) { response in print(response.revision) }
/// ```
///
/// When the connection ends, so does what the client observes. Requests that were posted before are carried out all the
/// same.
package final class EngineConnection: Sendable {
  let id: ClientID
  private let mailbox: EngineLoop.EngineMailbox
  private let core: EngineCore
  private let hasEnded = Atomic(false)

  init(_ id: ClientID, mailbox: EngineLoop.EngineMailbox, core: EngineCore) {
    self.id = id
    self.mailbox = mailbox
    self.core = core
  }

  /// Posts a request; its completion is called with the answer, on the engine's queue, in the order of posting, as long
  /// as `end` has not been called. Requests that are `isAnsweredLater` keep no order. Values that no client's line can
  /// have are refused as there: rows with them could not be read.
  ///
  /// Cost: that of writing and reading an intent as a line.
  ///
  /// - Returns: false if too many wait; the caller tries again after `EngineClient.turnEnded`. One that reads files is
  ///   always taken.
  package func post(_ content: EngineRequest.Content, completion: @escaping @Sendable (Response) -> Void) -> Bool {
    post(said: content.asSaid(), completion: completion)
  }

  /// Posts a request as a client's line has it; otherwise like `post(_:completion:)`.
  package func post(said content: EngineRequest.Content, completion: @escaping @Sendable (Response) -> Void) -> Bool {
    let request = EngineRequest(content, by: id) { [self] response in
      guard !hasEnded.load(ordering: .acquiring) else { return }
      core.clients.concern(id)
      completion(response)
    }
    guard !content.readsFiles else {
      core.check(request)
      return true
    }
    let checked = request.checked(for: core.configuration.libraryPath, with: core.vault)
    if mailbox.post(checked) { return true }
    // The turn that makes room may have ended before this note: try once more, or no other one would be waited for.
    core.heldUp.withLock { _ = $0.insert(id) }
    return mailbox.post(checked)
  }

  /// Ends the connection. The last call to the client is `EngineClient.disconnected`.
  package func end() {
    guard !hasEnded.exchange(true, ordering: .acquiringAndReleasing) else { return }
    core.turns.async { [core, id] in core.disconnect(id) }
  }

  /// Whether the client has ended it.
  var isEnded: Bool { hasEnded.load(ordering: .acquiring) }
}

extension EngineRequest.Content {
  /// What a client's line says of it, or its refusal.
  ///
  /// Cost: that of writing and reading an intent as a line.
  func asSaid() -> Self {
    do throws(Refusal) {
      switch self {
      case .intent(let intent): return .intent(try intent.asSaid())
      case .query(let query): return .query(try query.asSaid())
      case .resume, .refused, .barrier: return self
      }
    } catch {
      return .refused(error)
    }
  }
}
