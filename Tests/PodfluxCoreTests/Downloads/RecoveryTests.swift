import Flux
import Testing

@testable import PodfluxCore

@Suite("Recovery after a crash")
struct RecoveryTests {
  @Test("What was running is queued again with its durable bytes, and starts again")
  func running() throws {
    let world = try World()
    let id = try world.enqueue("a")
    let old = try #require(world.attempts[id]).id
    try world.report(id, .checkpoint(.sample(durable: 400)))
    try world.restart()
    #expect(world.started == ["a"])
    let attempt = try #require(world.attempts[id])
    #expect(attempt.id.generation > old.generation)
    #expect(attempt.resume == .sample(durable: 400))
  }

  @Test("What was publishing is completed if its file stands at its place, and else begins again")
  func publishing() throws {
    let world = try World()
    let ids = try ["stands", "lost"].map { try world.enqueue($0) }
    for (id, name) in zip(ids, ["1.mp3", "2.mp3"]) {
      try world.report(id, .publishing(.sample(name), kept: .sample(durable: 1_000)))
    }
    try world.restart(published: [ids[0]])
    #expect(try world.state(ids[0]) == .completed(.sample("1.mp3")))
    #expect(world.started == ["lost"])
  }

  @Test("Confirming what was not publishing completes nothing")
  func wronglyConfirmed() throws {
    let world = try World()
    let id = try world.enqueue("a")
    try world.restart(published: [id, try .named("nobody")])
    #expect(world.started == ["a"])
  }

  @Test("Waiting, paused, failed and completed downloads are what they were, and the wake is asked for again")
  func others() throws {
    let world = try World()
    let waiting = try world.enqueue("waiting")
    try world.report(waiting, .failed(.lost, kept: nil))
    let failed = try world.enqueue("failed")
    try world.report(failed, .failed(.missing, kept: nil))
    let completed = try world.enqueue("completed")
    try world.finish(completed, as: .sample())
    let paused = try world.enqueue("paused", paused: true)
    let ids = [waiting, failed, completed, paused]
    let before = try ids.map { try world.row($0) }
    try world.restart()
    #expect(try ids.map { try world.row($0) } == before)
    #expect(world.wakes.count == 1)
    #expect(world.started.isEmpty)
  }

  @Test("A download that was held by an attempt is free after a crash")
  func held() throws {
    let world = try World()
    let id = try world.enqueue("a")
    try world.send(.downloads(.pause(.one(id))))
    try world.send(.downloads(.resume(.one(id))))
    try world.restart()
    #expect(world.started == ["a"])
  }

  @Test("Until a crash is recovered from, what clients want is refused, and nothing starts")
  func intentsBeforeRecovery() throws {
    let world = try World()
    let ids = try ["a", "b"].map { try world.enqueue($0, host: "\($0).example") }
    try world.restart(isRecovered: false)
    // A bulk change passes over rows that say running, and these have no attempt that could be told to stop.
    // Seeds 210858 and 219701 of the simulator: the commit of a start's first turn failed, and before it was tried again
    // all were paused, or removed. The client was told so, and they ran afterwards, or came back.
    let intents: [DownloadIntent] = [
      .pause(.all), .cancel(.one(ids[1])), .cancel(.all), .remove(.all, deletingFile: true),
    ]
    for action in intents.map(Action.downloads) + [.updateSettings(SettingsPatch())] {
      #expect(try refusalCode { try world.send(action) } == .storageFailure)
      #expect(world.effects.isEmpty)
    }
    try world.send(.recovered(Recovery(published: [])))
    #expect(world.started == ["a", "b"])
    try world.send(.downloads(.pause(.all)))
    #expect(try ids.map { try world.state($0) } == [.paused, .paused])
  }

  /// Seed 311924 of the simulator: what the alarm had changed was counted in memory only.
  @Test("An alarm that rings before a start was recovered from is counted in the tables too")
  func alarmBeforeRecovery() throws {
    let world = try World()
    let id = try world.enqueue("a")
    try world.report(id, .failed(.lost, kept: nil))
    try world.restart(isRecovered: false)
    world.advance(seconds: 3_600)
    try world.send(.timeCame)
    let counted = try world.database.read { try $0.stores() }.downloads.counts
    #expect(counted == world.downloads.counts)
    try world.restart()
    #expect(world.started == ["a"])
    #expect(world.downloads.counts[.running] == 1)
    #expect(world.downloads.counts[.waiting] == 0)
  }

  @Test("A commit that fails leaves store and tables as they were, and the same batch can come again")
  func failedCommit() throws {
    let world = try World()
    let id = try world.enqueue("a")
    // A length below zero is what the table's CHECK refuses; the batch around it must be undone.
    var description = Download.Description()
    description.expectedLength = -1
    let bad = Action.downloads(
      .enqueue(.init(id: try .named("bad"), address: try .on("a.example"), description: description)))
    let counts = world.downloads.counts
    let live = world.downloads.live
    #expect(throws: (any Error).self) { try world.dispatch([.downloads(.pause(.one(id))), bad]) }
    #expect(world.downloads.counts == counts)
    #expect(world.downloads.live == live)
    try world.checkInvariants()
    try world.send(.downloads(.pause(.one(id))))
    #expect(world.stopped.count == 1)
  }
}
