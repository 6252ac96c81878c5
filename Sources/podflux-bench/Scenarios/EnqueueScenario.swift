import Foundation
import TestSupport

/// Enqueues 100,000 downloads, and measures the cost of a library of that size.
///
/// One slot, and an origin that never answers: no other work happens meanwhile.
struct EnqueueScenario: Scenario {
  let name = "enqueue"
  let abstract = "100,000 enqueue lines through stdin, then the queue of that length"

  private static let lineCount = 100_000
  private static let roundTripCount = 2000

  /// The kind of the lines.
  private struct Kind {
    let name: String
    let hostCount: Int
    let hasIDs: Bool
    /// Whether ids, titles and podcasts come in random order: then no index is written in the order of its keys.
    var isRandom = false
  }

  private static let kinds = [
    Kind(name: "1 host", hostCount: 1, hasIDs: true),
    Kind(name: "1,000 hosts", hostCount: 1000, hasIDs: true),
    Kind(name: "1 host, no ids", hostCount: 1, hasIDs: false),
    Kind(name: "random", hostCount: 200, hasIDs: true, isRandom: true),
  ]

  func measure(_ bench: Bench) throws -> [Figure] {
    let origin = try OriginProcess()
    return try Self.kinds.flatMap { kind in
      let lines = Self.lines(kind, origin)
      let results = try (0..<bench.runs).map { _ in
        try bench.folder.withFolder { try Self.measure(lines, library: $0 + "/library", origin) }
      }
      return Result.figures(results, of: kind.name)
    }
  }

  /// The measurements of one run. Times are in milliseconds.
  private struct Result {
    var linesPerSecond = 0.0
    var cpuSeconds = 0.0
    var residentBytes: Int64 = 0
    var enqueues: [Double] = []
    /// What the device takes for as many pages as an enqueue writes.
    var syncs: [Double] = []
    var pages: [Double] = []
    var startAfterStop = 0.0
    var startAfterKill = 0.0
    var residentAfterStart: Int64 = 0

    static func figures(_ results: [Result], of name: String) -> [Figure] {
      [
        Figure("\(name): enqueued", .linesPerSecond, results.map(\.linesPerSecond), target: .atLeast(25_000)),
        Figure("\(name): CPU for them", .seconds, results.map(\.cpuSeconds)),
        Figure("\(name): resident after", .mebibytes, results.map(\.residentBytes.mebibytes), target: .atMost(80)),
        Figure(
          "\(name): further enqueue p50", .milliseconds, results.map { $0.enqueues.percentile(50) }, target: .atMost(5)),
        Figure(
          "\(name): further enqueue p99", .milliseconds, results.map { $0.enqueues.percentile(99) }, target: .atMost(5)),
        Figure("\(name): the device alone p50", .milliseconds, results.map { $0.syncs.percentile(50) }),
        Figure("\(name): the device alone p99", .milliseconds, results.map { $0.syncs.percentile(99) }),
        Figure(
          "\(name): p99, further enqueue : the device alone", .times,
          results.map { $0.enqueues.percentile(99) / $0.syncs.percentile(99) }, target: .atMost(1.3)),
        Figure(
          "\(name): snapshot page p50", .milliseconds, results.map { $0.pages.percentile(50) }, target: .atMost(10)),
        Figure(
          "\(name): snapshot page p99", .milliseconds, results.map { $0.pages.percentile(99) }, target: .atMost(10)),
        Figure("\(name): ready after a stop", .milliseconds, results.map(\.startAfterStop), target: .atMost(200)),
        Figure("\(name): ready after a kill", .milliseconds, results.map(\.startAfterKill), target: .atMost(200)),
        Figure("\(name): resident when ready", .mebibytes, results.map(\.residentAfterStart.mebibytes)),
      ]
    }
  }

  private static func measure(_ lines: [UInt8], library: String, _ origin: OriginProcess) throws -> Result {
    var result = Result()
    let (first, _) = try PodfluxProcess.started(library: library)
    defer { first.signal(SIGKILL) }
    try first.order(
      "settings/update", ["maxConcurrent": 1, "firstByteTimeoutSeconds": 3600, "stallTimeoutSeconds": 3600])
    try enqueue(lines, first, &result)
    result.enqueues = try (0..<roundTripCount).map { number in
      let payload = #"{"url":"\#(origin.url("/stall/further/\(number)"))","title":"Further \#(number)"}"#
      return try first.roundTripMilliseconds("downloads/enqueue", payload: payload, number: 1_000_000 + number)
    }
    result.syncs = try DeviceSyncs.milliseconds(of: roundTripCount, beside: library)
    result.pages = try (0..<roundTripCount).map { number in
      try first.roundTripMilliseconds("snapshot", payload: #"{"stores":["downloads"]}"#, number: 2_000_000 + number)
    }
    try first.terminate()

    let (second, afterStop) = try PodfluxProcess.started(library: library)
    defer { second.signal(SIGKILL) }
    result.startAfterStop = afterStop * 1000
    result.residentAfterStart = try ProcessReading(second).residentBytes
    // Work for the recovery: a kill right after a change.
    try second.order("downloads/enqueue", ["url": origin.url("/stall/last")])
    try second.kill()
    let (third, afterKill) = try PodfluxProcess.started(library: library)
    defer { third.signal(SIGKILL) }
    result.startAfterKill = afterKill * 1000
    try third.kill()
    return result
  }

  private static func enqueue(_ lines: [UInt8], _ process: PodfluxProcess, _ result: inout Result) throws {
    let linesBefore = process.lines.count
    let before = try ProcessReading(process)
    let stopwatch = Stopwatch()
    try process.send(bytes: lines)
    try process.waitForLines(linesBefore + lineCount)
    result.linesPerSecond = Double(lineCount) / stopwatch.seconds
    let after = try ProcessReading(process)
    result.cpuSeconds = after.cpuSeconds - before.cpuSeconds
    result.residentBytes = after.residentBytes
    try process.checkCreated(lineCount, behind: linesBefore)
  }

  private static func lines(_ kind: Kind, _ origin: OriginProcess) -> [UInt8] {
    if kind.isRandom { return RandomEnqueues.lines(0..<lineCount) { origin.url("/stall/\($0)", host: $1) } }
    var bytes: [UInt8] = []
    for number in 0..<lineCount {
      // libcurl resolves every name in localhost to this machine (RFC 6761 section 6.3).
      let host = kind.hostCount == 1 ? "127.0.0.1" : "host\(number % kind.hostCount).localhost"
      let url = origin.url("/stall/show-\(number % 100)/episode-\(number).mp3", host: host)
      let id = kind.hasIDs ? #""id":"episode-\#(number)","# : ""
      let line = """
        {"type":"downloads/enqueue","payload":{\(id)"podcast":"Show \(number % 100)","title":"Episode \(number)",\
        "url":"\(url)"},"meta":{"id":\(number)}}

        """
      bytes += line.utf8
    }
    return bytes
  }
}
