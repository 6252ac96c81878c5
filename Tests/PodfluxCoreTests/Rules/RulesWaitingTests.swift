import Flux
import Testing

@testable import PodfluxCore

@Suite("Rules that wait, and downloads that wait for their servers")
struct RulesWaitingTests {
  /// Three episodes are here whose days are over, and no engine has deleted them.
  private func expired(cleansUpOnStart: Bool = false) throws -> RuleScene {
    let scene = try RuleScene { $0.cleanupOnStart = cleansUpOnStart }
    try scene.subscribe(.auto(.all, keep: .init(days: 2)))
    try scene.refresh(appeared: scene.contents(1...3))
    try scene.comeToRest()
    #expect(try scene.here() == [1, 2, 3])
    scene.world.advance(seconds: 3 * 86_400)
    return scene
  }

  /// The next engine only looks around.
  private func lookAround(_ scene: RuleScene) throws {
    try scene.world.restart(isRecovered: false)
    try scene.world.send(.recovered(Recovery(published: [], mayDeleteOwed: false)))
    try scene.comeToRest()
  }

  @Test("An engine that only looks around leaves what rules owed to the next one")
  func owed() throws {
    let scene = try expired()
    try lookAround(scene)
    #expect(try scene.here() == [1, 2, 3])
    #expect(!scene.world.dispatcher.state.rules.owesWork)
    try scene.world.restart()
    try scene.comeToRest()
    #expect(try scene.here() == [])
  }

  @Test("What is set while an engine looks around is done by it")
  func setMeanwhile() throws {
    let scene = try expired()
    try lookAround(scene)
    scene.world.advance(seconds: 1)
    try scene.set(.auto(.all, keep: .init(newest: 1)))
    try scene.comeToRest()
    #expect(try scene.here() == [3])
  }

  @Test("No file is deleted before rows and files have been compared, and each due one is behind that")
  func comparing() throws {
    let scene = try expired(cleansUpOnStart: true)
    try scene.world.restart()
    let run = try #require(scene.world.looking)
    try scene.comeToRest()
    #expect(try scene.here() == [1, 2, 3])
    #expect(!scene.world.dispatcher.state.rules.owesWork, "no turn follows at once while it waits")
    try scene.world.send(.surveyed(run.key, .complete(.init(), remark: nil)))
    #expect(scene.world.cleanup.active == nil)
    try scene.comeToRest()
    #expect(try scene.here() == [])
  }

  @Test("Of episodes that appear while none can start those alone are fetched that are kept")
  func outage() throws {
    let scene = try RuleScene { $0.maxConcurrent = 1 }
    try scene.subscribe(.auto(keep: .init(newest: 2)))
    try scene.refresh(appeared: scene.contents(1...3))
    let other = try scene.world.enqueue("other")
    for number in 11...16 {
      scene.world.advance(seconds: 86_400)
      try scene.refresh(appeared: [scene.content(number, daysAgo: 0)])
      #expect(scene.world.downloads.counts[.queued, default: 0] <= 2)
      #expect(Array(scene.world.attempts.keys) == [other])
    }
    try scene.comeToRest()
    #expect(try scene.here() == [15, 16])
    #expect(try scene.verdict(14) == RuleVerdict(.deleted, .exceeds(.newest(2))))
    #expect(scene.world.downloads.counts[.completed] == 3)
  }

  @Test("A lower limit withdraws what is queued and has no bytes, in its plan as well")
  func lowered() throws {
    let scene = try RuleScene { $0.maxConcurrent = 1 }
    try scene.subscribe(.auto(.all))
    try scene.refresh(appeared: scene.contents(1...6))
    try scene.world.send(.timeCame)
    #expect(scene.world.attempts.count == 1)
    let rules = FeedRules.auto(.all, keep: .init(newest: 2))
    let plan = try scene.plan(rules)
    #expect(plan.deletions.count == 4)
    try scene.set(rules)
    #expect(scene.world.downloads.counts.values.reduce(0, +) == 2)
    try scene.comeToRest()
    #expect(try scene.here() == [5, 6])
  }

  @Test("What had failed and is tried again for rules is withdrawn where it is too much together")
  func retried() throws {
    let scene = try RuleScene()
    try scene.subscribe(.auto(keep: .init(newest: 2)))
    try scene.refresh(appeared: scene.contents(1...3))
    for number in 11...15 {
      scene.world.advance(seconds: 86_400)
      try scene.refresh(appeared: [scene.content(number, daysAgo: 0)])
      try scene.world.send(.timeCame)
      for id in scene.world.attempts.keys.sorted() {
        try scene.world.report(id, .failed(DownloadError(.notFound, "not there yet", status: 404), kept: nil))
      }
      try scene.world.send(.upkeepDone(gone: []))
    }
    scene.world.advance(seconds: 86_400)
    try scene.world.send(.timeCame)
    #expect(scene.world.attempts.count == 2)
    try scene.comeToRest()
    #expect(try scene.here() == [14, 15])
    #expect(scene.world.downloads.counts.filter { $0.value > 0 } == [.completed: 2])
  }
}
