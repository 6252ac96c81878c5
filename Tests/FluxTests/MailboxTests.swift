import Dispatch
import Flux
import Synchronization
import Testing

@Suite("The mailbox")
struct MailboxTests {
  /// Counts the drainer's wake-ups.
  private final class WakeUps: Sendable {
    private let number = Mutex(0)
    var count: Int { number.withLock { $0 } }
    func add() { number.withLock { $0 += 1 } }
  }

  private let wakeUps = WakeUps()

  private func makeMailbox(capacity: Int = 4) -> Mailbox<Int, Int, String> {
    Mailbox(requestCapacity: capacity) { [wakeUps] in wakeUps.add() }
  }

  @Test("A burst costs one wake-up")
  func burst() {
    let mailbox = makeMailbox()
    for number in 0..<3 {
      mailbox.post(fact: "f\(number)")
      #expect(mailbox.post(request: number, from: 0))
    }
    #expect(wakeUps.count == 1)
  }

  @Test("A post during a drain causes no wake-up, and the next take finds it")
  func postWhileDraining() {
    let mailbox = makeMailbox()
    mailbox.post(fact: "first")
    #expect(mailbox.take(requestsUpTo: 10).facts == ["first"])
    mailbox.post(fact: "second")
    #expect(wakeUps.count == 1)
    #expect(mailbox.take(requestsUpTo: 10).facts == ["second"])
  }

  @Test("An empty delivery ends the drain: the next post wakes again")
  func endOfDrain() {
    let mailbox = makeMailbox()
    mailbox.post(fact: "first")
    _ = mailbox.take(requestsUpTo: 10)
    #expect(mailbox.take(requestsUpTo: 10).isEmpty)
    mailbox.post(fact: "second")
    #expect(wakeUps.count == 2)
  }

  @Test("Both queues keep the order of posting")
  func order() {
    let mailbox = makeMailbox(capacity: 100)
    for number in 0..<50 {
      mailbox.post(fact: "\(number)")
      _ = mailbox.post(request: number, from: 0)
    }
    var requests: [Int] = []
    let first = mailbox.take(requestsUpTo: 20)
    requests += first.requests
    requests += mailbox.take(requestsUpTo: 100).requests
    #expect(first.facts == (0..<50).map(String.init))
    #expect(first.requests.count == 20)
    #expect(requests == Array(0..<50))
  }

  @Test("Requests beyond the capacity are refused until some were taken; facts are always accepted")
  func capacity() {
    let mailbox = makeMailbox(capacity: 2)
    #expect(mailbox.post(request: 1, from: 0))
    #expect(mailbox.post(request: 2, from: 0))
    #expect(!mailbox.post(request: 3, from: 0))
    for number in 0..<100 { mailbox.post(fact: "\(number)") }
    let delivery = mailbox.take(requestsUpTo: 1)
    #expect(delivery.requests == [1])
    #expect(delivery.facts.count == 100)
    #expect(mailbox.post(request: 4, from: 0))
    #expect(!mailbox.post(request: 5, from: 0))
    #expect(mailbox.take(requestsUpTo: 10).requests == [2, 4])
  }

  @Test("Facts are taken while requests stay in their queue")
  func factsFlow() {
    let mailbox = makeMailbox()
    _ = mailbox.post(request: 1, from: 0)
    mailbox.post(fact: "a")
    #expect(mailbox.take(requestsUpTo: 0).facts == ["a"])
    #expect(mailbox.take(requestsUpTo: 0).isEmpty)
    mailbox.post(fact: "b")
    #expect(mailbox.take(requestsUpTo: 0).facts == ["b"])
    #expect(mailbox.take(requestsUpTo: 5).requests == [1])
  }

