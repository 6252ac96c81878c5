import Flux
import Testing

@testable import PodfluxCore

/// Intents during a living attempt. It keeps its slot until it has ended: there are never two for one id.
@Suite("Stopping attempts")
struct WindingDownTests {
  @Test("A pause stops the attempt, once, and the row takes the kept bytes")
  func pause() throws {
    let world = try World()
    let id = try world.enqueue("a")
    let attempt = try #require(world.attempts[id]).id
    try world.send(.downloads(.pause(.one(id))))
    #expect(world.stopped == [attempt])
    try world.send(.downloads(.pause(.one(id))))
    #expect(world.stopped.isEmpty)
    try world.report(id, .stopped(kept: .sample(durable: 300)))
    #expect(try world.row(id).state == .paused)
    #expect(try world.row(id).progress.durable == 300)
  }

  @Test(
    "Resumed while the old attempt stops: the new one begins after its end, from the kept bytes")
  func pauseAndResume() throws {
    let world = try World()
    let id = try world.enqueue("a")
    let first = try #require(world.attempts[id]).id
    try world.send(.downloads(.pause(.one(id))))
    try world.send(.downloads(.resume(.one(id))))
    #expect(world.started.isEmpty)
    #expect(try world.state(id) == .queued)
    try world.report(id, .checkpoint(.sample(durable: 200)))
    #expect(world.started.isEmpty)
    #expect(try world.row(id).progress.durable == 200)
    try world.report(id, .stopped(kept: .sample(durable: 300)))
    #expect(world.started == ["a"])
    let second = try #require(world.attempts[id])
    #expect(second.id.generation > first.generation)
    #expect(second.resume?.durable == 300)
  }

  @Test("Paused, resumed and paused again in one batch: one stop, and nothing starts")
  func backAndForth() throws {
    let world = try World()
    let id = try world.enqueue("a")
    try world.send(.downloads(.pause(.one(id))), .downloads(.resume(.one(id))), .downloads(.pause(.one(id))))
    #expect(world.stopped.count == 1)
    try world.report(id, .stopped(kept: nil))
    #expect(world.started.isEmpty)
    #expect(try world.state(id) == .paused)
  }

  @Test(
    "An attempt that fails while stopping does not fail a paused or resumed download",
    arguments: [false, true])
  func failsWhileStopping(isResumed: Bool) throws {
    let world = try World()
    let id = try world.enqueue("a")
    try world.send(.downloads(.pause(.one(id))))
    if isResumed { try world.send(.downloads(.resume(.one(id)))) }
    try world.report(id, .failed(.missing, kept: .sample(durable: 10)))
    #expect(try world.state(id).kind == (isResumed ? .running : .paused))
    #expect(try world.row(id).failures == 0)
    #expect(try world.row(id).progress.durable == 10)
  }

  @Test("Cancelled and enqueued again: the new row begins only after the old attempt's end and deletion")
  func cancelAndEnqueue() throws {
    let world = try World()
    let id = try world.enqueue("a")
    let old = try #require(world.attempts[id]).id
    try world.send(.downloads(.cancel(.one(id))))
    #expect(world.stopped == [old])
    #expect(world.deletions.isEmpty)

    try world.enqueue("a", host: "b.example")
    let fresh = try world.row(id)
    #expect(world.started.isEmpty)
    for news: AttemptReport.News in [
      .reading(received: 5, phase: .receiving), .checkpoint(.sample(durable: 5)),
      .restarting(discarding: 5, because: .contentChanged), .publishing(try .sample(), kept: .sample(durable: 1_000)),
    ] {
      try world.report(id, news)
      #expect(try world.row(id) == fresh)
    }
    try world.report(id, .stopped(kept: .sample(durable: 5)))
    #expect(try world.row(id) == fresh)
    #expect(world.deletions.map(\.download) == [id])
    #expect(world.started.isEmpty)

    try world.carryOutDeletions()
    #expect(world.started == ["a"])
    #expect(world.attempts[id]?.resume == nil)
  }

