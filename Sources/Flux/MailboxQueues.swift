/// The two queues of a mailbox, and what makes sure that what was posted is looked at. It belongs under one lock.
struct MailboxQueues<Request, Fact> {
  let requestCapacity: Int
  private(set) var facts: [Fact] = []
  private(set) var requests: [Request] = []
  /// Whether a drain is under way, or its wake-up is.
  private(set) var isDraining = false
  /// Whether a nudge came during a drain: perhaps after the drainer had looked at what it waits for.
  private(set) var isNudged = false

  init(requestCapacity: Int) {
    self.requestCapacity = requestCapacity
  }

  /// Takes a fact in. Returns whether the drainer is to be woken.
  mutating func add(fact: Fact) -> Bool {
    facts.append(fact)
    return rouse()
  }

  /// Takes a request in, if there is room. Returns whether it did, and whether the drainer is to be woken.
  mutating func add(request: Request) -> (isTaken: Bool, shouldWake: Bool) {
    let hasRoom = requests.count < requestCapacity
    if hasRoom { requests.append(request) }
    return (hasRoom, rouse())
  }

  /// Something that the drainer waits for has changed. Returns whether it is to be woken.
  mutating func nudge() -> Bool {
    isNudged = isDraining
    return rouse()
  }

  /// Takes out what waits, and tells whether the drainer is to be woken again although there was nothing.
  mutating func take(
    requestsUpTo limit: Int, endingWith isLast: (Request) -> Bool
  ) -> (facts: [Fact], requests: [Request], shouldWake: Bool) {
    let end = requests.prefix(limit).firstIndex(where: isLast).map { $0 + 1 }
    let count = end ?? min(limit, requests.count)
    let taken = (facts, Array(requests.prefix(count)))
    facts = []
    requests.removeFirst(count)
    let isEmpty = taken.0.isEmpty && taken.1.isEmpty
    let shouldWake = isEmpty && isNudged
    isDraining = !isEmpty || shouldWake
    isNudged = false
    return (taken.0, taken.1, shouldWake)
  }

  private mutating func rouse() -> Bool {
    defer { isDraining = true }
    return !isDraining
  }
}

extension MailboxQueues: Sendable where Request: Sendable, Fact: Sendable {}
extension MailboxQueues: Equatable where Request: Equatable, Fact: Equatable {}
extension MailboxQueues: Hashable where Request: Hashable, Fact: Hashable {}
