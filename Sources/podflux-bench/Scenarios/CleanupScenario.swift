import Foundation
import TestSupport

/// The survey of a large library: its time, and its effect on other work.
struct CleanupScenario: Scenario {
  let name = "cleanup"
  let abstract = "a plan over 100,000 files and rows, alone and beside commands and transfers"

  private static let fileCount = 100_000
  private static let filesInFolder = 500
  private static let roundTripCount = 400
  private static let transferCount = 8
  private static let transferBytesPerSecond = 8 << 20
  private static let transferLength = 24 << 20

  func measure(_ bench: Bench) throws -> [Figure] {
    let origin = try OriginProcess()
    var results: [Result] = []
    try bench.folder.withFolder { folder in
      let library = folder + "/library"
      try Self.makeFiles(in: library)
      try Self.adopt(library)
      for _ in 0..<bench.runs { results.append(try Self.measure(library, origin, number: results.count)) }
    }
    return [
      Figure("plan", .seconds, results.map(\.plan), target: .atMost(2)),
      Figure("resident more", .mebibytes, results.map(\.residentMore.mebibytes), target: .atMost(100)),
      Figure("enqueue p50, alone", .milliseconds, results.map { $0.alone.percentile(50) }),
      Figure("enqueue p50, beside plans", .milliseconds, results.map { $0.beside.percentile(50) }),
      Figure(
        "enqueue p50, slowed", .times, results.map { $0.beside.percentile(50) / $0.alone.percentile(50) },
        target: .atMost(1.1)),
      Figure("enqueue p99, alone", .milliseconds, results.map { $0.alone.percentile(99) }),
      Figure("enqueue p99, beside plans", .milliseconds, results.map { $0.beside.percentile(99) }),
      Figure("8 transfers at 8 MiB/s, alone", .seconds, results.map(\.transfersAlone)),
      Figure(
        "8 transfers, slowed", .times, results.map { $0.transfersBeside / $0.transfersAlone }, target: .atMost(1.1)),
    ]
  }

  /// The measurements of one run.
  private struct Result {
    var plan = 0.0
    var residentMore: Int64 = 0
    var alone: [Double] = []
    var beside: [Double] = []
    var transfersAlone = 0.0
    var transfersBeside = 0.0
  }

  private static func measure(_ library: String, _ origin: OriginProcess, number: Int) throws -> Result {
    var result = Result()
    let (process, _) = try PodfluxProcess.started(library: library)
    defer { process.signal(SIGKILL) }
    try process.order("settings/update", ["maxConcurrent": transferCount, "maxPerHost": transferCount])
    try process.waitForCleanup()
    let before = try ProcessReading(process).residentBytes
    let stopwatch = Stopwatch()
    try process.order("cleanup/run", ["mode": "plan"])
    try process.waitForCleanup()
    result.plan = stopwatch.seconds
    result.residentMore = try ProcessReading(process).residentBytes - before

    var next = (number + 1) * 1_000_000
    func roundTrip() throws -> Double {
      next += 1
      let payload = #"{"paused":true,"url":"\#(origin.url("/stall/\(next)"))"}"#
      return try process.roundTripMilliseconds("downloads/enqueue", payload: payload, number: next)
    }
    result.alone = try (0..<roundTripCount).map { _ in try roundTrip() }
    result.beside = try (0..<roundTripCount).map { index in
      if index % 50 == 0 { try process.keepLooking() }
      return try roundTrip()
    }
    try process.waitForCleanup()
    result.transfersAlone = try transfer(process, origin, "alone-\(number)", isLooking: false)
    result.transfersBeside = try transfer(process, origin, "beside-\(number)", isLooking: true)
    try process.terminate()
    return result
  }

  private static func transfer(
    _ process: PodfluxProcess, _ origin: OriginProcess, _ name: String, isLooking: Bool
  ) throws -> Double {
    let ids = (0..<transferCount).map { "\(name)-\($0)" }
    let stopwatch = Stopwatch()
    for id in ids {
      let url = origin.url("/slow/\(transferBytesPerSecond)/\(transferLength)/1/\(id).mp3")
      try process.order("downloads/enqueue", ["id": id, "url": url, "path": "transfers/\(id).mp3", "priority": "high"])
    }
    while try process.runningCount() > 0 {
      if isLooking { try process.keepLooking() }
    }
    let seconds = stopwatch.seconds
    try process.waitForCleanup()
    return seconds
  }

  private static func makeFiles(in library: String) throws {
    let content = [UInt8](repeating: 0x2A, count: 1000)
    for number in 0..<fileCount {
      let folder = "\(library)/Show \(number / filesInFolder)"
      if number % filesInFolder == 0 {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      }
      let file = open("\(folder)/Episode \(number).mp3", O_WRONLY | O_CREAT | O_EXCL, 0o644)
      guard file >= 0, write(file, content, content.count) == content.count else {
        throw MeasurementFailure("no file can be made in \(folder)")
      }
      close(file)
    }
  }

  /// Makes the rows own the files, with actions that clients have.
  private static func adopt(_ library: String) throws {
    let (process, _) = try PodfluxProcess.started(library: library)
    defer { process.signal(SIGKILL) }
    try process.order("cleanup/cancel")
    try process.order("settings/update", ["cleanupOnStart": false])
    try process.order("cleanup/run", ["orphans": "adopt"])
    try process.waitForCleanup(upTo: 600)
    let payload = try process.order("snapshot", ["stores": ["downloads"], "downloads": ["limit": 1]])
    let counts = (payload["downloads"] as? [String: Any])?["counts"] as? [String: Int]
    guard counts?["completed"] == fileCount else { throw MeasurementFailure("not all were adopted: \(counts ?? [:])") }
    try process.terminate()
  }
}

extension PodfluxProcess {
  private func cleanup() throws -> (isActive: Bool, [String: Any]) {
    let payload = try order("snapshot", ["stores": ["cleanup"], "cleanup": ["limit": 1]])
    let cleanup = payload["cleanup"] as? [String: Any]
    let run = cleanup?["run"] as? [String: Any] ?? [:]
    let state = run["state"] as? String ?? "done"
    return (["looking", "acting", "waiting"].contains(state) || cleanup?["waiting"] is [String: Any], run)
  }

  fileprivate func waitForCleanup(upTo seconds: Double = 60) throws {
    let stopwatch = Stopwatch()
    while true {
      let (isActive, run) = try cleanup()
      guard isActive else { return }
      guard stopwatch.seconds < seconds else { throw MeasurementFailure("the cleanup does not end: \(run)") }
      usleep(1000)
    }
  }

  /// Starts the next plan, unless one is running.
  fileprivate func keepLooking() throws {
    if try !cleanup().isActive { try order("cleanup/run", ["mode": "plan"]) }
  }

  /// How many downloads run; asked at most every 10 ms.
  fileprivate func runningCount() throws -> Int {
    usleep(10_000)
    let payload = try order("snapshot", ["stores": ["downloads"], "downloads": ["limit": 1]])
    let counts = (payload["downloads"] as? [String: Any])?["counts"] as? [String: Int]
    return (counts?["running"] ?? 0) + (counts?["queued"] ?? 0)
  }
}
