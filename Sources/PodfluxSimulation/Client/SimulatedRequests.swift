import EngineRuntime

/// The requests of several clients to an engine and their answers: each answered once, those that a client posts in
/// their order.
final class SimulatedRequests {
  private static let clientCount = 3

  private var count = 0
  /// Unanswered requests in the mailbox, each client's in order.
  private var posted: [ClientID: [Int]] = [:]
  /// Unanswered calls.
  private var called: Set<Int> = []
  private var lastRevision: Int64 = 0

  /// Notes a new request. Returns its number.
  func note(isPosted: Bool) -> Int {
    count += 1
    if isPosted { posted[client(of: count), default: []].append(count) } else { called.insert(count) }
    return count
  }

  /// Whose request it is.
  func client(of number: Int) -> ClientID { ClientID(number % Self.clientCount) }

  func answered(_ number: Int, _ response: Response) throws {
    guard response.revision >= lastRevision else {
      throw Violation(.answers, "revision \(response.revision) is answered behind \(lastRevision)")
    }
    lastRevision = response.revision
    if called.remove(number) != nil { return }
    let own = posted[client(of: number), default: []]
    guard own.first == number else {
      let isWaiting = own.contains(number)
      throw Violation(.answers, "request \(number) is answered \(isWaiting ? "before those before it" : "once more")")
    }
    posted[client(of: number)] = Array(own.dropFirst())
  }

  func checkAllAnswered() throws {
    guard let number = (posted.values.compactMap(\.first) + called).min() else { return }
    throw Violation(.answers, "request \(number) of \(count) is never answered")
  }
}
