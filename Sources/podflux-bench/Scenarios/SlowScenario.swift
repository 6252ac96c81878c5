import Foundation
import TestSupport

/// Many slow transfers.
struct SlowScenario: Scenario {
  let name = "slow"
  let abstract = "256 transfers at 20 KiB/s each, watched for 10 s"

  private static let transferCount = 256
  private static let hostCount = 4
  private static let bytesPerSecond = 20 << 10
  private static let length = 100 << 20
  private static let warmUpMilliseconds = 2000
  private static let watchedMilliseconds = 10_000

  func measure(_ bench: Bench) throws -> [Figure] {
    let origin = try OriginProcess()
    var (share, resident, rate): ([Double], [Double], [Double]) = ([], [], [])
    for _ in 0..<bench.runs {
      try bench.folder.withFolder { folder in
        let (process, _) = try PodfluxProcess.started(library: folder + "/library")
        defer { process.signal(SIGKILL) }
        try process.beginTransfers(Self.transferCount, perHost: Self.transferCount / Self.hostCount) { number in
          // libcurl resolves every name in localhost to this machine (RFC 6761 section 6.3).
          origin.url(
            "/slow/\(Self.bytesPerSecond)/\(Self.length)/1/\(number).mp3",
            host: "host\(number % Self.hostCount).localhost")
        }
        usleep(UInt32(Self.warmUpMilliseconds * 1000))
        let (before, stopwatch) = (try ProcessReading(process), Stopwatch())
        usleep(UInt32(Self.watchedMilliseconds * 1000))
        let (after, seconds) = (try ProcessReading(process), stopwatch.seconds)
        share.append((after.cpuSeconds - before.cpuSeconds) / seconds * 100)
        resident.append(after.residentBytes.mebibytes)
        rate.append(try Self.bytesPerSecond(process) / Double(Self.bytesPerSecond * Self.transferCount) * 100)
        try process.terminate()
      }
    }
    return [
      Figure("resident", .mebibytes, resident, target: .atMost(100)),
      Figure("CPU, of one core", .percent, share, target: .atMost(10)),
      Figure("rate, of what is offered", .percent, rate),
    ]
  }

  private static func bytesPerSecond(_ process: PodfluxProcess) throws -> Double {
    let payload = try process.order("snapshot", ["stores": ["downloads"], "downloads": ["limit": 1]])
    guard let downloads = payload["downloads"] as? [String: Any], let rate = downloads["bytesPerSecond"] as? Double
    else {
      throw MeasurementFailure("a snapshot without a rate: \(payload)")
    }
    return rate
  }
}
