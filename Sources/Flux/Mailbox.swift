import Synchronization

/// Where actions wait for the dispatcher: two bounded queues, drained from one place.
///
/// Facts come from services whose number is bounded, and are always taken in; requests come from clients and are
/// taken in while there is room. The drainer may leave the requests where they are while it still takes facts:
/// a client that does not read its replies slows down itself, not the transfers.
///
/// `post` wakes the drainer when the mailbox was idle, so a burst costs one wake-up.
public final class Mailbox<Request: Sendable, Fact: Sendable>: Sendable {
  /// What the drainer took out in one go.
  public struct Delivery: Sendable {
    /// Facts, in the order in which they were posted.
    public var facts: [Fact]
    /// Requests, in the order in which they were posted.
    public var requests: [Request]

    /// Whether there was nothing to take.
    public var isEmpty: Bool { facts.isEmpty && requests.isEmpty }
  }

  private let queues: Mutex<MailboxQueues<Request, Fact>>
  private let wake: @Sendable () -> Void

  /// How many requests may wait.
  public let requestCapacity: Int

  /// Makes a mailbox; `wake` is called, on the poster's thread, when something was posted and no drain is under way.
  public init(requestCapacity: Int, wake: @escaping @Sendable () -> Void) {
    precondition(requestCapacity > 0, "a mailbox without room takes no request")
    self.requestCapacity = requestCapacity
    self.wake = wake
    queues = Mutex(MailboxQueues(requestCapacity: requestCapacity))
  }

  /// Posts a fact.
  public func post(fact: Fact) {
    if queues.withLock({ $0.add(fact: fact) }) { wake() }
  }

  /// Posts a request, unless as many as may wait do.
  ///
  /// - Returns: Whether it was taken in.
  public func post(request: Request) -> Bool {
    let (isTaken, shouldWake) = queues.withLock { $0.add(request: request) }
    if shouldWake { wake() }
    return isTaken
  }

  /// Wakes the drainer although nothing was posted: something that it waited for has changed.
  public func nudge() {
    if queues.withLock({ $0.nudge() }) { wake() }
  }

  /// Takes out what waits: all facts, and at most so many requests, none behind the first that `isLast` names.
  ///
  /// An empty delivery ends the drain: the next post wakes the drainer again. A nudge that came since the last delivery
  /// wakes it at once: `limit` may be older than the nudge.
  public func take(requestsUpTo limit: Int, endingWith isLast: (Request) -> Bool = { _ in false }) -> Delivery {
    let (delivery, shouldWake) = queues.withLock { queues in
      let (facts, requests, shouldWake) = queues.take(requestsUpTo: limit, endingWith: isLast)
      return (Delivery(facts: facts, requests: requests), shouldWake)
    }
    if shouldWake { wake() }
    return delivery
  }
}
