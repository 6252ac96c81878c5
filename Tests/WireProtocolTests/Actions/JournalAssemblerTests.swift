import Flux
import PodfluxCore
import Testing
import WireProtocol

@Suite("The turns of a journal")
struct JournalAssemblerTests {
  private static let engine = JournalLine.Engine(seed: 1, version: "1", library: "l")

  @Test("are the actions of one revision, each handed out when the next begins")
  func turns() {
    #expect(
      events([opened(0, 0), action(1, 1), action(2, 2), action(2, 3), action(3, 4)])
        == [start(0, 0), turn(1, 1...1), turn(2, 2...3), turn(3, 4...4)])
  }

  @Test("that were not committed are not handed out: their numbers come again, or an engine begins before them")
  func superseded() {
    let again = [opened(0, 0), action(1, 1), action(1, 2), action(1, 1), action(2, 2)]
    #expect(events(again) == [start(0, 0), turn(1, 1...1), turn(2, 2...2)])
    let killed = [opened(0, 0), action(1, 1), action(2, 2), opened(1, 1), action(2, 2, at: 9)]
    #expect(events(killed) == [start(0, 0), turn(1, 1...1), start(1, 1), turn(2, 2...2, at: 9)])
    let committed = [opened(0, 0), action(1, 1), action(2, 2), opened(2, 2)]
    #expect(events(committed) == [start(0, 0), turn(1, 1...1), turn(2, 2...2), start(2, 2)])
  }

  @Test("end with an engine that ended as it should, and with what it had committed")
  func end() {
    let end = JournalLine.end(stamp(1, 1))
    #expect(events([opened(0, 0), action(1, 1), action(2, 2), end]) == [start(0, 0), turn(1, 1...1)])
    #expect(events([opened(0, 0), action(1, 1), end, opened(1, 1)]) == [start(0, 0), turn(1, 1...1), start(1, 1)])
  }

  @Test("of which some are missing make a gap, and what follows is passed over up to the next start")
  func gaps() {
    #expect(
      events([opened(0, 0), action(1, 1), action(3, 3), action(4, 4), opened(4, 4), action(5, 5)])
        == [start(0, 0), turn(1, 1...1), gap(1, 1, 3, 3), start(4, 4), turn(5, 5...5)])
    #expect(events([opened(0, 0), action(1, 1), action(1, 3)]) == [start(0, 0), turn(1, 1...1), gap(1, 1, 1, 3)])
    #expect(events([opened(0, 0), action(2, 2)]) == [start(0, 0), gap(0, 0, 2, 2)])
    #expect(events([action(1, 1), opened(1, 1)]) == [start(1, 1)])
  }

  @Test("do not mind remarks, nor that a file was full")
  func remarks() {
    let continued = JournalLine.journal(.continued, of: Self.engine, stamp(1, 1))
    #expect(
      events([continued, opened(0, 0), .remark, action(1, 1), continued, .remark, action(1, 2)])
        == [start(0, 0), turn(1, 1...2)])
  }

  @Test("end before half a line, unless that is of a later turn")
  func cutOff() {
    let lines = [opened(0, 0), action(1, 1), action(2, 2)]
    #expect(events(lines, half: #"{"meta":{"revision":3,"seq"#) == [start(0, 0), turn(1, 1...1), turn(2, 2...2)])
    for half in ["", "{", #"{"meta":{"revision":3"#, #"{"meta":{"revision":2,"#, "\0\0\0"] {
      #expect(events(lines, half: half) == [start(0, 0), turn(1, 1...1)], "\(half)")
    }
  }

  // MARK: Helpers

  private func events(_ lines: [JournalLine], half: String? = nil) -> [JournalAssembler.Event] {
    var assembler = JournalAssembler()
    return lines.flatMap { assembler.receive($0) } + assembler.finish(cutOff: half.map { Array($0.utf8) })
  }

  private func stamp(_ revision: Int64, _ sequence: Int64, at time: Int64 = 0) -> LineStamp {
    LineStamp(revision: revision, sequence: sequence, time: Timestamp(milliseconds: time))
  }

  private func opened(_ revision: Int64, _ sequence: Int64) -> JournalLine {
    .journal(.opened, of: Self.engine, stamp(revision, sequence))
  }

  private func action(_ revision: Int64, _ sequence: Int64, at time: Int64 = 0) -> JournalLine {
    .action(.deleted(sequence), stamp(revision, sequence, at: time))
  }

  private func start(_ revision: Int64, _ sequence: Int64) -> JournalAssembler.Event {
    .start(Self.engine, stamp(revision, sequence))
  }

  private func turn(_ revision: Int64, _ numbers: ClosedRange<Int64>, at time: Int64 = 0) -> JournalAssembler.Event {
    .turn(
      JournalTurn(
        position: LogPosition(revision: revision, sequence: numbers.upperBound), time: Timestamp(milliseconds: time),
        actions: numbers.map { .deleted($0) }))
  }

  private func gap(_ a: Int64, _ b: Int64, _ c: Int64, _ d: Int64) -> JournalAssembler.Event {
    .gap(expected: LogPosition(revision: a, sequence: b), found: LogPosition(revision: c, sequence: d))
  }
}
