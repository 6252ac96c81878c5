import EngineRuntime
import PodfluxCore

/// Previews: requests that the network answers, while the engine goes on.
extension EngineCore {
  func preview(_ wish: FeedPreview.Wish, answering request: EngineRequest) {
    let number = previews.add(request)
    guard let session else { return answerPreview(number, with: .refusal(.isSuspended)) }
    session.preview(wish) { [turns, unowned self] result in
      turns.async {
        switch result {
        case .success(let preview): self.answerPreview(number, with: .answer(.preview(preview)))
        case .failure(let refusal): self.answerPreview(number, with: .refusal(refusal))
        }
        self.turnEnded()
      }
    }
  }

  /// The library is given up: nothing comes of them any more.
  func refusePreviews() {
    let refusal: Refusal = loop.lifecycle.isClosed ? .hasStopped : .isSuspended
    for number in previews.numbers { answerPreview(number, with: .refusal(refusal)) }
  }

  private func answerPreview(_ number: Int, with outcome: Response.Outcome) {
    previews.take(number)?.completion(Response(outcome: outcome, revision: loop.position.revision))
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
