import Foundation
import TestSupport

/// A million downloads whose ids, titles, podcasts and addresses come in random order.
struct MillionScenario: Scenario {
  let name = "million"
  let abstract = "1,000,000 enqueue lines with random ids, titles and podcasts; then a start and a page"

  private static let tenth = 100_000
  private static let pageCount = 100

  /// The measurements of one run.
  private struct Result {
    /// Seconds for each tenth.
    var tenths: [Double] = []
    var cpuSeconds = 0.0
    var peakResidentBytes: Int64 = 0
    var ready = 0.0
    var pages: [Double] = []
  }

  func measure(_ bench: Bench) throws -> [Figure] {
    let results = try (0..<bench.runs).map { _ in
      try bench.folder.withFolder { try Self.measure(library: $0 + "/library") }
    }
    let rates = results.map { 10 * Double(Self.tenth) / $0.tenths.reduce(0, +) }
    return [
      Figure("enqueued", .linesPerSecond, rates, target: .atLeast(40_000)),
      Figure("the first tenth", .linesPerSecond, results.map { Double(Self.tenth) / $0.tenths[0] }),
      Figure("the last tenth", .linesPerSecond, results.map { Double(Self.tenth) / $0.tenths[9] }),
      Figure(
        "rate, the last tenth : the first", .times, results.map { $0.tenths[0] / $0.tenths[9] }, target: .atLeast(0.9)),
      Figure("CPU for them", .seconds, results.map(\.cpuSeconds)),
      Figure("peak memory", .mebibytes, results.map(\.peakResidentBytes.mebibytes), target: .atMost(64)),
      Figure("ready after a stop", .milliseconds, results.map(\.ready), target: .atMost(40)),
      Figure("snapshot page p50", .milliseconds, results.map { $0.pages.percentile(50) }, target: .atMost(5)),
      Figure("the first page", .milliseconds, results.map { $0.pages[0] }, target: .atMost(5)),
    ]
  }

  private static func measure(library: String) throws -> Result {
    var result = Result()
    let (first, _) = try PodfluxProcess.started(library: library)
    defer { first.signal(SIGKILL) }
    let before = try ProcessReading(first)
    for number in 0..<10 {
      let lines = RandomEnqueues.lines(number * tenth..<(number + 1) * tenth) { "http://\($1):9/\($0)" }
      let linesBefore = first.lines.count
      let stopwatch = Stopwatch()
      try first.send(bytes: lines)
      try first.waitForLines(linesBefore + tenth, upTo: 600)
      result.tenths.append(stopwatch.seconds)
    }
    let after = try ProcessReading(first)
    (result.cpuSeconds, result.peakResidentBytes) = (after.cpuSeconds - before.cpuSeconds, after.peakResidentBytes)
    try first.checkCreated(10 * tenth)
    try first.terminate()

    let (second, seconds) = try PodfluxProcess.started(library: library)
    defer { second.signal(SIGKILL) }
    result.ready = seconds * 1000
    result.pages = try (0..<pageCount).map { number in
      try second.roundTripMilliseconds("snapshot", payload: #"{"stores":["downloads"]}"#, number: 2_000_000 + number)
    }
    try second.kill()
    return result
  }
}
