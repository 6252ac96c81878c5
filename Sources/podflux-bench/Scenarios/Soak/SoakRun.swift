import Foundation
import TestSupport

/// An engine that follows podcasts for some days, and is killed meanwhile, or not.
struct SoakRun {
  /// What a run has come to.
  struct Result {
    /// Each file of the library, and what it holds; without what is another in each run.
    let files: [String: Data]
    let kills: Int
    let requests: RequestLog
  }

  /// How the days go.
  struct Plan {
    let days: Int
    /// When the first day begins.
    let firstDay: Date
    let feeds: Int
    /// How many times a day the engine is killed.
    let killsPerDay: Int
    /// How long it lives before a kill, in seconds.
    let lifeSeconds: ClosedRange<Double>
    /// What the engine may store.
    let quotaBytes: Int
  }

  /// How many downloads run at once.
  private static let concurrent = 4
  /// How many fetches a kill may interrupt: each download may have asked for its file and, for its tags, for a picture
  /// and chapters, which are in memory until they are written; and four sidecars are fetched beside them.
  static let interruptible = 3 * concurrent + 4
  /// How fast a response is, in bytes a second, so that kills come in the midst of files.
  private static let bytesPerSecond = 1_000_000
  /// How long a day may take, in seconds.
  private static let dayLimit = 120.0

  private let plan: Plan
  private let folder: String
  private var random: SeededRandom
  private var kills = 0
  private var process: PodfluxProcess

  private var library: String { folder + "/library" }

  private init(_ plan: Plan, in folder: String, seed: UInt64) throws {
    (self.plan, self.folder, random) = (plan, folder, SeededRandom(seed: seed))
    process = try PodfluxProcess.started(library: folder + "/library").process
  }

  static func run(_ plan: Plan, in folder: String, seed: UInt64) throws -> Result {
    let (files, log) = (folder + "/served", folder + "/requests.log")
    let server = try StaticServer(files, in: folder, log: log, bytesPerSecond: bytesPerSecond)
    var publisher = try SoakPublisher(feeds: plan.feeds, from: plan.firstDay, in: files, on: server)
    var run = try Self(plan, in: folder, seed: seed)
    defer { run.process.signal(SIGKILL) }
    try run.subscribe(publisher)
    for day in 0...plan.days {
      if day > 0 {
        try publisher.publish(day - 1)
        try run.process.order("feeds/refresh", ["all": true])
      }
      try run.spend(day)
    }
    try run.process.terminate()
    return Result(files: try run.contents(), kills: run.kills, requests: try RequestLog(log))
  }

  private func subscribe(_ publisher: SoakPublisher) throws {
    try process.order(
      "settings/update",
      [
        "storageQuotaBytes": plan.quotaBytes, "maxConcurrent": Self.concurrent, "maxPerHost": Self.concurrent,
        "filenameTemplate": "{podcast}/{date} {title}", "tags": true,
        "sidecars": ["cover", "picture", "chapters", "transcript", "notes", "info"],
      ])
    let rules: [String: Any] = ["autoDownload": ["newest": 3, "since": "all"], "keep": ["newest": 5]]
    for feed in 0..<publisher.feeds {
      try process.order("feeds/subscribe", ["url": publisher.url(feed), "id": "\(feed)", "rules": rules])
    }
  }

  /// Until nothing is left to be done. The kills come as long as there is something.
  private mutating func spend(_ day: Int) throws {
    let stopwatch = Stopwatch()
    var killsLeft = plan.killsPerDay
    var end = stopwatch.seconds + life()
    while try !isAtRest() {
      guard stopwatch.seconds < Self.dayLimit else {
        throw MeasurementFailure("day \(day) has no end: \(try process.order("snapshot", ["stores": ["downloads"]]))")
      }
      if killsLeft > 0, stopwatch.seconds >= end {
        try process.kill()
        (killsLeft, kills) = (killsLeft - 1, kills + 1)
        process = try PodfluxProcess.started(library: library).process
        end = stopwatch.seconds + life()
      }
      usleep(10_000)
    }
  }

  private mutating func life() -> Double {
    let share = Double(random.next() % 1000) / 1000
    return plan.lifeSeconds.lowerBound + share * (plan.lifeSeconds.upperBound - plan.lifeSeconds.lowerBound)
  }

  /// Whether feeds, downloads and rules have come to an end: nothing is under way, and the process needs no CPU.
  private func isAtRest() throws -> Bool {
    guard try process.isAtRest(), try isDone() else { return false }
    let stopwatch = Stopwatch()
    guard try process.waitUntilIdle(stopwatch) < 0.1 else { return false }
    return try process.isAtRest() && isDone()
  }

  private func isDone() throws -> Bool {
    let counts = try process.downloads(limit: 1).counts
    return ["queued", "running"].allSatisfy { counts[$0] == 0 }
  }

  /// The library's files without the engine's own.
  private func contents() throws -> [String: Data] {
    var files: [String: Data] = [:]
    for case let name as String in FileManager.default.enumerator(atPath: library) ?? .init()
    where !name.hasPrefix(".podflux") {
      var status = stat()
      guard stat("\(library)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
      let bytes = try Data(contentsOf: URL(filePath: "\(library)/\(name)"))
      files[name] = name.hasSuffix(".info.json") ? Self.lasting(bytes) : bytes
    }
    return files
  }

  /// What a description of a download says in each run: its id is random, and so is the moment at which it came, and
  /// the server has another port.
  private static func lasting(_ info: Data) -> Data {
    let passing = ["id", "downloaded", "url", "feed"].map { "  \"\($0)\":" }
    let lines = String(decoding: info, as: UTF8.self).split(separator: "\n")
    return Data(lines.filter { line in !passing.contains { line.hasPrefix($0) } }.joined(separator: "\n").utf8)
  }
}
