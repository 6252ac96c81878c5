import Flux
import Testing

@Suite("The dispatcher")
struct DispatcherTests {
  private let ledger = MemoryLedger()
  private let clock = ClockReading(wall: Timestamp(milliseconds: 1_000), monotonicMilliseconds: 5)

  private func makeDispatcher(seed: UInt64 = 7, at position: LogPosition = .origin) -> Dispatcher<CounterStore> {
    Dispatcher(state: CounterStore(), position: position, ledger: ledger, seed: seed)
  }

  @Test("Actions are handled in order, and each has its own reply")
  func order() throws {
    var dispatcher = makeDispatcher()
    let turnout = try dispatcher.dispatch([.add(1), .add(2), .add(3)], at: clock)
    #expect(turnout.outcomes.map(\.reply) == [.sum(1), .sum(3), .sum(6)])
    #expect(ledger.committed == [1, 2, 3])
  }

  @Test("A batch is one revision and as many sequence numbers as it has actions")
  func position() throws {
    var dispatcher = makeDispatcher(at: LogPosition(revision: 10, sequence: 40))
    let turnout = try dispatcher.dispatch([.add(1), .add(2)], at: clock)
    #expect(turnout.position == LogPosition(revision: 11, sequence: 42))
    #expect(dispatcher.position == turnout.position)
    #expect(ledger.positions == [turnout.position])
  }

  @Test("Effects come in the order of their actions, and those of the batch's end come last")
  func effects() throws {
    var dispatcher = makeDispatcher()
    let turnout = try dispatcher.dispatch([.add(1), .add(2)], at: clock)
    #expect(turnout.effects == [.added(1, sequence: 1), .added(2, sequence: 2), .settled(sequence: 2)])
  }

  @Test("A refused action uses no sequence number: the next one gets it")
  func refusal() throws {
    var dispatcher = makeDispatcher()
    let turnout = try dispatcher.dispatch([.add(1), .refuse, .add(2)], at: clock)
    #expect(turnout.outcomes.map(\.isRefused) == [false, true, false])
    #expect(turnout.position.sequence == 2)
    #expect(turnout.effects.dropLast() == [.added(1, sequence: 1), .added(2, sequence: 2)])
  }

  @Test("A batch of refusals commits nothing, settles nothing and is no revision")
  func onlyRefusals() throws {
    var dispatcher = makeDispatcher()
    let turnout = try dispatcher.dispatch([.refuse, .refuse], at: clock)
    #expect(turnout.position == .origin)
    #expect(turnout.effects.isEmpty)
    #expect(ledger.positions.isEmpty)
  }

  @Test("A reading changes memory and advances nothing")
  func reading() throws {
    var dispatcher = makeDispatcher()
    let turnout = try dispatcher.dispatch([.read(9)], at: clock)
    #expect(dispatcher.state.reading == 9)
    #expect(turnout.position == .origin)
    #expect(turnout.effects.isEmpty)
    #expect(ledger.positions.isEmpty)
  }

  @Test("A reading among actions uses no number")
  func readingAmongActions() throws {
    var dispatcher = makeDispatcher()
    let turnout = try dispatcher.dispatch([.add(1), .read(9), .add(2), .read(10)], at: clock)
    #expect(turnout.position == LogPosition(revision: 1, sequence: 2))
    #expect(turnout.effects == [.added(1, sequence: 1), .added(2, sequence: 2), .settled(sequence: 2)])
  }

  @Test("An empty batch does nothing")
  func emptyBatch() throws {
    var dispatcher = makeDispatcher()
    let turnout = try dispatcher.dispatch([], at: clock)
    #expect(turnout.position == .origin)
    #expect(turnout.outcomes.isEmpty && turnout.effects.isEmpty)
  }

  @Test(
    "When the commit fails, memory and position return to what they were, and the next batch continues from there",
    arguments: [MemoryLedger.Failure.commit, .record])
  func failedCommit(failure: MemoryLedger.Failure) throws {
    var dispatcher = makeDispatcher()
    _ = try dispatcher.dispatch([.add(5)], at: clock)
    ledger.nextFailure = failure
    #expect(throws: failure) { try dispatcher.dispatch([.add(1), .read(3)], at: clock) }
    #expect(dispatcher.state.sum == 5)
    #expect(dispatcher.state.reading == 0)
    #expect(dispatcher.position == LogPosition(revision: 1, sequence: 1))

    let turnout = try dispatcher.dispatch([.add(1)], at: clock)
    #expect(turnout.effects == [.added(1, sequence: 2), .settled(sequence: 2)])
    #expect(ledger.committed == [5, 1])
  }

  @Test("When a store's tables fail in the middle of a batch, the whole batch is undone")
  func failedBody() throws {
    var dispatcher = makeDispatcher()
    #expect(throws: MemoryLedger.Failure.body) { try dispatcher.dispatch([.add(1), .breakTables], at: clock) }
    #expect(dispatcher.state.sum == 0)
    #expect(dispatcher.position == .origin)
    #expect(ledger.committed.isEmpty)
  }

  @Test("Random draws depend on seed and sequence only, not on batches")
  func draws() throws {
    var together = makeDispatcher()
    var apart = makeDispatcher()
    let inOne = try together.dispatch([.add(1), .draw, .draw], at: clock).outcomes.map(\.reply)
    var oneByOne: [CounterStore.Reply?] = []
    for action in [CounterStore.Action.add(1), .draw, .draw] {
      oneByOne += try apart.dispatch([action], at: clock).outcomes.map(\.reply)
    }
    #expect(inOne == oneByOne)
    #expect(inOne[1] != inOne[2])
  }

  @Test("Neither a refusal after a draw nor a reading changes later draws")
  func drawsAfterRefusal() throws {
    var plain = makeDispatcher()
    var disturbed = makeDispatcher()
    let expected = try plain.dispatch([.draw], at: clock).outcomes.last?.reply
    let drawn = try disturbed.dispatch([.drawThenRefuse, .read(1), .draw], at: clock).outcomes.last?.reply
    #expect(drawn == expected)
  }

  @Test("Another seed gives other draws")
  func otherSeed() throws {
    var one = makeDispatcher(seed: 1)
    var other = makeDispatcher(seed: 2)
    let first = try one.dispatch([.draw], at: clock).outcomes.map(\.reply)
    let second = try other.dispatch([.draw], at: clock).outcomes.map(\.reply)
    #expect(first != second)
  }

  @Test("A failed batch that is repeated gets the same draws")
  func drawsAgain() throws {
    var plain = makeDispatcher()
    let expected = try plain.dispatch([.draw], at: clock).outcomes.map(\.reply)
    var dispatcher = makeDispatcher()
    ledger.nextFailure = .commit
    #expect(throws: MemoryLedger.Failure.commit) { try dispatcher.dispatch([.draw], at: clock) }
    #expect(try dispatcher.dispatch([.draw], at: clock).outcomes.map(\.reply) == expected)
  }
}

extension Dispatcher<CounterStore>.Outcome {
  fileprivate var reply: CounterStore.Reply? {
    if case .handled(let reply) = self { reply } else { nil }
  }

  fileprivate var isRefused: Bool {
    if case .refused = self { true } else { false }
  }
}
