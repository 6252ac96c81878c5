import Flux
import Testing

@testable import PodfluxCore

/// Many turns of random intents and plausible reports from a seed; `World` checks its invariants after them.
@Suite("Random walks")
struct RandomWalkTests {
  @Test(
    "The invariants hold for all intents and reports, in any order",
    arguments: UInt64(1)...6)
  func walk(seed: UInt64) throws {
    var walk = try Walk(seed: seed)
    for _ in 0..<500 { try walk.step() }
    try walk.comeToRest()
  }

  @Test("The same seed gives the same walk")
  func repeatable() throws {
    var one = try Walk(seed: 9)
    var other = try Walk(seed: 9)
    for _ in 0..<100 {
      try one.step()
      try other.step()
      #expect(one.world.effects == other.world.effects)
    }
  }
}

/// A client and services that make random legal moves.
private struct Walk {
  let world: World
  private var random: SeededGenerator
  private var turns = 0
  private let hosts = ["a.example", "b.example", "127.0.0.1:80"]
  /// The attempts that have announced their file; only these may finish.
  private var announced: [AttemptID: PublishedFile] = [:]

  init(seed: UInt64) throws {
    random = SeededGenerator(seed: seed)
    world = try World {
      $0.maxConcurrent = 4
      $0.maxPerHost = 2
      $0.maxAttempts = 3
    }
  }

  mutating func step() throws {
    world.advance(seconds: Int64.random(in: 0...3, using: &random))
    var batch: [Action] = []
    for _ in 0..<Int.random(in: 1...4, using: &random) { batch.append(try action()) }
    batch = onePerAttempt(batch)
    turns += 1
    // A violated invariant stays violated: checking it less often finds it too, and is cheaper.
    world.checksInvariants = turns.isMultiple(of: 4)
    try world.dispatch(batch)
    noteProceeding(batch)
    if Int.random(in: 0..<200, using: &random) == 0 { try restart() }
  }

  /// Without faults, everything that can finish does, and so does the cleanup.
  mutating func comeToRest() throws {
    world.checksInvariants = true
    try world.send(.network(.report(NetworkPath(status: .online))), calm())
    var turns = 0
    while world.downloads.counts[.queued, default: 0] + world.downloads.counts[.waiting, default: 0]
      + world.downloads.live.count > 0 || world.cleanup.owesWork
    {
      turns += 1
      try #require(turns < 10_000, "the downloads never come to rest: \(world.downloads.counts)")
      world.advance(seconds: 3_600)
      try world.send(.timeCame)
      try world.carryOutDeletions()
      if world.looking != nil { try world.found([]) }
      try world.carryOutSteps()
      for id in world.attempts.keys.sorted() {
        let isStopping = world.downloads.live[id]?.isStopping == true
        if isStopping { try world.report(id, .stopped(kept: nil)) } else { try world.finish(id, as: file(of: id)) }
      }
    }
  }

  // MARK: What happens

  private mutating func action() throws -> Action {
    switch Int.random(in: 0..<24, using: &random) {
    case 21: return .networkPath(try path())
    case 22: return .roomCame(Int64.random(in: 0...1 << 31, using: &random))
    case 23: return Bool.random(using: &random) ? .network(.auto) : .network(.report(try path()))
    case 20: return try verdict() ?? .downloads(.verify(try selection()))
    case 0...3: return try enqueue()
    case 4...9: return try report() ?? .timeCame
    case 10: return .timeCame
    case 11...12: return world.downloads.deletions.underWay.keys.min().map(Action.deleted) ?? .timeCame
    case 13: return try cleanup()
    case 14: return try settings()
    default: return .downloads(try intent())
    }
  }

  private mutating func enqueue() throws -> Action {
    let id = Int.random(in: 0..<50, using: &random) == 0 ? nil : try name()
    let host = try #require(hosts.randomElement(using: &random))
    let path = "\(Int.random(in: 0..<30, using: &random)).mp3"
    return .downloads(
      .enqueue(
        .init(
          id: id, address: try .on(host, path), description: try description(),
          priority: try #require(Priority.allCases.randomElement(using: &random)),
          isPaused: Int.random(in: 0..<6, using: &random) == 0,
          resume: Int.random(in: 0..<8, using: &random) == 0 ? .sample(durable: 50) : nil, network: try policy())))
  }

