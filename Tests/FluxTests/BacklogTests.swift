import Testing

@testable import Flux

@Suite("The backlog of a slow reader")
struct BacklogTests {
  @Test("It has room until the bytes on their way reach its limit, and again when enough of them have arrived")
  func limit() {
    var backlog = Backlog(limit: 10)
    var isTaken = backlog.add(9)
    #expect(isTaken && backlog.hasRoom)
    isTaken = backlog.add(6)
    #expect(isTaken && !backlog.hasRoom)
    var wakes = [backlog.deliver(5)]
    #expect(backlog.bytes == 10 && !backlog.hasRoom)
    wakes.append(backlog.deliver(1))
    #expect(backlog.hasRoom)
    #expect(wakes == [false, false])
  }

  @Test("A waiting producer is woken once, when there is room, even if observers ask meanwhile")
  func awaited() {
    var backlog = Backlog(limit: 10)
    _ = backlog.add(12)
    var answers = [backlog.hasRoomOrIsAwaited(), backlog.hasRoom]
    let wakes = [1, 8, 3].map { backlog.deliver($0) }
    #expect(wakes == [false, true, false])
    answers.append(backlog.hasRoomOrIsAwaited())
    #expect(answers == [false, false, true])
    #expect(!backlog.isAwaited)
  }

  @Test("After it was closed there is always room, nothing is kept, and the waiting producer is woken")
  func closed() {
    var backlog = Backlog(limit: 10)
    _ = backlog.add(12)
    _ = backlog.hasRoomOrIsAwaited()
    var wakes = [backlog.close()]
    #expect(backlog.hasRoom && backlog.bytes == 0)
    let isTaken = backlog.add(100)
    #expect(!isTaken)
    wakes += [backlog.deliver(5), backlog.close()]
    #expect(wakes == [true, false, false])
  }

  /// A client that observed, had more than 4 MiB of unread replies and read slowly made the engine hang for good.
  @Test("In every interleaving of reader, engine, observer, writer and client, every line is answered")
  func allInterleavings() {
    let search = Search(BackpressureModel(lines: 3, asks: 2, sabotage: nil))
    print("\(search.states) states, \(search.ends) ends")
    #expect(search.stuck == nil)
    #expect(search.ends > 0)
    #expect(search.states > 1000)
  }

  @Test("Each sabotage leaves one of them waiting forever", arguments: BackpressureModel.Sabotage.allCases)
  func sabotaged(sabotage: BackpressureModel.Sabotage) {
    #expect(Search(BackpressureModel(lines: 3, asks: 2, sabotage: sabotage)).stuck != nil)
  }

  /// Explores every state reachable from one.
  private struct Search {
    private(set) var states = 0
    /// How many final states there are, in which no side can take a step.
    private(set) var ends = 0
    /// The first final state with unfinished work.
    private(set) var stuck: BackpressureModel?

    init(_ first: BackpressureModel) {
      var seen: Set = [first]
      var open = [first]
      while let state = open.popLast(), stuck == nil {
        let next = state.successors
        if next.isEmpty {
          ends += 1
          if !state.isAtPeace { stuck = state }
        }
        for state in next where seen.insert(state).inserted { open.append(state) }
      }
      states = seen.count
    }
  }
}
