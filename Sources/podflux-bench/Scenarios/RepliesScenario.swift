import Foundation
import TestSupport

/// A client that waits for each reply, over many turns: shows costs that grow with each turn.
struct RepliesScenario: Scenario {
  let name = "replies"
  let abstract = "200,000 lines, each sent when the one before is answered: the last 20,000 against the first"

  private static let lineCount = 200_000
  private static let sampleCount = 20_000

  func measure(_ bench: Bench) throws -> [Figure] {
    var (first, last, growth): ([Double], [Double], [Double]) = ([], [], [])
    for _ in 0..<bench.runs {
      try bench.folder.withFolder { folder in
        let (process, _) = try PodfluxProcess.started(library: folder + "/library")
        defer { process.signal(SIGKILL) }
        first.append(try Self.linesPerSecond(Self.sampleCount, process))
        let before = try ProcessReading(process).residentBytes
        _ = try Self.linesPerSecond(Self.lineCount - 2 * Self.sampleCount, process)
        last.append(try Self.linesPerSecond(Self.sampleCount, process))
        growth.append((try ProcessReading(process).residentBytes - before).mebibytes)
        _ = try process.drain(upTo: 10)
      }
    }
    return [
      Figure("first lines", .linesPerSecond, first),
      Figure("last lines", .linesPerSecond, last),
      Figure("time of a line, last : first", .times, zip(first, last).map { $0 / $1 }, target: .atMost(1.2)),
      Figure("resident, more than after the first", .mebibytes, growth, target: .atMost(4)),
    ]
  }

  private static func linesPerSecond(_ count: Int, _ process: PodfluxProcess) throws -> Double {
    let stopwatch = Stopwatch()
    for _ in 0..<count {
      let expected = process.lines.count + 1
      try process.send(line: #"{"type":"snapshot","payload":{"stores":["settings"]}}"#)
      try process.waitForLines(expected)
    }
    return Double(count) / stopwatch.seconds
  }
}
