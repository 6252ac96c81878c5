import Foundation
import TestSupport

/// The time that an engine needs to stop.
struct ShutdownScenario: Scenario {
  let name = "shutdown"
  let abstract = "64 running transfers at 1 MiB/s each: every kind of end, and suspensions, until they are over"

  private static let transferCount = 64
  private static let bytesPerSecond = 1 << 20
  /// Enough for all stops of one run.
  private static let length = 200 << 20
  /// The bytes that a drain still has to fetch.
  private static let drainedLength = 3 << 20
  private static let suspensionCount = 5
  private static let targetMilliseconds = 2000.0

  func measure(_ bench: Bench) throws -> [Figure] {
    let origin = try OriginProcess()
    var times: [String: [Double]] = [:]
    for _ in 0..<bench.runs {
      try bench.folder.withFolder { folder in
        let library = folder + "/library"
        for end in End.allCases {
          let (process, _) = try PodfluxProcess.started(library: library, arguments: end.arguments)
          defer { process.signal(SIGKILL) }
          // Interrupted transfers resume in the next run; the first run has none.
          if end == End.allCases.first { try Self.beginTransfers(of: Self.length, process, origin) }
          try Self.waitUntilReceiving(process)
          times[end.rawValue, default: []].append(try Self.milliseconds { try end.bring(to: process) })
        }
        let (process, _) = try PodfluxProcess.started(library: library)
        defer { process.signal(SIGKILL) }
        for _ in 0..<Self.suspensionCount {
          try Self.waitUntilReceiving(process)
          times["engine/suspend", default: []].append(try Self.milliseconds { try process.order("engine/suspend") })
          times["engine/resume", default: []].append(try Self.milliseconds { try process.order("engine/resume") })
        }
        try process.terminate()
      }
      let drain = try bench.folder.withFolder { try Self.drain(library: $0 + "/library", origin) }
      times["the last file of a drain", default: []].append(drain)
    }
    return (End.allCases.map(\.rawValue) + ["the last file of a drain", "engine/suspend", "engine/resume"]).flatMap {
      [
        Figure($0, .milliseconds, times[$0, default: []], target: .atMost(Self.targetMilliseconds)),
        Figure(
          "\($0), p99", .milliseconds, [times[$0, default: []].percentile(99)],
          target: .atMost(Self.targetMilliseconds)),
      ]
    }
  }

  /// The ways to stop an engine while transfers run, except a drain.
  private enum End: String, CaseIterable {
    case terminated = "SIGTERM"
    case interrupted = "SIGINT"
    case shutdown = "engine/shutdown"
    case endOfInput = "end of input (--on-eof exit)"
    case closedOutput = "closed stdout"
    case orphaned = "the parent's death (stdin and stdout)"

    var arguments: [String] { self == .endOfInput ? ["--on-eof", "exit"] : [] }

    /// Stops the engine in this way, and waits until the process is gone.
    func bring(to process: PodfluxProcess) throws {
      switch self {
      case .terminated: process.signal(SIGTERM)
      case .interrupted: process.signal(SIGINT)
      case .shutdown: try process.send(line: #"{"type":"engine/shutdown"}"#)
      case .endOfInput: process.closeInput()
      case .closedOutput: process.hangUp()
      case .orphaned:
        process.closeInput()
        process.hangUp()
      }
      let ending = try process.waitForEnd()
      process.closeInput()
      guard ending.status == 0 else { throw MeasurementFailure("after \(rawValue) podflux ended with \(ending)") }
    }
  }

  private static func milliseconds(_ body: () throws -> Void) rethrows -> Double {
    let stopwatch = Stopwatch()
    try body()
    return stopwatch.milliseconds
  }

  /// The time from a draining engine's last published file to its end, in milliseconds.
  private static func drain(library: String, _ origin: OriginProcess) throws -> Double {
    let (process, _) = try PodfluxProcess.started(library: library)
    defer { process.signal(SIGKILL) }
    try beginTransfers(of: drainedLength, process, origin)
    try waitUntilReceiving(process)
    try process.order("engine/shutdown", ["mode": "drain"])
    guard try process.waitForEnd().status == 0 else { throw MeasurementFailure("a drain has failed") }
    let end = Date()
    process.closeInput()
    let files = try FileManager.default.subpathsOfDirectory(atPath: library)
      .filter { $0.hasSuffix(".mp3") && !$0.hasPrefix(".podflux/") }
      .map { try Date(timeOfLastChange: library + "/" + $0) }
    guard files.count == transferCount, let last = files.max() else {
      throw MeasurementFailure("\(files.count) files of \(transferCount) are there after a drain")
    }
    return end.timeIntervalSince(last) * 1000
  }

  private static func beginTransfers(of length: Int, _ process: PodfluxProcess, _ origin: OriginProcess) throws {
    try process.beginTransfers(transferCount) { number in
      origin.url("/slow/\(bytesPerSecond)/\(length)/1/\(number).mp3")
    }
  }

  /// Waits until all transfers receive, each in its first attempt and with all its earlier bytes.
  private static func waitUntilReceiving(_ process: PodfluxProcess) throws {
    let items = try process.waitForDownloads { _, items in
      items.count { $0["phase"] as? String == "receiving" && $0["rate"] as? Int ?? 0 > 0 } == transferCount
    }
    let isWhole = items.allSatisfy { item in
      let bytes = item["bytes"] as? [String: Any]
      return item["attempt"] as? Int == 1 && bytes?["discarded"] as? Int == 0
    }
    guard isWhole else {
      throw MeasurementFailure("an end has cost an attempt or bytes: \(items.prefix(2))")
    }
  }
}

extension Date {
  /// When a file was linked to its path, or changed later (stat(2), `st_ctim`).
  fileprivate init(timeOfLastChange path: String) throws {
    var status = stat()
    guard lstat(path, &status) == 0 else { throw MeasurementFailure("\(path): \(String(cString: strerror(errno)))") }
    self.init(
      timeIntervalSince1970: TimeInterval(status.st_ctim.tv_sec) + TimeInterval(status.st_ctim.tv_nsec) / 1e9)
  }
}
