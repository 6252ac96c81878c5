import Flux
import Testing

@testable import PodfluxCore

@Suite("Runs that make files the downloads of episodes")
struct AdoptingStoreTests {
  private let scene: RuleScene
  private var world: World { scene.world }

  init() throws {
    scene = try RuleScene()
    try scene.subscribe(.none)
    try scene.refresh(appeared: try scene.contents(1...3))
  }

  private func file(_ number: Int) throws -> PublishedFile {
    try .sample("Show/Episode \(number).mp3", length: 70, inode: UInt64(100 + number))
  }

  /// The step that pairs a file with an episode; `scene.contents` adds the newest first.
  private func step(
    _ file: PublishedFile, _ episode: EpisodeID, _ confidence: EpisodePairing.Confidence = .certain,
    _ decision: CleanupStep.Decision = .adopt
  ) -> CleanupStep {
    CleanupStep(
      finding: .episodeFile(
        FoundFile(at: file), EpisodePairing(episodes: [episode], evidence: [.title], confidence: confidence)),
      decision: decision, because: "it has the episode's title")
  }

  private func adopt(_ steps: [CleanupStep], mode: CleanupOptions.Mode = .apply) throws {
    try world.send(.cleanup(.adopt(AdoptRequest(mode: mode))))
    try world.found(steps)
  }

