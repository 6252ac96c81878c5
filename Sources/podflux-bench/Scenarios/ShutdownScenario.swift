import Foundation
import TestSupport

/// How long an engine takes to give up what it does.
struct ShutdownScenario: Scenario {
  let name = "shutdown"
  let abstract = "64 running transfers at 1 MiB/s each: SIGTERM, and a suspension, until they are over"

  private static let transferCount = 64
  private static let bytesPerSecond = 1 << 20
  private static let length = 100 << 20
  /// What each run measures: an end by a signal, and this many suspensions before it.
  private static let suspensionCount = 5
  private static let targetMilliseconds = 2000.0

  func measure(_ bench: Bench) throws -> [Figure] {
    let origin = try OriginProcess()
    var (ends, suspensions, resumptions): ([Double], [Double], [Double]) = ([], [], [])
    for _ in 0..<bench.runs {
      try bench.folder.withFolder { folder in
        let (process, _) = try PodfluxProcess.started(library: folder + "/library")
        defer { process.signal(SIGKILL) }
        try Self.beginTransfers(process, origin)
        for _ in 0..<Self.suspensionCount {
          try Self.waitUntilReceiving(process)
          let suspension = Stopwatch()
          try process.order("engine/suspend")
          suspensions.append(suspension.seconds * 1000)
          let resumption = Stopwatch()
          try process.order("engine/resume")
          resumptions.append(resumption.seconds * 1000)
        }
        try Self.waitUntilReceiving(process)
        let end = Stopwatch()
        try process.terminate()
        ends.append(end.seconds * 1000)
      }
    }
    return [
      Figure("SIGTERM to the end of the process", .milliseconds, ends, target: .atMost(Self.targetMilliseconds)),
      Figure("the same, p99", .milliseconds, [ends.percentile(99)], target: .atMost(Self.targetMilliseconds)),
      Figure("engine/suspend", .milliseconds, suspensions, target: .atMost(Self.targetMilliseconds)),
      Figure("the same, p99", .milliseconds, [suspensions.percentile(99)], target: .atMost(Self.targetMilliseconds)),
      Figure("engine/resume", .milliseconds, resumptions),
    ]
  }

  private static func beginTransfers(_ process: PodfluxProcess, _ origin: OriginProcess) throws {
    try process.order("settings/update", ["maxConcurrent": transferCount, "maxPerHost": transferCount])
    for number in 0..<transferCount {
      let url = origin.url("/slow/\(bytesPerSecond)/\(length)/1/\(number).mp3", host: "127.0.0.1")
      try process.order("downloads/enqueue", ["id": "\(number)", "url": url])
    }
  }

  private static func waitUntilReceiving(_ process: PodfluxProcess) throws {
    try process.waitForDownloads { _, items in
      items.count { $0["phase"] as? String == "receiving" && $0["rate"] as? Int ?? 0 > 0 } == transferCount
    }
  }
}
