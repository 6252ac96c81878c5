import Synchronization

/// Where actions wait for the dispatcher: two bounded lanes, drained from one place.
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

  private struct Lanes {
    var facts: [Fact] = []
    var requests: [Request] = []
    var isDraining = false
    /// Whether a nudge came while somebody drained: perhaps after the drainer had looked at what it waits for.
    var isNudged = false
  }

  private let lanes = Mutex(Lanes())
  private let wake: @Sendable () -> Void

  /// How many requests may wait.
  public let requestCapacity: Int

  /// Makes a mailbox; `wake` is called, on the poster's thread, when something was posted and nobody drains.
  public init(requestCapacity: Int, wake: @escaping @Sendable () -> Void) {
    precondition(requestCapacity > 0, "a mailbox without room takes no request")
    self.requestCapacity = requestCapacity
    self.wake = wake
  }

  /// Posts a fact.
  public func post(fact: Fact) {
    post { $0.facts.append(fact) }
  }

  /// Posts a request, unless as many as may wait do.
  ///
  /// - Returns: Whether it was taken in.
  public func post(request: Request) -> Bool {
    var accepted = false
    post { lanes in
      guard lanes.requests.count < requestCapacity else { return }
      lanes.requests.append(request)
      accepted = true
    }
    return accepted
  }

  /// Wakes the drainer although nothing was posted: something that it waited for has changed.
  public func nudge() {
    post { lanes in lanes.isNudged = lanes.isDraining }
  }

  /// Takes out what waits: all facts, and at most so many requests, none behind the first that `isLast` names.
  ///
  /// An empty delivery ends the drain: the next post wakes the drainer again. A nudge that came since the last delivery
  /// wakes it at once: `limit` may be older than the nudge.
  public func take(requestsUpTo limit: Int, endingWith isLast: (Request) -> Bool = { _ in false }) -> Delivery {
    let (delivery, shouldWake) = lanes.withLock { lanes in
      let end = lanes.requests.prefix(limit).firstIndex(where: isLast).map { $0 + 1 }
      let count = end ?? min(limit, lanes.requests.count)
      let delivery = Delivery(facts: lanes.facts, requests: Array(lanes.requests.prefix(count)))
      lanes.facts = []
      lanes.requests.removeFirst(count)
      let shouldWake = delivery.isEmpty && lanes.isNudged
      lanes.isDraining = !delivery.isEmpty || shouldWake
      lanes.isNudged = false
      return (delivery, shouldWake)
    }
    if shouldWake { wake() }
    return delivery
  }

  private func post(_ change: (inout Lanes) -> Void) {
    let shouldWake = lanes.withLock { lanes in
      change(&lanes)
      defer { lanes.isDraining = true }
      return !lanes.isDraining
    }
    if shouldWake { wake() }
  }
}
