import Foundation
import TestSupport

/// A library of a million episodes.
struct PodcastLibraryScenario: Scenario {
  let name = "podcasts"
  let abstract = "3,000 feeds with 1,000,000 episodes: refreshes, commands meanwhile, pages, a start; one feed of 40 MB"

  private static let feeds = 3000
  private static let episodes = 334
  private static let longFeedEpisodes = 20_000
  /// So that a document of as many episodes has 40 MB.
  private static let longDescriptionBytes = 1600

  func measure(_ bench: Bench) throws -> [Figure] {
    try bench.folder.withFolder { folder in
      let server = try FeedServer(in: folder, feeds: Self.feeds, episodes: Self.episodes)
      let library = folder + "/library"
      let list = folder + "/list.opml"
      try server.list(of: Self.feeds).write(toFile: list, atomically: false, encoding: .utf8)
      var figures = try Self.fill(library, list)
      let (process, start) = try PodfluxProcess.started(library: library)
      defer { process.signal(SIGKILL) }
      figures.append(Figure("start", .milliseconds, [start * 1000], target: .atMost(100)))
      figures.append(
        Figure("resident after the start", .mebibytes, [try ProcessReading(process).residentBytes.mebibytes]))
      figures += try Self.refreshAll(process)
      figures += try Self.pages(process, runs: bench.runs, "page of episodes, worst of all orders", number: 30_000_000)
      figures += try Self.longFeed(process, server)
      figures += try Self.rules(process, runs: bench.runs)
      figures += try Self.pages(process, runs: bench.runs, "the same, with rules", number: 40_000_000)
      try process.terminate()
      return figures
    }
  }

  private static func fill(_ library: String, _ list: String) throws -> [Figure] {
    let (process, _) = try PodfluxProcess.started(library: library)
    defer { process.signal(SIGKILL) }
    let stopwatch = Stopwatch()
    let start = try ProcessReading(process).cpuSeconds
    try process.order("feeds/import", ["file": list])
    try process.waitUntilRefreshed()
    let figures = [
      Figure("first refresh of all", .seconds, [stopwatch.seconds]),
      Figure("first refresh of all, CPU", .seconds, [try ProcessReading(process).cpuSeconds - start]),
      Figure(
        "peak memory of the first refresh", .mebibytes, [try ProcessReading(process).peakResidentBytes.mebibytes],
        target: .atMost(128)),
    ]
    try process.terminate()
    return figures
  }

