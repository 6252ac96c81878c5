import Foundation
import TestSupport

/// Refreshes beside gPodder.
struct FeedScenario: Scenario {
  let name = "feeds"
  let abstract = "300 feeds of 200 episodes on nginx: the first refresh, and one with nothing new, beside gpo"

  private static let feeds = 300
  private static let episodes = 200
  /// How often podflux finds nothing new in a run: one time takes some hundredths of a second.
  private static let repetitions = 5

  /// What both refreshes cost.
  private struct Costs {
    var first: [Double] = []
    var nothingNew: [Double] = []
    var peak: [Double] = []
  }

  func measure(_ bench: Bench) throws -> [Figure] {
    try bench.folder.withFolder { folder in
      let server = try FeedServer(in: folder, feeds: Self.feeds, episodes: Self.episodes)
      let list = folder + "/list.opml"
      try server.list(of: Self.feeds).write(toFile: list, atomically: false, encoding: .utf8)
      var (own, peer) = (Costs(), Costs())
      for round in 0..<bench.runs {
        try Self.podflux(library: "\(folder)/library-\(round)", list, &own)
        if let gpo = Self.gpo { try Self.measure(gpo, home: "\(folder)/gpodder-\(round)", list, &peer) }
      }
      var figures = [
        Figure("podflux first refresh CPU", .seconds, own.first),
        Figure("podflux nothing new CPU", .seconds, own.nothingNew),
        Figure("podflux peak memory", .mebibytes, own.peak, target: .atMost(100)),
      ]
      guard !peer.first.isEmpty else { return figures }
      figures += [
        Figure("gpo first refresh CPU", .seconds, peer.first), Figure("gpo nothing new CPU", .seconds, peer.nothingNew),
        Figure(
          "first refresh, gpo : podflux", .times, zip(peer.first, own.first).map { $0 / $1 }, target: .atLeast(20)),
        Figure(
          "nothing new, gpo : podflux", .times, zip(peer.nothingNew, own.nothingNew).map { $0 / $1 },
          target: .atLeast(50)),
      ]
      return figures
    }
  }

  private static func podflux(library: String, _ list: String, _ costs: inout Costs) throws {
    let (process, _) = try PodfluxProcess.started(library: library)
    defer { process.signal(SIGKILL) }
    costs.first.append(try refresh(process) { try process.order("feeds/import", ["file": list]) })
    let repeated = try (0..<Self.repetitions).map { _ in
      try refresh(process) { try process.order("feeds/refresh", ["all": true]) }
    }
    costs.nothingNew.append(repeated.reduce(0, +) / Double(repeated.count))
    costs.peak.append(try ProcessReading(process).peakResidentBytes.mebibytes)
    try process.terminate()
  }

  /// What the refreshes cost that an order begins, without this bench's own questions, in seconds of CPU.
  private static func refresh(_ process: PodfluxProcess, order: () throws -> Void) throws -> Double {
    let start = try ProcessReading(process).cpuSeconds
    try order()
    _ = try process.waitUntilIdle(Stopwatch())
    let end = try ProcessReading(process).cpuSeconds
    guard try process.isAtRest() else { throw MeasurementFailure("podflux rests, and has not refreshed all feeds") }
    return end - start
  }

  /// Where gPodder's command line is; nil if it is not installed.
  private static var gpo: String? {
    let path = "/usr/bin/gpo"
    return FileManager.default.isExecutableFile(atPath: path) ? path : nil
  }

  private static func measure(_ gpo: String, home: String, _ list: String, _ costs: inout Costs) throws {
    let words = ["/usr/bin/env", "GPODDER_HOME=\(home)", gpo]
    costs.first.append(try ChildCommand.run(words + ["import", list]).cpuSeconds)
    costs.nothingNew.append(try ChildCommand.run(words + ["update"]).cpuSeconds)
  }
}
