import Flux
import Testing

@testable import PodfluxCore

@Suite("The end of the engine's work")
struct StopTests {
  private func closes(_ world: World) -> Bool { world.effects.contains(.close) }

  @Test("With nothing to do both modes close at once", arguments: [StopMode.drain, .now])
  func idle(mode: StopMode) throws {
    let world = try World()
    try world.send(.stop(mode))
    #expect(closes(world))
  }

  @Test("Now: all running attempts are stopped, and the last one to end closes; rows are queued again")
  func now() throws {
    let world = try World()
    let ids = try ["a", "b"].map { try world.enqueue($0) }
    try world.enqueue("c")
    try world.send(.stop(.now))
    #expect(world.stopped.map(\.download) == ids)
    #expect(!closes(world))
    try world.report(ids[0], .stopped(kept: .sample(durable: 5)))
    #expect(!closes(world) && world.started.isEmpty)
    try world.report(ids[1], .stopped(kept: nil))
    #expect(closes(world) && world.started.isEmpty)
    #expect(world.downloads.counts[.queued] == 3)
    try world.restart()
    #expect(world.started == ["a", "b"])
  }

  @Test("Now: a file that is being published is completed")
  func nowWhilePublishing() throws {
    let world = try World()
    let id = try world.enqueue("a")
    try world.report(id, .publishing(.sample(), kept: .sample(durable: 1_000)))
    try world.send(.stop(.now))
    try world.report(id, .finished(.sample()))
    #expect(try world.state(id) == .completed(.sample()))
    #expect(closes(world))
  }

  @Test("Now: clients' intents are refused")
  func refusals() throws {
    let world = try World()
    let id = try world.enqueue("a")
    try world.send(.stop(.now))
    #expect(try refusalCode { try world.send(.downloads(.pause(.one(id)))) } == .shuttingDown)
    #expect(try refusalCode { try world.enqueue("b") } == .shuttingDown)
  }

  @Test("Now: changes of settings are refused like every other intent")
  func settingsAreRefused() throws {
    let world = try World()
    try world.send(.stop(.now))
    var patch = SettingsPatch()
    patch.maxConcurrent = 9
    #expect(try refusalCode { try world.send(.updateSettings(patch)) } == .shuttingDown)
  }

  @Test("Drain: continues until nothing can make progress; paused and failed ones do not delay it")
  func drain() throws {
    let world = try World { $0.maxConcurrent = 1 }
    let a = try world.enqueue("a")
    let b = try world.enqueue("b")
    try world.enqueue("p", paused: true)
    try world.send(.stop(.drain))
    #expect(!closes(world))
    let file = try PublishedFile.sample()
    try world.report(a, .publishing(file, kept: .sample(durable: file.length, total: file.length)))
    #expect(world.started == ["b"])
    try world.report(a, .finished(file))
    #expect(!closes(world))
    try world.report(b, .failed(.lost, kept: nil))
    #expect(!closes(world))
    world.advance(seconds: 100)
    try world.send(.timeCame)
    #expect(world.started == ["b"])
    try world.report(b, .failed(.missing, kept: nil))
    #expect(closes(world))
  }

  /// Seed 20 of the simulator's world of commands: such an engine never ended.
  @Test("Drain: an engine that starts no downloads waits for none, whether they are queued or wait for a retry")
  func drainWithoutDownloads() throws {
    let world = try World()
    let a = try world.enqueue("a")
    try world.enqueue("b")
    try world.report(a, .failed(.lost, kept: nil))
    try world.restart(mayDownload: false)
    #expect(world.started.isEmpty && world.downloads.counts[.queued] == 1 && world.downloads.counts[.waiting] == 1)
    try world.send(.stop(.drain))
    #expect(closes(world))
  }

  @Test("Drain: downloads enqueued meanwhile complete too")
  func enqueueWhileDraining() throws {
    let world = try World()
    let a = try world.enqueue("a")
    try world.send(.stop(.drain))
    let b = try world.enqueue("b")
    try world.finish(a, as: .sample("a.mp3"))
    #expect(!closes(world))
    try world.finish(b, as: .sample("b.mp3"))
    #expect(closes(world))
  }

  @Test("Drain: waits for deletions")
  func deletions() throws {
    let world = try World()
    let id = try world.enqueue("a")
    try world.send(.stop(.drain))
    try world.send(.downloads(.cancel(.one(id))))
    try world.report(id, .stopped(kept: nil))
    #expect(!closes(world))
    try world.carryOutDeletions()
    #expect(closes(world))
  }

  @Test("Now outranks drain, in any order")
  func modes() throws {
    let world = try World()
    try world.enqueue("a")
    try world.send(.stop(.drain))
    try world.send(.stop(.now))
    #expect(world.stopped.count == 1)
    try world.send(.stop(.drain))
    #expect(world.lifecycle.stopping == .now)
  }

  @Test("An engine whose recovery failed can be stopped, and starts nothing")
  func beforeRecovery() throws {
    let world = try World()
    try world.enqueue("a")
    try world.restart(isRecovered: false)
    try world.send(.stop(.now))
    #expect(closes(world))
    try world.send(.recovered(Recovery(published: [])))
    #expect(world.started.isEmpty)
  }
}
