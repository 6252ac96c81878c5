import EngineRuntime

/// The requests to an engine and their answers: each answered once, those from the mailbox in order.
final class SimulatedRequests {
  private var count = 0
  /// Unanswered requests in the mailbox, in order.
  private var posted: [Int] = []
  /// Unanswered calls.
  private var called: Set<Int> = []
  private var lastRevision: Int64 = 0

  /// Notes a new request. Returns its number.
  func note(isPosted: Bool) -> Int {
    count += 1
    if isPosted { posted.append(count) } else { called.insert(count) }
    return count
  }

  func answered(_ number: Int, _ response: Response) throws {
    guard response.revision >= lastRevision else {
      throw Violation(.answers, "revision \(response.revision) is answered behind \(lastRevision)")
    }
    lastRevision = response.revision
    if called.remove(number) != nil { return }
    guard posted.first == number else {
      let isWaiting = posted.contains(number)
      throw Violation(.answers, "request \(number) is answered \(isWaiting ? "before those before it" : "once more")")
    }
    posted.removeFirst()
  }

  func checkAllAnswered() throws {
    guard let number = posted.first ?? called.min() else { return }
    throw Violation(.answers, "request \(number) of \(count) is never answered")
  }
}
