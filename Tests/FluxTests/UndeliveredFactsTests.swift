import Testing

@testable import Flux

@Suite("Facts whose commit has failed")
struct UndeliveredFactsTests {
  /// Seed 11 of the simulator: the commit of a fact failed, and so did the next one, of requests only. The fact got
  /// lost, and its attempt kept its slot until the next start.
  @Test("A second failure, of a delivery without facts, drops none of them")
  func secondFailureWithoutFacts() {
    var undelivered = UndeliveredFacts<CounterStore.Action>()
    undelivered.note(failed: [.add(1)])
    undelivered.note(failed: [])
    #expect(undelivered.take().sums == [1])
  }

  @Test("They come before what happened later, in their order, and are kept again when that delivery fails too")
  func order() {
    var undelivered = UndeliveredFacts<CounterStore.Action>()
    undelivered.note(failed: [.add(1), .add(2)])
    let delivery = undelivered.take(with: [.add(3)])
    #expect(delivery.sums == [1, 2, 3])
    #expect(undelivered.isEmpty)
    undelivered.note(failed: delivery)
    #expect(undelivered.take().sums == [1, 2, 3])
    #expect(undelivered.isEmpty)
  }

  @Test("Readings are dropped: the next one says more")
  func readings() {
    var undelivered = UndeliveredFacts<CounterStore.Action>()
    undelivered.note(failed: [.read(1)])
    #expect(undelivered.isEmpty)
  }
}

extension [CounterStore.Action] {
  fileprivate var sums: [Int] { compactMap { if case .add(let number) = $0 { number } else { nil } } }
}