  private func episode(_ number: Int64) throws -> Episode {
    try #require(
      try world.database.read { tables in
        try tables.episodes(EpisodesQuery(), at: ConditionMoment(now: world.clock.wall)).items.map(\.episode)
          .first { $0.id.number == number }
      })
  }

  @Test("A file becomes the completed download of its episode, as the episode's own download would be")
  func adopts() throws {
    let file = try file(1)
    let id = EpisodeID(number: 3)
    try adopt([step(file, id)])
    #expect(try episode(3).download == nil)
    try world.carryOutSteps(.done)
    let download = try #require(try episode(3).download)
    let row = try world.row(download)
    #expect(row.state == .completed(file))
    #expect(row.address.description.hasSuffix("/1.mp3") && row.origin == .user)
    #expect(row.description.title == "Episode 1" && row.description.podcast == "Show")
    #expect(row.progress.durable == 70 && row.progress.total == 70)
    #expect(try episode(3).ruling == nil)
    #expect(world.downloads.counts[.completed] == 1)
    #expect(world.tally(.episodeFile)?.done == 1)
    #expect(world.cleanup.last?.usage == nil && world.cleanup.last?.adopting == Adopting())
    #expect(world.attempts.isEmpty)
    // What is there is not asked for again.
    #expect(try world.send(.podcasts(.download(.one(id)))) == .affected(0))
  }

  @Test("A plan hands out nothing; an unknown feed and a path out of the library are refused")
  func plans() throws {
    try adopt([step(try file(1), EpisodeID(number: 3))], mode: .plan)
    #expect(world.steps.isEmpty && world.cleanup.last?.stage == .done)
    #expect(try world.stepRows().map(\.status) == [.planned])
    #expect(throws: Refusal.self) { try world.send(.cleanup(.adopt(AdoptRequest(feed: FeedID("none"))))) }
    for folder in ["..", "/etc", "a/../b", ".podflux", "a//b"] {
      #expect(throws: Refusal.self, "\(folder)") {
        try world.send(.cleanup(.adopt(AdoptRequest(folder: folder))))
      }
    }
  }

  @Test("The library itself is no folder of its own, and a final slash says nothing")
  func folders() throws {
    for (folder, expected) in [(".", nil), ("./", nil), ("a/b/", "a/b"), ("a/./b", "a/b")] as [(String, String?)] {
      #expect(try AdoptRequest(folder: folder).adopting.folder?.description == expected)
    }
    let request = AdoptRequest(mode: .plan)
    #expect(try request.inside("/srv/podcasts", folder: "/srv/podcasts/Show").folder == "Show")
    #expect(try request.inside("/srv/podcasts/", folder: "/srv/podcasts").folder == nil)
    for folder in ["/srv/podcasts2", "/srv", "/", "/srv/podcasts/../x"] {
      #expect(throws: Refusal.self, "\(folder)") { try request.inside("/srv/podcasts", folder: folder) }
    }
  }

  @Test("A failed download of the episode is completed by the file")
  func failed() throws {
    try world.send(.podcasts(.download(.one(EpisodeID(number: 3)))))
    let id = try #require(try episode(3).download)
    try world.report(id, .failed(.missing, kept: nil))
    #expect(try world.row(id).state.kind == .failed)
    try adopt([step(try file(1), EpisodeID(number: 3))])
    try world.carryOutSteps(.done)
    #expect(try world.row(id).state == .completed(try file(1)))
    #expect(try episode(3).download == id)
  }

  @Test("A queued download of the episode is completed by the file, and is the person's then")
  func queued() throws {
    var patch = SettingsPatch()
    patch.maxConcurrent = 1
    try world.send(.updateSettings(patch))
    let busy = try world.enqueue("busy")
    try world.send(.podcasts(.download(.one(EpisodeID(number: 3)))))
    let id = try #require(try episode(3).download)
    #expect(try world.row(id).state == .queued)
    try adopt([step(try file(1), EpisodeID(number: 3))])
    try world.carryOutSteps(.done)
    #expect(try world.row(id).state == .completed(try file(1)))
    #expect(try world.row(id).origin == .user)
    #expect(world.downloads.counts[.queued] == 0 && world.downloads.counts[.completed] == 1)
    #expect(world.attempts[busy] != nil)
  }

  @Test("An episode with a download keeps it, and a file that another download has is left")
  func obstacles() throws {
    try world.send(.podcasts(.download(.one(EpisodeID(number: 3)))))
    try adopt([step(try file(1), EpisodeID(number: 3))])
    #expect(try world.stepRows().map(\.because) == ["the episode has a download"])
    // A file that has become a download's since the survey.
    let other = try world.enqueue("other")
    let file = try file(2)
    try world.finish(other, as: file)
    try adopt([step(file, EpisodeID(number: 2))])
    #expect(try world.stepRows().map(\.because) == ["it is a download's file by now"])
    #expect(try episode(2).download == nil)
  }

  @Test("Two files for one episode, or two episodes for one file, come to one download")
  func once() throws {
    try adopt([
      step(try file(1), EpisodeID(number: 3)), step(try file(2), EpisodeID(number: 3)),
      step(try file(1), EpisodeID(number: 2)),
    ])
    try world.carryOutSteps(.done)
    #expect(world.downloads.counts[.completed] == 1)
    #expect(try world.stepRows().map(\.status) == [.done, .left, .left])
  }

  @Test("A file that has changed since is left, and a doubtful one is never handed out")
  func changed() throws {
    try adopt([step(try file(1), EpisodeID(number: 3)), step(try file(2), EpisodeID(number: 2), .doubtful, .offer)])
    #expect(world.steps.count == 1)
    try world.carryOutSteps(.left("the file has changed since"))
    #expect(world.downloads.counts[.completed, default: 0] == 0)
    #expect(try world.stepRows().map(\.status) == [.left, .left])
  }

  @Test("After a restart in the middle the run goes on, and what is adopted is not adopted again")
  func restarts() throws {
    try adopt([step(try file(1), EpisodeID(number: 3)), step(try file(2), EpisodeID(number: 2))])
    try world.send(.cleaned(try #require(world.steps.keys.min()), .done))
    #expect(world.downloads.counts[.completed] == 1)
    try world.restart()
    #expect(world.steps.count == 1)
    try world.carryOutSteps(.done)
    #expect(world.downloads.counts[.completed] == 2)
    #expect(world.cleanup.last?.stage == .done)
  }

  @Test("Rules count an adopted file as there, and never delete it")
  func rules() throws {
    try adopt([step(try file(1), EpisodeID(number: 3))])
    try world.carryOutSteps(.done)
    let download = try #require(try episode(3).download)
    try scene.set(FeedRules(autoDownload: .init(since: .all), keep: .init(newest: 1)))
    try scene.comeToRest()
    #expect(try world.row(download).state == .completed(try file(1)))
    #expect(try episode(3).ruling == nil)
  }

  @Test("An episode whose feed is gone gets no file")
  func gone() throws {
    try world.send(.podcasts(.unsubscribe(RuleScene.feed, deletingFiles: false)))
    try adopt([step(try file(1), EpisodeID(number: 3))])
    #expect(try world.stepRows().map(\.status) == [.left])
    #expect(world.downloads.counts[.completed, default: 0] == 0)
  }
}