  /// A refresh with nothing new, and commands meanwhile.
  private static func refreshAll(_ process: PodfluxProcess) throws -> [Figure] {
    let (start, stopwatch) = (try ProcessReading(process).cpuSeconds, Stopwatch())
    try process.order("feeds/refresh", ["all": true])
    var replies: [Double] = []
    var number = 1
    repeat {
      number += 1
      replies.append(
        try process.roundTripMilliseconds(
          "episodes/mark", payload: #"{"id":"e\#(number)","played":true}"#, number: 20_000_000 + number))
      usleep(2_000)
    } while try number % 50 != 0 || !process.isAtRest()
    return [
      Figure("nothing new", .seconds, [stopwatch.seconds]),
      Figure(
        "nothing new, CPU, \(replies.count) commands included", .seconds,
        [try ProcessReading(process).cpuSeconds - start], target: .atMost(6)),
      Figure("a command meanwhile p50", .milliseconds, [replies.percentile(50)]),
      Figure("a command meanwhile p99", .milliseconds, [replies.percentile(99)], target: .atMost(10)),
      Figure(
        "peak memory of nothing new", .mebibytes, [try ProcessReading(process).peakResidentBytes.mebibytes],
        target: .atMost(128)),
    ]
  }

  private static func pages(
    _ process: PodfluxProcess, runs: Int, _ name: String, number: Int
  ) throws -> [Figure] {
    var worst: [Double] = []
    for run in 0..<runs {
      var slowest = 0.0
      for (place, key) in ["published", "added", "title", "size", "seconds"].enumerated() {
        for (side, sort) in [key, "-" + key].enumerated() {
          slowest = max(
            slowest,
            try process.roundTripMilliseconds(
              "snapshot", payload: #"{"stores":["episodes"],"episodes":{"sort":"\#(sort)"}}"#,
              number: number + run * 100 + place * 2 + side))
        }
      }
      worst.append(slowest)
    }
    return [Figure(name, .milliseconds, worst, target: .atMost(20))]
  }

  /// Each feed gets rules that download its newest episode, which waits: the schedule's only window is three days away.
  /// Then a mark that takes something back makes the rules of all feeds due.
  private static func rules(_ process: PodfluxProcess, runs: Int) throws -> [Figure] {
    let days = ["thu", "fri", "sat", "sun", "mon", "tue", "wed"]
    let later = days[(Int(Date().timeIntervalSince1970 / 86_400) + 3) % days.count]
    try process.order("settings/update", ["schedule": [["days": [later], "from": "00:00", "to": "00:01"]]])
    let rules: [String: Any] = ["autoDownload": ["newest": 1, "since": "all"], "keep": ["newest": 5]]
    let identifiers = try process.feedIdentifiers()
    for id in identifiers { try process.order("feeds/update", ["id": id, "rules": rules]) }
    let before = try ProcessReading(process)
    var (plans, longPlans, all): ([Double], [Double], [Double]) = ([], [], [])
    // Both look for the title in all episodes; one that sets something makes no rules due.
    func mark(isArchived: Bool) throws -> (seconds: Double, cpuSeconds: Double) {
      let (start, stopwatch) = (try ProcessReading(process).cpuSeconds, Stopwatch())
      try process.order("episodes/mark", ["where": ["titleContains": "no title has this"], "archived": isArchived])
      return (try process.waitUntilIdle(stopwatch), try ProcessReading(process).cpuSeconds - start)
    }
    for run in 0..<runs {
      func plan(_ id: String, _ number: Int) throws -> Double {
        try process.roundTripMilliseconds(
          "rules/plan", payload: #"{"id":"\#(id)","rules":{"autoDownload":{"newest":10},"keep":{"newest":5}}}"#,
          number: 50_000_000 + run * 100_000 + number)
      }
      plans.append(try identifiers.prefix(100).enumerated().map { try plan($1, $0) }.max() ?? 0)
      longPlans.append(try plan("long", 99_999))
      let (_, searched) = try mark(isArchived: true)
      let (seconds, worked) = try mark(isArchived: false)
      all.append(seconds)
      guard worked > searched else { throw MeasurementFailure("no rules were due") }
    }
    return [
      Figure("a plan for a feed, slowest of 100", .milliseconds, plans, target: .atMost(50)),
      Figure("a plan for the long feed", .milliseconds, longPlans, target: .atMost(50)),
      Figure("the rules of all feeds", .seconds, all, target: .atMost(2)),
      Figure(
        "peak memory of rules above the rest", .mebibytes,
        [(try ProcessReading(process).peakResidentBytes - before.peakResidentBytes).mebibytes]),
    ]
  }

  private static func longFeed(_ process: PodfluxProcess, _ server: FeedServer) throws -> [Figure] {
    try server.add(feeds, episodes: longFeedEpisodes, descriptionBytes: longDescriptionBytes)
    let before = try ProcessReading(process)
    let peak = try ProcessReading(process).peakResidentBytes
    try process.order("feeds/subscribe", ["url": server.url(feeds), "id": "long"])
    try process.waitUntilRefreshed()
    return [
      Figure("length of the long feed", .mebibytes, [try server.length(of: feeds).mebibytes]),
      Figure(
        "the long feed, CPU", .seconds, [try ProcessReading(process).cpuSeconds - before.cpuSeconds], target: .atMost(1)
      ),
      Figure(
        "the long feed, peak memory above the rest", .mebibytes,
        [max(0, try ProcessReading(process).peakResidentBytes - max(peak, before.residentBytes)).mebibytes],
        target: .atMost(64)),
    ]
  }
}