  @Test("Any end of the old attempt leaves the new row unchanged", arguments: ["finished", "failed", "stopped"])
  func endsOfDisowned(end: String) throws {
    let world = try World()
    let id = try world.enqueue("a")
    try world.report(id, .publishing(.sample(), kept: .sample(durable: 1_000)))
    try world.send(.downloads(.cancel(.one(id))))
    try world.enqueue("a", paused: true)
    let fresh = try world.row(id)
    switch end {
    case "finished": try world.report(id, .finished(.sample()))
    case "failed": try world.report(id, .failed(.missing, kept: nil))
    default: try world.report(id, .stopped(kept: nil))
    }
    #expect(world.deletions.map(\.file) == [try .sample()])
    var expected = fresh
    expected.isHeld = try world.row(id).isHeld
    #expect(try world.row(id) == expected)
    try world.carryOutDeletions()
    #expect(try !world.row(id).isHeld)
  }

  @Test("Cancelled, enqueued and cancelled again during the first attempt: nothing is left")
  func cancelTwice() throws {
    let world = try World()
    let id = try world.enqueue("a")
    try world.send(.downloads(.cancel(.one(id))))
    try world.enqueue("a", resume: .sample(durable: 7))
    try world.send(.downloads(.cancel(.one(id))))
    try world.report(id, .stopped(kept: nil))
    #expect(world.deletions.count == 2)
    try world.carryOutDeletions()
    #expect(try world.download(id) == nil)
    #expect(world.downloads.live.isEmpty)
  }

  @Test("All paused and resumed at once during attempts")
  func all() throws {
    let world = try World()
    let ids = try ["a", "b"].map { try world.enqueue($0) }
    try world.send(.downloads(.pause(.all)))
    #expect(world.stopped.count == 2)
    #expect(try world.send(.downloads(.resume(.all))) == .affected(2))
    #expect(world.started.isEmpty)
    for id in ids { try world.report(id, .stopped(kept: nil)) }
    #expect(world.attempts.count == 2)
  }

  @Test("Other headers or another address restart a running download from the kept bytes")
  func update() throws {
    let world = try World()
    let id = try world.enqueue("a")
    var update = DownloadIntent.Update()
    update.headers = [Header(name: "X", value: "y")]
    update.address = try .on("b.example")
    #expect(try world.send(.downloads(.update(id, update))) == .affected(1))
    #expect(world.stopped.count == 1)
    #expect(world.started.isEmpty)
    try world.report(id, .stopped(kept: .sample(durable: 9)))
    let attempt = try #require(world.attempts[id])
    #expect(attempt.description.headers == update.headers)
    #expect(attempt.address == update.address)
    #expect(attempt.resume?.durable == 9)
  }

  @Test("Another title interrupts no attempt")
  func updateTitle() throws {
    let world = try World()
    let id = try world.enqueue("a")
    var update = DownloadIntent.Update()
    update.title = "New"
    update.podcast = "Show"
    try world.send(.downloads(.update(id, update)))
    #expect(world.effects.isEmpty)
    #expect(try world.row(id).description.title == "New")
    #expect(try world.state(id) == .running(.connecting))
  }

  @Test("A publishing or completed download keeps its address")
  func updateTooLate() throws {
    let world = try World()
    let id = try world.enqueue("a")
    var update = DownloadIntent.Update()
    update.address = try .on("b.example")
    try world.report(id, .publishing(.sample(), kept: .sample(durable: 1_000)))
    #expect(try refusalCode { try world.send(.downloads(.update(id, update))) } == .illegalTransition)
    try world.report(id, .finished(.sample()))
    #expect(try refusalCode { try world.send(.downloads(.update(id, update))) } == .illegalTransition)
    #expect(try refusalCode { try world.send(.downloads(.update(.named("absent"), update))) } == .notFound)
  }
}
