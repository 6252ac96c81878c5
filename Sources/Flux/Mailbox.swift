import Synchronization

/// The actions that wait for the dispatcher: two bounded queues with one drainer.
///
/// It always accepts facts, whose number the services bound; it accepts clients' requests while there is room. The
/// drainer may leave requests in the queue while it takes facts: a client that does not read its replies slows down
/// itself, not the transfers. Clients' requests are taken in turn: one that posts many slows down itself, too.
///
/// `post` wakes the drainer when the mailbox was idle, so a burst costs one wake-up.
///
/// ```swift
/// let mailbox = Mailbox<Int, String, Double>(requestCapacity: 64, wake: { print("there is something to take") })
/// if !mailbox.post(request: "pause", from: 1) { print("64 requests wait: ask again later") }
/// ```
public final class Mailbox<Sender: Hashable & Sendable, Request: Sendable, Fact: Sendable>: Sendable {
  /// The actions that the drainer took at once.
  ///
  /// ```swift
  /// let delivery = mailbox.take(requestsUpTo: 16)
  /// if !delivery.isEmpty { print(delivery.facts, delivery.requests) }
  /// ```
  public struct Delivery: Sendable {
    /// Facts, in the order of posting.
    public var facts: [Fact]
    /// Requests, each sender's in the order of posting.
    public var requests: [Request]

    /// Whether there was nothing to take.
    public var isEmpty: Bool { facts.isEmpty && requests.isEmpty }
  }

  private let queues: Mutex<MailboxQueues<Sender, Request, Fact>>
  private let wake: @Sendable () -> Void

  /// How many requests may wait.
  public let requestCapacity: Int

  /// A mailbox that calls `wake`, on the posting thread, when an action was posted and no drainer is active.
  public init(requestCapacity: Int, wake: @escaping @Sendable () -> Void) {
    precondition(requestCapacity > 0, "a mailbox without room takes no request")
    self.requestCapacity = requestCapacity
    self.wake = wake
    queues = Mutex(MailboxQueues(requestCapacity: requestCapacity))
  }

  /// How many requests wait now.
  public var requestCount: Int { queues.withLock { $0.requestCount } }

  public func post(fact: Fact) {
    if queues.withLock({ $0.add(fact: fact) }) { wake() }
  }

  /// Posts a request if the queue has room.
  ///
  /// - Parameters:
  ///   - sender: Whose requests keep their order; other senders' come in turn with them.
  ///   - endsDelivery: Whether no request is taken after this one.
  /// - Returns: Whether the mailbox accepted it.
  public func post(request: Request, from sender: Sender, endsDelivery: Bool = false) -> Bool {
    let (isTaken, shouldWake) = queues.withLock { $0.add(request: request, from: sender, endsDelivery: endsDelivery) }
    if shouldWake { wake() }
    return isTaken
  }

  /// Posts a request even if the queue is full, for one that its sender has been told is taken.
  ///
  /// - Parameters:
  ///   - sender: Whose requests keep their order.
  ///   - endsDelivery: Whether no request is taken after this one.
  public func post(single request: Request, from sender: Sender, endsDelivery: Bool = false) {
    if queues.withLock({ $0.add(single: request, from: sender, endsDelivery: endsDelivery) }) { wake() }
  }

  /// Wakes the drainer without an action: a condition that it waits for has changed.
  public func nudge() {
    if queues.withLock({ $0.nudge() }) { wake() }
  }

  /// Takes facts, and at most `limit` requests, none after the first one that ends a delivery.
  ///
  /// An empty delivery ends the drain: the next post wakes the drainer again. A nudge since the last delivery wakes it
  /// at once: `limit` may be older than the nudge.
  ///
  /// - Parameters:
  ///   - limit: How many requests are taken at most.
  ///   - sharedLimit: How many at most where several senders' requests wait, so that none waits for a long delivery.
  ///   - weightLimit: Facts are taken until they weigh as much; the others stay for the next delivery.
  ///   - weight: What a fact weighs.
  public func take(
    requestsUpTo limit: Int, ofSeveral sharedLimit: Int = .max, factsUpTo weightLimit: Int = .max,
    weighing weight: (Fact) -> Int = { _ in 0 }
  ) -> Delivery {
    let (delivery, shouldWake) = queues.withLock { queues in
      let (facts, requests, shouldWake) = queues.take(
        requestsUpTo: limit, ofSeveral: sharedLimit, factsUpTo: weightLimit, weighing: weight)
      return (Delivery(facts: facts, requests: requests), shouldWake)
    }
    if shouldWake { wake() }
    return delivery
  }
}
