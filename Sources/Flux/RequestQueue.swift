/// The requests of several senders, taken in turn: one that sends many makes no other one wait for them.
///
/// Each sender's requests keep their order. A request that ends a delivery is the last one in it; the next one that
/// does may be another sender's.
struct RequestQueue<Sender: Hashable, Request> {
  private var waiting: [Sender: FIFOQueue<WaitingRequest<Request>>] = [:]
  /// Whose turn it is, of the senders whose next request ends no delivery, and of the others.
  private var continuing = FIFOQueue<Sender>()
  private var ending = FIFOQueue<Sender>()
  /// How many requests wait.
  private(set) var count = 0

  mutating func add(_ request: Request, from sender: Sender, endsDelivery: Bool) {
    count += 1
    let added = WaitingRequest(request: request, endsDelivery: endsDelivery)
    guard waiting[sender]?.append(added) == nil else { return }
    var own = FIFOQueue<WaitingRequest<Request>>()
    own.append(added)
    keep(own, of: sender)
  }

  /// Takes the next requests of all senders, and behind them one that ends the delivery, if the limit leaves room.
  ///
  /// - Parameters:
  ///   - limit: How many are taken at most.
  ///   - sharedLimit: How many at most where several senders' requests wait: then each waits for a short delivery.
  mutating func take(upTo limit: Int, ofSeveral sharedLimit: Int) -> [Request] {
    let limit = waiting.count > 1 ? min(limit, sharedLimit) : limit
    // One that ends a delivery has its place beside any number of others.
    let room = ending.isEmpty || limit == 1 ? limit : limit - 1
    var taken: [Request] = []
    while taken.count < room, let sender = continuing.popFirst() {
      let share = max(1, room / (continuing.count + 1))
      take(upTo: min(share, room - taken.count), of: sender, into: &taken)
    }
    if taken.count < limit, let sender = ending.popFirst() { take(upTo: 1, of: sender, into: &taken) }
    count -= taken.count
    return taken
  }

  /// Takes a sender's next requests, up to one that ends a delivery, and gives it its next turn.
  private mutating func take(upTo limit: Int, of sender: Sender, into taken: inout [Request]) {
    var own = waiting.removeValue(forKey: sender) ?? FIFOQueue()
    let end = taken.count + limit
    repeat {
      guard let next = own.popFirst() else { return }
      taken.append(next.request)
    } while taken.count < end && own.first?.endsDelivery == false
    keep(own, of: sender)
  }

  /// Keeps what waits of a sender, and gives it its turn; nothing if none waits.
  private mutating func keep(_ own: FIFOQueue<WaitingRequest<Request>>, of sender: Sender) {
    guard let next = own.first else { return }
    waiting[sender] = own
    if next.endsDelivery { ending.append(sender) } else { continuing.append(sender) }
  }
}

private struct WaitingRequest<Request> {
  let request: Request
  let endsDelivery: Bool
}

extension WaitingRequest: Sendable where Request: Sendable {}
extension WaitingRequest: Equatable where Request: Equatable {}
extension WaitingRequest: Hashable where Request: Hashable {}
extension RequestQueue: Sendable where Sender: Sendable, Request: Sendable {}
extension RequestQueue: Equatable where Request: Equatable {}
extension RequestQueue: Hashable where Request: Hashable {}
