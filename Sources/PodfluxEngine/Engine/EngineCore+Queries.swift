import Flux
import PodfluxCore

/// Questions, and who observes.
extension EngineCore {
  func answer(_ query: Query, _ request: EngineRequest) {
    do {
      respond(to: request, .answer(try answer(query)))
    } catch let refusal as Refusal {
      respond(to: request, .refusal(refusal))
    } catch {
      logger.error("a query could not be answered", metadata: ["reason": "\(error)"])
      respond(to: request, .refusal(Refusal(.storageFailure, "the library's database cannot be read: \(error)")))
    }
  }

  private func answer(_ query: Query) throws -> Answer {
    guard let session else { throw Refusal.isSuspended }
    switch query {
    case .resumeData(let id): return .resumeData(try session.library.resumeData(of: id))
    case .snapshot(let query):
      // Who observes has been told everything up to the revision that it sees now.
      if let observation { try observers.flush(observation.token) }
      let now = session.services.readClock().wall
      return .snapshot(try session.library.snapshot(query, from: session.stores.stores, at: now))
    case .observe(let wish):
      endObservation()
      let token = observers.add(wish.state, interval: wish.interval, hasRoom: { [client] in client.hasRoom }) {
        [client] moment in
        client.observed(wish.includesActions ? moment : moment.withoutAttempts)
      }
      observation = (token, wish.includesActions)
      return .observing(revision: position.revision)
    case .unobserve:
      endObservation()
      return .unobserving
    }
  }

  func observe(
    _ query: SnapshotQuery, interval: Double, onEnd: @escaping @Sendable () -> Void,
    deliver: @escaping @Sendable (ObservedMoment) -> Void
  ) -> Observers.Token {
    observers.add(query, interval: interval, onEnd: onEnd, deliver: deliver)
  }

  func endObserving(_ token: Observers.Token) {
    observers.remove(token)
  }

  private func endObservation() {
    if let observation { observers.remove(observation.token) }
    // What is being told is told before: what comes next is another observation's.
    observers.waitForReading()
    observation = nil
  }
}