  @Test("Facts are taken up to a weight, requests with the first of them, and a heavy fact comes alone")
  func weights() {
    let mailbox = makeMailbox()
    for fact in ["aaa", "aa", "a", "aaaaaaaaa", "a"] { mailbox.post(fact: fact) }
    _ = mailbox.post(request: 1, from: 0)
    func take() -> Mailbox<Int, Int, String>.Delivery {
      mailbox.take(requestsUpTo: 5, factsUpTo: 4, weighing: \.count)
    }
    let first = take()
    #expect(first.facts == ["aaa", "aa"])
    #expect(first.requests == [1])
    mailbox.post(fact: "late")
    #expect(take().facts == ["a", "aaaaaaaaa"])
    #expect(take().facts == ["a", "late"])
    #expect(take().isEmpty)
    #expect(wakeUps.count == 1)
  }

  @Test("A nudge wakes an idle drainer without a post")
  func nudge() {
    let mailbox = makeMailbox()
    _ = mailbox.post(request: 1, from: 0)
    #expect(mailbox.take(requestsUpTo: 0).isEmpty)
    mailbox.nudge()
    #expect(wakeUps.count == 2)
    #expect(mailbox.take(requestsUpTo: 1).requests == [1])
  }

  /// The drainer sees that replies pile up and is about to take no requests; at that moment the client reads its
  /// replies, and the nudge comes while the drainer still counts as draining. If the nudge were lost, the request would
  /// stay in the queue until the next fact.
  @Test("A nudge between the drainer's check and its take is not lost")
  func nudgeWhileDraining() {
    let mailbox = makeMailbox()
    _ = mailbox.post(request: 1, from: 0)
    let limitSeenBeforeTheNudge = 0
    mailbox.nudge()
    let wakeUpsBefore = wakeUps.count
    let delivery = mailbox.take(requestsUpTo: limitSeenBeforeTheNudge)
    #expect(!delivery.isEmpty || wakeUps.count > wakeUpsBefore)
  }

  @Test("Concurrent posts are not lost, and each thread's order is kept")
  func concurrentPosters() async {
    let posters = 8
    let factsEach = 2_000
    let mailbox = Mailbox<Int, Int, [Int]>(requestCapacity: 1) {}
    let received = await withTaskGroup(of: Void.self, returning: [[Int]].self) { group in
      for poster in 0..<posters {
        group.addTask { for number in 0..<factsEach { mailbox.post(fact: [poster, number]) } }
      }
      var received: [[Int]] = []
      while received.count < posters * factsEach {
        received += mailbox.take(requestsUpTo: 0).facts
        await Task.yield()
      }
      return received
    }
    for poster in 0..<posters {
      #expect(received.filter { $0[0] == poster }.map { $0[1] } == Array(0..<factsEach))
    }
  }

  @Test("No post stays behind when posts race the end of a drain")
  func wakeUpsUnderRace() async {
    let total = 20_000
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      let drainer = Drainer(expecting: total) { done.resume() }
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        for number in 0..<(total / 4) { drainer.post(number) }
      }
    }
  }
}

/// A mailbox with the engine's way of draining: each wake-up starts one drain, which ends with an empty delivery.
private final class Drainer: Sendable {
  private let queue = DispatchQueue(label: "podflux.tests.drainer")
  private let mailbox = Mutex<Mailbox<Int, Int, Int>?>(nil)
  private let missing: Mutex<Int>
  private let whenComplete: @Sendable () -> Void

  init(expecting total: Int, whenComplete: @escaping @Sendable () -> Void) {
    missing = Mutex(total)
    self.whenComplete = whenComplete
    let mailbox = Mailbox<Int, Int, Int>(requestCapacity: 1) { [self] in
      queue.async { self.drain() }
    }
    self.mailbox.withLock { $0 = mailbox }
  }

  func post(_ fact: Int) {
    mailbox.withLock { $0 }?.post(fact: fact)
  }

  private func drain() {
    guard let mailbox = mailbox.withLock({ $0 }) else { return }
    while true {
      let delivery = mailbox.take(requestsUpTo: 0)
      guard !delivery.isEmpty else { return }
      let isComplete = missing.withLock { missing in
        missing -= delivery.facts.count
        return missing == 0
      }
      if isComplete { whenComplete() }
    }
  }
}
