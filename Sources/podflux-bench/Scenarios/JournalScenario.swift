import Foundation
import TestSupport

/// The cost of a journal: enqueues the same 100,000 downloads with and without one, in turn.
///
/// A round's two runs follow each other directly, every other round in the opposite order: the machine's other load
/// changes more slowly, so that the medians of the rounds' ratios distinguish a small cost from none.
struct JournalScenario: Scenario {
  let name = "journal"
  let abstract = "100,000 enqueue lines with a journal and without, round by round"

  private static let lineCount = 100_000

  /// The cost of one run.
  private struct Usage {
    let wallSeconds: Double
    let cpuSeconds: Double
    let journalBytes: Int
  }

  func measure(_ bench: Bench) throws -> [Figure] {
    let lines = Self.lines()
    var rounds: [(with: Usage, without: Usage)] = []
    for _ in 0..<bench.runs {
      if rounds.count.isMultiple(of: 2) {
        let without = try Self.enqueue(lines, hasJournal: false, bench)
        rounds.append((try Self.enqueue(lines, hasJournal: true, bench), without))
      } else {
        let with = try Self.enqueue(lines, hasJournal: true, bench)
        rounds.append((with, try Self.enqueue(lines, hasJournal: false, bench)))
      }
    }
    let (walls, processors) = (
      rounds.map { $0.with.wallSeconds / $0.without.wallSeconds },
      rounds.map { $0.with.cpuSeconds / $0.without.cpuSeconds }
    )
    return [
      Figure("wall without", .seconds, rounds.map(\.without.wallSeconds)),
      Figure("wall with", .seconds, rounds.map(\.with.wallSeconds)),
      Figure("wall, with : without", .times, walls, target: .atMost(1.01)),
      Figure("the same, lower quartile", .times, [walls.percentile(25)]),
      Figure("the same, upper quartile", .times, [walls.percentile(75)]),
      Figure("CPU without", .seconds, rounds.map(\.without.cpuSeconds)),
      Figure("CPU with", .seconds, rounds.map(\.with.cpuSeconds)),
      Figure("CPU, with : without", .times, processors),
      Figure("the same, lower quartile", .times, [processors.percentile(25)]),
      Figure("the same, upper quartile", .times, [processors.percentile(75)]),
      Figure("journal", .mebibytes, rounds.map { Int64($0.with.journalBytes).mebibytes }),
    ]
  }

  private static func enqueue(_ lines: [UInt8], hasJournal: Bool, _ bench: Bench) throws -> Usage {
    try bench.folder.withFolder { folder in
      let journal = folder + "/journal"
      let process = try PodfluxProcess(
        library: folder + "/library", arguments: hasJournal ? ["--journal", journal] : [])
      defer { process.signal(SIGKILL) }
      try process.waitUntilReady()
      let linesBefore = process.lines.count
      let before = try ProcessReading(process)
      let stopwatch = Stopwatch()
      try process.send(bytes: lines)
      try process.waitForLines(linesBefore + lineCount)
      let seconds = stopwatch.seconds
      let after = try ProcessReading(process)
      let written = hasJournal ? try FileManager.default.attributesOfItem(atPath: journal)[.size] as? Int : 0
      guard let written, written > 0 || !hasJournal else { throw MeasurementFailure("the journal is empty") }
      try process.terminate()
      return Usage(
        wallSeconds: seconds, cpuSeconds: after.cpuSeconds - before.cpuSeconds, journalBytes: written)
    }
  }

  private static func lines() -> [UInt8] {
    var bytes: [UInt8] = []
    for number in 0..<lineCount {
      // Paused: no other work happens meanwhile.
      let line = """
        {"type":"downloads/enqueue","payload":{"id":"episode-\(number)","paused":true,"podcast":"Show \(number % 100)",\
        "title":"Episode \(number)","url":"http://127.0.0.1:1/show-\(number % 100)/episode-\(number).mp3"},\
        "meta":{"id":\(number)}}

        """
      bytes += line.utf8
    }
    return bytes
  }
}
