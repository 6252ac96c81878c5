import TestSupport
import Testing

@testable import podflux

@Suite("The queue of lines before a program")
struct LineSpoolTests {
  @Test(
    "Lines come out in their order, in memory and from the file, however they go in and out", arguments: UInt64(1)...8)
  func order(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var spool = LineSpool()
    var expected: [[UInt8]] = []
    var number = 0
    for _ in 0..<6_000 {
      // It fills up at first, and runs empty again and again.
      if random.next() % 100 < (number < 2_000 ? 80 : 45) {
        number += 1
        let padding = String(repeating: "x", count: Int(random.next() % (number % 50 == 0 ? 100_000 : 40)))
        let line = Array("\(number) \(padding)\n".utf8)
        try spool.append(line)
        expected.append(line)
      } else {
        let line = try spool.next()
        #expect(line == expected.first)
        if !expected.isEmpty { expected.removeFirst() }
      }
      guard spool.count == expected.count else {
        Issue.record("seed \(seed): \(spool.count) lines instead of \(expected.count)")
        return
      }
    }
    while let line = try spool.next() { #expect(line == expected.removeFirst()) }
    #expect(expected.isEmpty)
  }

  @Test("What is forgotten is counted, and it is empty then")
  func forgetting() throws {
    var spool = LineSpool()
    for number in 0..<LineSpool.memoryLines + 10 { try spool.append(Array("\(number)\n".utf8)) }
    #expect(spool.removeAll() == LineSpool.memoryLines + 10)
    #expect(try spool.next() == nil && spool.count == 0)
    try spool.append(Array("again\n".utf8))
    #expect(try spool.next() == Array("again\n".utf8))
  }
}
