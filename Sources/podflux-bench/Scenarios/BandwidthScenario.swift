import Foundation
import TestSupport

/// Transfers that share a limited bandwidth.
struct BandwidthScenario: Scenario {
  let name = "bandwidth"
  let abstract = "1, 8 and 64 transfers that share a limited rate: bytes received in any 5 s, of what the limit allows"

  private static let rates = [64 << 10, 1 << 20, 10 << 20, 100 << 20]
  private static let transferCounts = [1, 8, 64]
  /// More bytes than the highest rate delivers during the measurement.
  private static let length = 4 << 30
  private static let warmUpSeconds = 1.0
  private static let watchedSeconds = 8.0
  /// A change of the rate to a sixteenth while transfers run.
  private static let changed = (from: 16 << 20, to: 1 << 20, transfers: 8)

  func measure(_ bench: Bench) throws -> [Figure] {
    let origin = try OriginProcess()
    var figures: [Figure] = []
    for rate in Self.rates {
      for count in Self.transferCounts {
        let readings = try (0..<bench.runs).map { _ in
          try Self.withTransfers(count, bytesPerSecond: rate, bench, origin) { process in
            try Watch(process, seconds: Self.watchedSeconds).reading(bytesPerSecond: rate)
          }
        }
        figures += Self.figures("\(Self.text(rate)), \(count)", readings)
      }
    }
    let readings = try (0..<bench.runs).map { _ in
      try Self.withTransfers(Self.changed.transfers, bytesPerSecond: Self.changed.from, bench, origin) { process in
        try process.order("settings/update", ["bytesPerSecond": Self.changed.to])
        return try Watch(process, seconds: Self.watchedSeconds).reading(bytesPerSecond: Self.changed.to)
      }
    }
    let change = "\(Self.text(Self.changed.from)) to \(Self.text(Self.changed.to)), \(Self.changed.transfers)"
    return figures + Self.figures(change, readings)
  }

  private static func figures(_ name: String, _ readings: [Watch.Reading]) -> [Figure] {
    [
      Figure("\(name): least", .percent, readings.map { $0.least * 100 }, target: .atLeast(95)),
      Figure("\(name): most", .percent, readings.map { $0.most * 100 }, target: .atMost(105)),
      Figure("\(name): least share", .percent, readings.map { $0.leastShare * 100 }, target: .atLeast(50)),
      Figure("\(name): CPU, of one core", .percent, readings.map { $0.cpuShare * 100 }),
    ]
  }

  private static func text(_ rate: Int) -> String {
    rate < 1 << 20 ? "\(rate >> 10) KiB/s" : "\(rate >> 20) MiB/s"
  }

  /// Starts transfers, and waits until their rates are stable.
  private static func withTransfers<Value>(
    _ count: Int, bytesPerSecond rate: Int, _ bench: Bench, _ origin: OriginProcess,
    _ body: (PodfluxProcess) throws -> Value
  ) throws -> Value {
    try bench.folder.withFolder { folder in
      let (process, _) = try PodfluxProcess.started(library: folder + "/library")
      defer { process.signal(SIGKILL) }
      // The child reports received bytes as often as it counts them.
      try process.beginTransfers(count, settings: ["bytesPerSecond": rate, "progressInterval": 0.05]) { number in
        origin.url("/file/\(length)/1/\(number).mp3")
      }
      usleep(UInt32(warmUpSeconds * 1e6))
      let value = try body(process)
      try process.terminate()
      return value
    }
  }
}

/// Samples the received bytes of all transfers.
private struct Watch {
  /// Measured rates, relative to the limit.
  struct Reading {
    /// The slowest window of 5 s.
    var least: Double
    var most: Double
    /// The rate of the slowest transfer in its slowest window of 5 s, relative to its fair share.
    var leastShare: Double
    /// The CPU time, relative to one core.
    var cpuShare: Double
  }

  private struct Moment {
    var seconds: Double
    var received: [String: Int]
    var total: Int { received.values.reduce(0, +) }
  }

  private static let windowSeconds = 5.0
  private static let pauseMicroseconds: UInt32 = 20_000
  /// All transfers report at once, every 250 ms; a pause of this length separates two such reports.
  private static let quietSeconds = 0.06

  private var moments: [Moment] = []
  private let cpuShare: Double

  init(_ process: PodfluxProcess, seconds: Double) throws {
    let (stopwatch, before) = (Stopwatch(), try ProcessReading(process))
    // The time of this report is unknown: no window begins with it.
    var latest = Moment(seconds: 0, received: try Self.received(process))
    while stopwatch.seconds < seconds {
      let moment = Moment(seconds: stopwatch.seconds, received: try Self.received(process))
      if latest.total == moment.total {
        // A report of some transfers is followed by the others' at once.
        let isNew = latest.seconds > 0 && moments.last?.seconds != latest.seconds
        if isNew, moment.seconds - latest.seconds >= Self.quietSeconds { moments.append(latest) }
      } else {
        latest = moment
      }
      usleep(Self.pauseMicroseconds)
    }
    cpuShare = (try ProcessReading(process).cpuSeconds - before.cpuSeconds) / stopwatch.seconds
  }

  private static func received(_ process: PodfluxProcess) throws -> [String: Int] {
    var received: [String: Int] = [:]
    for item in try process.downloads().items {
      guard let id = item["id"] as? String, let bytes = item["bytes"] as? [String: Any],
        let count = bytes["received"] as? Int
      else { throw MeasurementFailure("a download without its bytes: \(item)") }
      received[id] = count
    }
    return received
  }

  func reading(bytesPerSecond rate: Int) throws -> Reading {
    var (rates, shares): ([Double], [Double]) = ([], [])
    for (index, first) in moments.enumerated() {
      guard let last = moments[index...].first(where: { $0.seconds - first.seconds >= Self.windowSeconds }) else {
        break
      }
      let allowed = Double(rate) * (last.seconds - first.seconds)
      rates.append(Double(last.total - first.total) / allowed)
      let fairShare = allowed / Double(first.received.count)
      shares += last.received.map { Double($0.value - (first.received[$0.key] ?? 0)) / fairShare }
    }
    guard let least = rates.min(), let most = rates.max(), let leastShare = shares.min() else {
      throw MeasurementFailure("nothing was received for \(Self.windowSeconds) s, or it was told all the time")
    }
    return Reading(least: least, most: most, leastShare: leastShare, cpuShare: cpuShare)
  }
}
