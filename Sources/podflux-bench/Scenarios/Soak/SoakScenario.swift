import Foundation

/// Podcasts that are followed for a month, with SIGKILLs and without: what is there in the end has to be the same.
struct SoakScenario: Scenario {
  let name = "soak"
  let abstract =
    "30 days of 100 feeds with rules, quota, sidecars and tags, with SIGKILLs and without: the same files, none twice"

  private static let days = 30
  private static let feeds = 100
  /// How many of the files that differ are named.
  private static let shown = 20
  /// 1 January 2026: all days are over.
  private static let firstDay = Date(timeIntervalSince1970: 1_767_225_600)

  func measure(_ bench: Bench) throws -> [Figure] {
    let stopwatch = Stopwatch()
    let calm = try bench.folder.withFolder { try SoakRun.run(Self.plan(killsPerDay: 0), in: $0, seed: 1) }
    let calmSeconds = stopwatch.seconds
    let killed = try bench.folder.withFolder { try SoakRun.run(Self.plan(killsPerDay: 3), in: $0, seed: 2) }
    let names = Set(calm.files.keys).union(killed.files.keys)
    let different = names.filter { calm.files[$0] != killed.files[$0] }
    for name in different.sorted().prefix(Self.shown) {
      let (here, there) = (calm.files[name]?.count, killed.files[name]?.count)
      FileHandle.standardError.write(Data("\(name): \(here as Any) bytes, with kills \(there as Any)\n".utf8))
    }
    return [
      Figure("files in the end", .count, [Double(calm.files.count)], target: .atLeast(1)),
      Figure("files that differ", .count, [Double(different.count)], target: .atMost(0)),
      Figure("files asked for", .count, [Double(calm.requests.requests.count)]),
      Figure("files asked for, with kills", .count, [Double(killed.requests.requests.count)]),
      Figure("requests for an episode again", .count, [Double(calm.requests.repeated)], target: .atMost(0)),
      Figure("requests for covers again", .count, [Double(calm.requests.repeatedCovers)]),
      Figure("kills", .count, [Double(killed.kills)], target: .atLeast(Double(Self.days))),
      // What a kill has interrupted is asked for once more, and nothing else.
      Figure(
        "requests for a file again, for each fetch that a kill may interrupt", .times,
        [Double(killed.requests.repeated) / Double(killed.kills * SoakRun.interruptible)], target: .atMost(1)),
      Figure("episodes and sidecars sent", .mebibytes, [calm.requests.bytes.mebibytes]),
      Figure("episodes and sidecars sent, with kills", .mebibytes, [killed.requests.bytes.mebibytes]),
      Figure("without kills", .seconds, [calmSeconds]),
      Figure("with kills", .seconds, [stopwatch.seconds - calmSeconds]),
    ]
  }

  private static func plan(killsPerDay: Int) -> SoakRun.Plan {
    SoakRun.Plan(
      days: days, firstDay: firstDay, feeds: feeds, killsPerDay: killsPerDay, lifeSeconds: 0.05...1.5,
      quotaBytes: 30_000_000)
  }
}