  private mutating func description() throws -> Download.Description {
    Download.Description(
      podcast: ["Show", nil].randomElement(using: &random) ?? nil,
      expectedLength: [500, 5_000, .max, nil].randomElement(using: &random) ?? nil)
  }

  private mutating func policy() throws -> NetworkPolicy {
    try #require(NetworkPolicy.allCases.randomElement(using: &random))
  }

  private mutating func path() throws -> NetworkPath {
    try #require([.wifi, .wifi, .hotspot, .cellular, .offline].randomElement(using: &random))
  }

  private mutating func intent() throws -> DownloadIntent {
    let selection = try selection()
    switch Int.random(in: 0..<9, using: &random) {
    case 8: return .verify(selection)
    case 0: return .pause(selection)
    case 1, 2: return .resume(selection)
    case 3: return .cancel(selection)
    case 4: return .retry(selection)
    case 5: return .remove(selection, deletingFile: Bool.random(using: &random))
    case 6: return .move(try name(), try place())
    default: return .update(try name(), try update())
    }
  }

  private mutating func selection() throws -> DownloadIntent.Selection {
    switch Int.random(in: 0..<12, using: &random) {
    case 0: .all
    case 1...3: .many([try name(), try name(), try name()])
    default: .one(try name())
    }
  }

  private mutating func place() throws -> DownloadIntent.Place {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: .top
    case 1: .bottom
    case 2: .before(try name())
    default: .after(try name())
    }
  }

  private mutating func update() throws -> DownloadIntent.Update {
    var update = DownloadIntent.Update()
    switch Int.random(in: 0..<5, using: &random) {
    case 3: update.network = try policy()
    case 4: update.podcast = "Show"
    case 0: update.address = try .on(try #require(hosts.randomElement(using: &random)), "new.mp3")
    case 1: update.priority = Priority.allCases.randomElement(using: &random)
    default: update.title = "title"
    }
    return update
  }

  private mutating func settings() throws -> Action {
    var patch = SettingsPatch()
    patch.maxConcurrent = Int.random(in: 1...6, using: &random)
    patch.maxPerHost = Int.random(in: 1...3, using: &random)
    patch.storageQuotaBytes = [0, 3_000, 20_000].randomElement(using: &random)
    patch.cellularBudgetBytesPerMonth = [0, 2_000, 100_000].randomElement(using: &random)
    patch.network = .init()
    patch.network?.podcasts["Show"] = try policy()
    patch.network?.user = [.unmetered, .any].randomElement(using: &random)
    // Open for most of each hour, which is how long a walk lasts.
    let hourly = (0..<24).map { ScheduleWindow(from: $0 * 60, to: $0 * 60 + 50) }
    patch.schedule = [[], [], hourly].randomElement(using: &random)
    return .updateSettings(patch)
  }

  /// Settings that block nothing.
  private func calm() -> Action {
    var patch = SettingsPatch()
    patch.storageQuotaBytes = 0
    patch.schedule = []
    return .updateSettings(patch)
  }

  /// A possible report of a living attempt; now and then one of an attempt that ended long ago.
  private mutating func report() throws -> Action? {
    guard let id = world.attempts.keys.sorted().randomElement(using: &random), let attempt = world.attempts[id]?.id
    else { return nil }
    if Int.random(in: 0..<20, using: &random) == 0 {
      let late = AttemptID(download: id, generation: attempt.generation - 1)
      return .attempt(AttemptReport(attempt: late, news: .finished(try file(of: id))))
    }
    let news = try news(of: attempt)
    return .attempt(AttemptReport(attempt: attempt, news: news, fetched: news.isReading ? 0 : 300))
  }

  private mutating func news(of attempt: AttemptID) throws -> AttemptReport.News {
    let kept: ResumeRecord? =
      Bool.random(using: &random) ? .sample(durable: .random(in: 1...900, using: &random)) : nil
    if let file = announced[attempt] {
      return Int.random(in: 0..<3, using: &random) == 0 ? .failed(.lost, kept: kept) : .finished(file)
    }
    let mayStop = world.downloads.live[attempt.download]?.isStopping == true
    switch Int.random(in: 0..<10, using: &random) {
    case 8: return mayStop ? .stopped(kept: kept) : .failed(DownloadError(.noSpace, "full", shortBytes: 9), kept: kept)
    case 9: return isLoopback(attempt) ? .pathRefused(kept: kept) : .reading(received: 1, phase: .receiving)
    case 0: return .reading(received: .random(in: 0...900, using: &random), phase: .receiving)
    case 1, 2: return .checkpoint(.sample(durable: .random(in: 1...900, using: &random)))
    case 3: return .restarting(discarding: 10, because: .contentChanged)
    case 4, 5:
      return mayStop ? .stopped(kept: kept) : .publishing(try file(of: attempt.download), kept: .sample(durable: 1_000))
    case 6: return mayStop ? .stopped(kept: kept) : .failed(.lost, kept: kept)
    default: return mayStop ? .stopped(kept: kept) : .failed(.missing, kept: kept)
    }
  }

  private func isLoopback(_ attempt: AttemptID) -> Bool {
    world.downloads.live[attempt.download].map { WebAddress.isLoopback($0.host) } ?? false
  }

  /// A possible result of a verification.
  private mutating func verdict() throws -> Action? {
    guard let key = world.verifications.keys.sorted().randomElement(using: &random),
      let verification = world.verifications[key]
    else { return nil }
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return .verified(verification, .intact)
    case 1: return .verified(verification, .unreadable("It is too dark."))
    case 2: return .verified(verification, .damaged("It is gone.", remains: nil))
    default: return .verified(verification, .damaged("It is another.", remains: verification.file))
    }
  }

  // MARK: Cleaning up

  private mutating func cleanup() throws -> Action {
    if Int.random(in: 0..<12, using: &random) == 0 { return .cleanup(.run(CleanupRequest())) }
    if let key = world.steps.keys.sorted().randomElement(using: &random) {
      return .cleaned(key, Int.random(in: 0..<4, using: &random) == 0 ? .left("It is too dark.") : .done)
    }
    guard let run = world.looking else { return .cleanup(.run(CleanupRequest())) }
    switch Int.random(in: 0..<8, using: &random) {
    case 0: return .cleanup(.cancel)
    case 1: return .surveyed(run.key, .refused("It is too dark."))
    case 2, 3: return .surveyed(run.key, .complete(.init(), remark: nil))
    default: return .surveyed(run.key, .found([try difference(), try difference(), try difference()]))
    }
  }

  /// A difference that may or may not still exist when its step runs.
  private mutating func difference() throws -> CleanupStep {
    let id = try name()
    let file = try file(of: id)
    let found = FoundFile(at: file)
    switch Int.random(in: 0..<9, using: &random) {
    case 8: return .planned(.orphan(found), .adopt)
    case 0: return .planned(.orphanPartial(FoundPartial(download: id, length: 9)), .delete)
    case 1: return .planned(.missing(id, file), .forget)
    case 2: return .planned(.missing(id, file), .redownload)
    case 3: return .planned(.missing(id, file), .mark)
    case 4: return .planned(.corrupt(id, file, found: found), .redownload)
    case 5: return .planned(.moved(id, from: file, to: try .sample("moved-\(id).mp3")), .follow)
    case 6: return .planned(.adoptable(found, owner: id, sha256: nil), .adopt)
    default:
      let record = try world.download(id)?.progress.resume ?? .sample(durable: 9)
      return .planned(.partial(id, planned: record, length: 5, tailHash: record.tailHash), .correct)
    }
  }

  // MARK: What keeps it plausible

  /// At most one report per attempt in a batch: none after its end, and after an announcement none before `proceed`.
  private func onePerAttempt(_ batch: [Action]) -> [Action] {
    var spoken: Set<AttemptID> = []
    return batch.filter { action in
      guard case .attempt(let report) = action else { return true }
      return spoken.insert(report.attempt).inserted
    }
  }

  private mutating func noteProceeding(_ batch: [Action]) {
    let proceeding = Set(world.proceeding)
    for case .attempt(let report) in batch where proceeding.contains(report.attempt) {
      if case .publishing(let file, _, _) = report.news { announced[report.attempt] = file }
    }
  }

  private mutating func restart() throws {
    let publishing = announced.keys.map(\.download).sorted().filter { _ in Bool.random(using: &random) }
    announced = [:]
    try world.restart(published: publishing)
  }

  private mutating func name() throws -> DownloadID {
    try .named("d\(Int.random(in: 0..<25, using: &random))")
  }

  private func file(of id: DownloadID) throws -> PublishedFile {
    try .sample("\(id.description.replacing(":", with: "-")).mp3")
  }
}
