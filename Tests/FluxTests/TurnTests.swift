import Testing

@testable import Flux

@Suite("A turn is lent to one store after the other")
struct TurnTests {
  private struct Interruption: Error {}

  private func turn() -> Turn<[Int], String, String> {
    let clock = ClockReading(wall: Timestamp(milliseconds: 1), monotonicMilliseconds: 1)
    return Turn(sequence: 7, clock: clock, random: SeededGenerator(seed: 1), tables: [1, 2])
  }

  @Test("What a store asks for, tells and draws while the turn is lent to it is the turn's")
  func lending() {
    var turn = turn()
    var unlent = turn
    turn.perform("before")
    let drawn = turn.lend(with: "narrow") { lent in
      #expect(lent.tables == "narrow" && lent.sequence == 7 && lent.effects == ["before"])
      lent.perform("within")
      lent.tell("told")
      return lent.random.next()
    }
    #expect(turn.effects == ["before", "within"] && turn.takeEvents() == ["told"])
    #expect(drawn == unlent.random.next() && turn.random.next() == unlent.random.next())
  }

  @Test("A store that throws leaves the turn with what it had asked for")
  func throwing() {
    var turn = turn()
    turn.perform("before")
    #expect(throws: Interruption.self) {
      try turn.lend(with: 0) { lent in
        lent.perform("within")
        throw Interruption()
      }
    }
    #expect(turn.effects == ["before", "within"])
  }
}
