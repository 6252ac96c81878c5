import Testing

@testable import PodfluxCore

@Suite("A notice")
struct NoticeTests {
  private func folder(_ name: String) -> CleanupStep {
    .planned(.emptyFolder(EntryPath(bytes: Array(name.utf8))), .delete)
  }

  private func orphan(_ name: String, length: Int64, _ decision: CleanupStep.Decision) -> CleanupStep {
    .planned(.orphan(FoundFile(place: EntryPath(bytes: Array(name.utf8)), length: length, inode: 77)), decision)
  }

  @Test("reports a run once: what it did, by finding and decision, and which planned steps it left")
  func deeds() throws {
    let world = try World()
    let id = try world.enqueue("a")
    try world.finish(id, as: .sample())
    try world.clean()
    try world.found([
      .planned(.missing(id, .sample()), .forget), folder("x"), orphan("y", length: 70, .quarantine), folder("z"),
      orphan("w", length: 30, .quarantine), orphan("v", length: 9, .leave),
    ])
    #expect(world.notices.isEmpty, "nothing is told before it is done")
    let last = try #require(world.steps.keys.max())
    try world.send(.cleaned(last, .left("It has changed.")))
    try world.carryOutSteps()
    guard case .cleaned(let run) = try #require(world.notices.first) else {
      Issue.record("\(world.notices)")
      return
    }
    #expect(world.notices.count == 1 && run == world.cleanup.last)
    let told = run.deeds.map { "\($0.finding) \($0.decision) \($0.done) \($0.bytes) \($0.left)" }
    #expect(told.sorted() == ["emptyFolder delete 2 0 0", "missing forget 1 0 0", "orphan quarantine 1 70 1"])
  }

  @Test("is not sent if nothing was done: no finding, only reports, only a plan, only a partial file's length")
  func silence() throws {
    let world = try World()
    try world.cleanUp([])
    try world.cleanUp([orphan("y", length: 70, .leave)])
    try world.cleanUp([folder("x")], .init(mode: .plan))
    #expect(world.notices.isEmpty)
    var run = CleanupRun(key: 1, options: .init(), cause: .start, askedAt: World.beginning)
    run.stage = .done
    run.keptDeeds = [.init(.partial, .correct)]
    run.keptDeeds?[0].done = 1
    #expect(!run.isNews)
  }

  @Test(
    "is not sent for an empty partial file, deleted or left for its download that runs meanwhile", arguments: [0, 1])
  func emptyPartial(length: Int64) throws {
    for isDone in [true, false] {
      let world = try World()
      let partial = FoundPartial(download: try .named("absent"), length: length)
      try world.cleanUp([.planned(.orphanPartial(partial), .delete)])
      let deletion = try #require(world.deletions.first)
      try world.send(isDone ? .deleted(deletion.key) : .notDeleted(deletion.key, because: "It is read-only."))
      #expect(world.cleanup.last?.stage == .done)
      #expect(world.notices.count == Int(length))
    }
  }

  @Test("reports that a run was refused, or its survey failed")
  func refused() throws {
    let world = try World()
    for news in [CleanupNews.refused("A disk is not there."), .failed("It is dark.")] {
      let key = try world.clean()
      try world.send(.surveyed(key, news))
    }
    let stages = world.notices.map { if case .cleaned(let run) = $0 { run.stage } else { CleanupRun.Stage.done } }
    #expect(stages == [.refused, .failed])
  }

  @Test("survives a restart in the middle of a run")
  func start() throws {
    let world = try World()
    try world.clean()
    try world.found([folder("x"), folder("y")])
    try world.send(.cleaned(try #require(world.steps.keys.min()), .done))
    try world.restart()
    try world.carryOutSteps()
    let done = world.notices.flatMap { if case .cleaned(let run) = $0 { run.deeds.map(\.done) } else { [Int]() } }
    #expect(done == [2])
  }

  @Test("reports the result of all verifications, if a file has an error")
  func verified() throws {
    let world = try World()
    let ids = try ["a", "b", "c", "d"].map { name in
      let id = try world.enqueue(name)
      try world.finish(id, as: .sample("\(name).mp3", inode: UInt64(name.utf8.first ?? 0)))
      return id
    }
    try world.send(.downloads(.verify(.all)))
    try world.verified(ids[0], .intact)
    try world.verified(ids[1], .damaged("it is short", remains: .sample("b.mp3", inode: 98)))
    try world.verified(ids[2], .damaged("it is gone", remains: nil))
    #expect(world.notices.isEmpty)
    try world.verified(ids[3], .unreadable("it is forbidden"))
    var tally = VerificationTally()
    (tally.intact, tally.damaged, tally.gone, tally.unreadable) = (1, 1, 1, 1)
    #expect(world.notices == [.verified(tally)])
    try world.send(.downloads(.verify(.one(ids[0]))))
    try world.verified(ids[0], .intact)
    #expect(world.notices.count == 1, "all is well")
  }

  @Test("reports the verifications so far when the engine ends")
  func ended() throws {
    let world = try World()
    for name in ["a", "b"] {
      let id = try world.enqueue(name)
      try world.finish(id, as: .sample("\(name).mp3", inode: UInt64(name.utf8.first ?? 0)))
    }
    try world.send(.downloads(.verify(.all)))
    try world.verified(try .named("a"), .damaged("it is gone", remains: nil))
    #expect(world.notices.isEmpty)
    try world.send(.stop(.now))
    #expect(world.notices.count == 1)
  }
}
