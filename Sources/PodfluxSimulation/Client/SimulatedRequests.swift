import EngineRuntime

/// What an engine was asked for, and has answered: each request once, those from the mailbox in their order.
final class SimulatedRequests {
  private var count = 0
  /// Requests in the mailbox that wait for their answers, the first first.
  private var posted: [Int] = []
  /// Calls that wait for their answers.
  private var called: Set<Int> = []
  private var lastRevision: Int64 = 0

  /// A request is about to be made. Returns its number.
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
