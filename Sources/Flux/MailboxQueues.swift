/// The two queues of a mailbox, and the flags that prevent lost wake-ups. Guard it with one lock.
struct MailboxQueues<Sender: Hashable, Request, Fact> {
  let requestCapacity: Int
  private(set) var facts: [Fact] = []
  private var requests = RequestQueue<Sender, Request>()
  /// Whether a drainer is active, or has been woken.
  private(set) var isDraining = false
  /// Whether a nudge came during a drain, perhaps after the drainer had checked its condition.
  private(set) var isNudged = false

  init(requestCapacity: Int) {
    self.requestCapacity = requestCapacity
  }

  /// How many requests wait.
  var requestCount: Int { requests.count }

  /// Adds a fact. Returns whether to wake the drainer.
  mutating func add(fact: Fact) -> Bool {
    facts.append(fact)
    return rouse()
  }

  /// Adds a request if there is room. Returns whether it did, and whether to wake the drainer.
  mutating func add(
    request: Request, from sender: Sender, endsDelivery: Bool
  ) -> (isTaken: Bool, shouldWake: Bool) {
    let hasRoom = requests.count < requestCapacity
    if hasRoom { requests.add(request, from: sender, endsDelivery: endsDelivery) }
    return (hasRoom, rouse())
  }

  /// Adds a request in any case. Returns whether to wake the drainer.
  mutating func add(single request: Request, from sender: Sender, endsDelivery: Bool) -> Bool {
    requests.add(request, from: sender, endsDelivery: endsDelivery)
    return rouse()
  }

  /// Notes that a condition of the drainer has changed. Returns whether to wake the drainer.
  mutating func nudge() -> Bool {
    isNudged = isDraining
    return rouse()
  }

  /// Takes waiting actions, and returns whether to wake the drainer again after an empty delivery.
  mutating func take(
    requestsUpTo limit: Int, ofSeveral sharedLimit: Int, factsUpTo weightLimit: Int, weighing weight: (Fact) -> Int
  ) -> (facts: [Fact], requests: [Request], shouldWake: Bool) {
    let facts = takeFacts(upTo: weightLimit, weighing: weight)
    let requests = requests.take(upTo: limit, ofSeveral: sharedLimit)
    let isEmpty = facts.isEmpty && requests.isEmpty
    let shouldWake = isEmpty && isNudged
    isDraining = !isEmpty || shouldWake
    isNudged = false
    return (facts, requests, shouldWake)
  }

  /// Takes facts until they weigh as much as the limit.
  private mutating func takeFacts(upTo limit: Int, weighing weight: (Fact) -> Int) -> [Fact] {
    var (count, sum) = (0, 0)
    while count < facts.count, sum < limit {
      sum += weight(facts[count])
      count += 1
    }
    guard count < facts.count else {
      defer { facts = [] }
      return facts
    }
    defer { facts.removeFirst(count) }
    return Array(facts.prefix(count))
  }

  private mutating func rouse() -> Bool {
    defer { isDraining = true }
    return !isDraining
  }
}

extension MailboxQueues: Sendable where Sender: Sendable, Request: Sendable, Fact: Sendable {}
extension MailboxQueues: Equatable where Request: Equatable, Fact: Equatable {}
extension MailboxQueues: Hashable where Request: Hashable, Fact: Hashable {}
