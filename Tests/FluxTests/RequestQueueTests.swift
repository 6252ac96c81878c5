import Testing
import TestSupport

@testable import Flux

@Suite("The requests of several senders")
struct RequestQueueTests {
  @Test("One sender's requests come in their order, up to the limit and to one that ends the delivery")
  func alone() {
    var queue = RequestQueue<String, Int>()
    for number in 1...9 { queue.add(number, from: "a", endsDelivery: number % 4 == 0) }
    #expect(queue.take(upTo: 0, ofSeveral: 0) == [])
    #expect(queue.take(upTo: 2, ofSeveral: 1) == [1, 2])
    #expect(queue.take(upTo: 9, ofSeveral: 1) == [3, 4])
    #expect(queue.take(upTo: 9, ofSeveral: 1) == [5, 6, 7, 8])
    #expect(queue.take(upTo: 9, ofSeveral: 1) == [9])
    #expect(queue.take(upTo: 9, ofSeveral: 1) == [])
    #expect(queue.count == 0)
  }

  @Test("Who sends one request waits for no one who sends thousands")
  func flood() {
    var queue = RequestQueue<String, Int>()
    for number in 0..<4000 { queue.add(number, from: "flood", endsDelivery: false) }
    queue.add(-1, from: "other", endsDelivery: false)
    queue.add(-2, from: "third", endsDelivery: true)
    let taken = queue.take(upTo: 2048, ofSeveral: 64)
    #expect(taken.count == 64 && taken.contains(-1) && taken.last == -2)
    #expect(taken.filter { $0 >= 0 } == Array(0..<62))
    #expect(queue.take(upTo: 2048, ofSeveral: 64) == Array(62..<(62 + 2048)))
  }

  @Test("Requests that end deliveries are taken in turn, too")
  func endings() {
    var queue = RequestQueue<String, String>()
    for number in 0..<3 { queue.add("a\(number)", from: "a", endsDelivery: true) }
    for number in 0..<2 { queue.add("b\(number)", from: "b", endsDelivery: true) }
    queue.add("a3", from: "a", endsDelivery: false)
    var deliveries: [[String]] = []
    while queue.count > 0 { deliveries.append(queue.take(upTo: 10, ofSeveral: 10)) }
    #expect(deliveries == [["a0"], ["b0"], ["a1"], ["b1"], ["a2"], ["a3"]])
  }

  @Test("Each is taken once, in its sender's order, and soon; one that ends a delivery is its last")
  func random() throws {
    struct Sent: Hashable {
      var sender: Int
      var number: Int
      var ends: Bool
    }
    let seed = try SeededRandom.seed()
    var random = SeededRandom(seed: seed)
    var queue = RequestQueue<Int, Sent>()
    var waiting: [Int: [Sent]] = [:]
    // For how many deliveries with room each sender has waited.
    var patience: [Int: Int] = [:]
    var sentCount = 0
    for _ in 0..<3000 {
      for _ in 0..<Int.random(in: 0...8, using: &random) {
        let sender = [0, 0, 0, 1, 2, 3].randomElement(using: &random) ?? 0
        let sent = Sent(sender: sender, number: sentCount, ends: Int.random(in: 0..<5, using: &random) == 0)
        sentCount += 1
        waiting[sender, default: []].append(sent)
        queue.add(sent, from: sender, endsDelivery: sent.ends)
      }
      let limit = Int.random(in: 0...9, using: &random)
      let taken = queue.take(upTo: limit, ofSeveral: 7)
      #expect(taken.count <= limit && !taken.dropLast().contains(where: \.ends), "seed \(seed)")
      for sent in taken {
        try #require(waiting[sent.sender]?.removeFirst() == sent, "seed \(seed)")
        patience[sent.sender] = 0
      }
      guard limit > 0 else { continue }
      for (sender, own) in waiting where !own.isEmpty && !taken.contains(where: { $0.sender == sender }) {
        patience[sender, default: 0] += 1
        // Four senders: each may be passed over by each other one, for a request of either kind.
        #expect(patience[sender, default: 0] < 24, "seed \(seed): sender \(sender)")
      }
      #expect(queue.count == waiting.values.reduce(0) { $0 + $1.count }, "seed \(seed)")
    }
  }
}
