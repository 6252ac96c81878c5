import Flux
import Testing

@testable import PodfluxCore

@Suite("Reports of attempts")
struct ReportTests {
  @Test("A checkpoint is in the row when its turn commits")
  func checkpoint() throws {
    let world = try World()
    let id = try world.enqueue("a")
    let record = ResumeRecord.sample(durable: 250)
    try world.report(id, .checkpoint(record))
    #expect(try world.state(id) == .running(.receiving))
    #expect(try world.row(id).progress == .init(durable: 250, total: 1_000, resume: record))
  }

  @Test("A reading changes memory only, and is no revision")
  func reading() throws {
    let world = try World()
    let id = try world.enqueue("a")
    let before = try world.row(id)
    let position = world.dispatcher.position
    try world.report(id, .reading(received: 77, phase: .receiving))
    #expect(try world.row(id) == before)
    #expect(world.dispatcher.position == position)
    #expect(world.downloads.live[id]?.received == 77)
    #expect(world.downloads.live[id]?.phase == .receiving)
  }

  @Test("Speed is measured over half seconds and smoothed, all transfers together")
  func speed() throws {
    let world = try World()
    let id = try world.enqueue("a")
    func read(_ received: Int64, after milliseconds: Int64) throws {
      world.clock.monotonicMilliseconds += milliseconds
      try world.report(id, .reading(received: received, phase: .receiving))
    }
    try read(0, after: 0)
    try read(100, after: 100)
    #expect(world.downloads.bytesPerSecond == 0)
    try read(1_000, after: 400)
    #expect(world.downloads.bytesPerSecond == 2_000)
    try read(1_000, after: 500)
    #expect(world.downloads.bytesPerSecond == 1_500)
  }

  @Test("A restart is in the row before the attempt may continue: durable never exceeds the bytes on the disk")
  func restart() throws {
    let world = try World()
    let id = try world.enqueue("a")
    try world.report(id, .checkpoint(.sample(durable: 250)))
    try world.report(id, .restarting(discarding: 250, because: .validatorChanged))
    #expect(world.proceeding == [world.attempts[id]?.id])
    #expect(try world.state(id) == .running(.connecting))
    #expect(try world.row(id).progress == .init(discarded: .bytes(250, .validatorChanged)))
    try world.report(id, .checkpoint(.sample(durable: 100)))
    try world.report(id, .restarting(discarding: 120, because: .contentChanged))
    var discarded = Download.Discarded.bytes(250, .validatorChanged)
    discarded.add(120, because: .contentChanged)
    #expect(try world.row(id).progress == .init(discarded: discarded))
    #expect(world.downloads.discarded == discarded)
    try world.restart()
    #expect(world.downloads.discarded == discarded, "what all have thrown away is kept over a restart")
  }

  @Test("A file is published in two steps: the row records its path before the file has it")
  func publish() throws {
    let world = try World()
    let id = try world.enqueue("a")
    let file = try PublishedFile.sample()
    try world.report(id, .publishing(file, kept: .sample(durable: 1_000)))
    #expect(world.proceeding == [world.attempts[id]?.id])
    #expect(try world.state(id) == .running(.publishing(file)))
    world.advance(seconds: 1)
    try world.report(id, .finished(file))
    let row = try world.row(id)
    #expect(row.state == .completed(file))
    #expect(row.progress == .init(durable: 1_000, total: 1_000))
    #expect(row.dates.finished == world.clock.wall)
    #expect(world.downloads.live.isEmpty)
  }

  @Test("After its path was taken another one is announced")
  func publishUnderAnotherName() throws {
    let world = try World()
    let id = try world.enqueue("a")
    try world.report(id, .publishing(.sample("1.mp3"), kept: .sample(durable: 1_000)))
    try world.finish(id, as: .sample("1 (2).mp3"))
    #expect(try world.state(id) == .completed(.sample("1 (2).mp3")))
  }

  @Test("A pause or cancellation before the announcement of the file wins: nothing proceeds", arguments: [false, true])
  func publishRace(isCancelled: Bool) throws {
    let world = try World()
    let id = try world.enqueue("a")
    try world.send(.downloads(isCancelled ? .cancel(.one(id)) : .pause(.one(id))))
    try world.report(id, .publishing(.sample(), kept: .sample(durable: 1_000)))
    #expect(world.proceeding.isEmpty)
    try world.report(id, .stopped(kept: .sample(durable: 1_000)))
    #expect(try world.download(id)?.state == (isCancelled ? nil : .paused))
    #expect(world.deletions.map(\.file) == (isCancelled ? [nil] : []))
  }

  @Test("A cancellation after the announcement of the file deletes it, renamed or not")
  func cancelWhilePublishing() throws {
    let world = try World()
    let id = try world.enqueue("a")
    try world.report(id, .publishing(.sample(), kept: .sample(durable: 1_000)))
    try world.send(.downloads(.cancel(.one(id))))
    try world.report(id, .finished(.sample()))
    #expect(try world.download(id) == nil)
    #expect(world.deletions.map(\.file) == [try .sample()])
  }

  @Test("A late report of an older attempt is dropped")
  func oldGeneration() throws {
    let world = try World()
    let id = try world.enqueue("a")
    let old = try #require(world.attempts[id]).id
    try world.send(.downloads(.pause(.one(id))))
    try world.report(id, .stopped(kept: .sample(durable: 10)))
    try world.send(.downloads(.resume(.one(id))))
    let before = try world.row(id)
    for news: AttemptReport.News in [
      .reading(received: 900, phase: .receiving), .checkpoint(.sample(durable: 900)),
      .restarting(discarding: 9, because: .lengthChanged), .publishing(try .sample(), kept: .sample(durable: 1_000)),
      .finished(try .sample()), .failed(.missing, kept: nil), .stopped(kept: nil),
    ] {
      try world.send(.attempt(AttemptReport(attempt: old, news: news)))
      #expect(world.effects.isEmpty)
      #expect(try world.row(id) == before)
    }
    #expect(world.downloads.live[id]?.received == 10)
  }

  @Test("A report for an unknown id is dropped")
  func unknownName() throws {
    let world = try World()
    let attempt = AttemptID(download: try .named("absent"), generation: 1)
    try world.send(.attempt(AttemptReport(attempt: attempt, news: .finished(.sample()))))
    #expect(world.downloads.counts.values.allSatisfy { $0 == 0 })
  }

  /// If the row stayed running, it would not run again before the next start.
  @Test("A file other than the announced one completes nothing, and leaves no row running without an attempt")
  func finishedWithAnotherFile() throws {
    let world = try World()
    let id = try world.enqueue("a")
    try world.report(id, .publishing(.sample(inode: 1), kept: .sample(durable: 1_000)))
    try world.report(id, .finished(.sample(inode: 2)))
    #expect(try world.state(id).kind != .completed)
  }
}
