import Flux
import Testing

@testable import PodfluxCore

@Suite("Recovery after a crash")
struct RecoveryTests {
  @Test("A running download is queued again with its durable bytes, and starts again")
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

  @Test("A publishing download is completed if its file is at its path, and begins again otherwise")
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

  @Test("Confirming a download that was not publishing completes nothing")
  func wronglyConfirmed() throws {
    let world = try World()
    let id = try world.enqueue("a")
    try world.restart(published: [id, try .named("absent")])
    #expect(world.started == ["a"])
  }

  @Test("Waiting, paused, failed and completed downloads stay unchanged, and the wake-up is requested again")
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

  @Test("Until the recovery is complete, intents are refused, and nothing starts")
  func intentsBeforeRecovery() throws {
    let world = try World()
    let ids = try ["a", "b"].map { try world.enqueue($0, host: "\($0).example") }
    try world.restart(isRecovered: false)
    // A bulk change skips rows in state running, and these have no attempt to stop. Seeds 210858 and 219701 of the
    // simulator: the commit of a start's first turn failed, and before it was tried again a client paused or removed
    // all. The client got a reply, and they ran afterwards, or came back.
    let intents: [DownloadIntent] = [
      .pause(.all), .cancel(.one(ids[1])), .cancel(.all), .remove(.all, deletingFile: true),
    ]
    for action in intents.map({ Action.downloads($0) }) + [.updateSettings(SettingsPatch())] {
      #expect(try refusalCode { try world.send(action) } == .storageFailure)
      #expect(world.effects.isEmpty)
    }
    try world.send(.recovered(Recovery(published: [])))
    #expect(world.started == ["a", "b"])
    try world.send(.downloads(.pause(.all)))
    #expect(try ids.map { try world.state($0) } == [.paused, .paused])
  }

  /// Seed 311924 of the simulator: the alarm's changes were counted in memory only.
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

  @Test("A failed commit leaves store and tables unchanged, and the same batch can be repeated")
  func failedCommit() throws {
    let world = try World()
    let id = try world.enqueue("a")
    // The table's CHECK refuses a negative length; the batch around it must be rolled back.
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
