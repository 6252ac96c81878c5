import EngineRuntime
import PodfluxCore

/// Requests that are answered later than those behind them, while the engine goes on.
extension EngineCore {
  /// Has the network answer a request.
  func preview(_ wish: FeedPreview.Wish, answering request: EngineRequest) {
    let number = pending.add(request)
    guard let session else { return answer(number, with: .refusal(.isSuspended)) }
    // The result may come after the engine has closed, refused the request and was freed.
    session.preview(wish) { [turns, weak self] result in
      turns.async { [weak self] in
        guard let self else { return }
        switch result {
        case .success(let preview): answer(number, with: .answer(.preview(preview)))
        case .failure(let refusal): answer(number, with: .refusal(refusal))
        }
        turnEnded()
      }
    }
  }

  /// Checks a request for which files are read, and posts it: a slow disk holds up its client, and no other. Thread
  /// safe.
  func check(_ request: EngineRequest) {
    turns.async { [self] in
      let number = pending.add(request)
      guard session != nil else {
        refusePending()
        return turnEnded()
      }
      checks.addOperation { [self] in
        let checked = request.checked(for: configuration.libraryPath, with: vault)
        turns.async { [self] in
          if pending.take(number) != nil { return mailbox.post(taken: checked) }
          vault.forgetSecret(of: checked)
        }
      }
    }
  }

  /// The library is given up: nothing comes of them any more.
  func refusePending() {
    let refusal: Refusal = loop.lifecycle.isClosed ? .hasStopped : .isSuspended
    for number in pending.numbers { answer(number, with: .refusal(refusal)) }
  }

  private func answer(_ number: Int, with outcome: Response.Outcome) {
    pending.take(number)?.completion(Response(outcome: outcome, revision: loop.position.revision))
  }
}

/// Requests that are answered later, by number.
struct PendingRequests {
  private var requests: [Int: EngineRequest] = [:]
  private var lastNumber = 0

  /// In the order in which they came.
  var numbers: [Int] { requests.keys.sorted() }

  mutating func add(_ request: EngineRequest) -> Int {
    lastNumber += 1
    requests[lastNumber] = request
    return lastNumber
  }

  /// The request; nil if it has been taken.
  mutating func take(_ number: Int) -> EngineRequest? {
    requests.removeValue(forKey: number)
  }
}
