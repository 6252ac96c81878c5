import Flux
import Testing

@testable import PodfluxCore

@Suite("Enqueueing")
struct EnqueueTests {
  private func wish(_ id: String?, _ host: String = "a.example", _ path: String = "1.mp3") throws -> Action {
    .downloads(.enqueue(.init(id: try id.map(DownloadID.named), address: try .on(host, path))))
  }

  @Test("A new download gets the client's id, and starts at once")
  func named() throws {
    let world = try World()
    #expect(try world.send(wish("ep-1")) == .enqueued(id: try .named("ep-1"), created: true))
    #expect(world.started == ["ep-1"])
    #expect(try world.row(.named("ep-1")).dates == .init(added: World.beginning, started: World.beginning))
  }

  @Test("Without an id the engine makes one, from the seed only")
  func unnamed() throws {
    let first = try World().send(wish(nil))
    let again = try World().send(wish(nil))
    #expect(first == again)
    guard case .enqueued(let id, created: true) = first else {
      Issue.record("not created")
      return
    }
    #expect(DownloadID(id.description) == id)
  }

  @Test("Two downloads without an id in one batch get two ids")
  func unnamedTogether() throws {
    let world = try World()
    try world.dispatch([wish(nil), wish(nil, "a.example", "2.mp3")])
    #expect(world.downloads.counts[.running] == 2)
  }

  @Test("The same id again is the same download, with any address and state", arguments: [false, true])
  func sameName(hasFailed: Bool) throws {
    let world = try World()
    let id = try world.enqueue("ep-1")
    if hasFailed { try world.report(id, .failed(.missing, kept: nil)) }
    let before = try world.row(id)
    #expect(try world.send(wish("ep-1", "b.example")) == .enqueued(id: id, created: false))
    #expect(try world.row(id) == before)
  }

  @Test("The same address without an id is the same download")
  func sameAddress() throws {
    let world = try World()
    let id = try world.enqueue("ep-1")
    #expect(try world.send(wish(nil, "a.example", "ep-1")) == .enqueued(id: id, created: false))
  }

  @Test("The same address in one batch is found too")
  func sameAddressInOneBatch() throws {
    let world = try World()
    let outcomes = try world.dispatch([wish("ep-1"), wish(nil)])
    guard case .handled(let reply) = outcomes[1] else {
      Issue.record("refused")
      return
    }
    #expect(reply == .enqueued(id: try .named("ep-1"), created: false))
  }

  @Test("The same address with another id is another download")
  func sameAddressOtherName() throws {
    let world = try World()
    try world.send(wish("ep-1"))
    #expect(try world.send(wish("ep-2")) == .enqueued(id: try .named("ep-2"), created: true))
  }

  @Test("A completed download with the address prevents a new one; a failed one does not")
  func finishedAddresses() throws {
    let world = try World()
    let completed = try world.enqueue("done")
    try world.finish(completed, as: .sample())
    #expect(try world.send(wish(nil, "a.example", "done")) == .enqueued(id: completed, created: false))

    let failed = try world.enqueue("lost")
    try world.report(failed, .failed(.missing, kept: nil))
    let reply = try world.send(wish(nil, "a.example", "lost"))
    guard case .enqueued(let id, created: true) = reply else {
      Issue.record("a failed download must not stand in the way: \(String(describing: reply))")
      return
    }
    #expect(id != failed)
  }

  @Test("A paused download does not start, and can be resumed")
  func paused() throws {
    let world = try World()
    let id = try world.enqueue("ep-1", paused: true)
    #expect(world.started.isEmpty)
    #expect(try world.state(id) == .paused)
    try world.send(.downloads(.resume(.one(id))))
    #expect(world.started == ["ep-1"])
  }

  @Test("An imported record goes to the attempt, and its length is shown")
  func importedRecord() throws {
    let world = try World()
    let record = ResumeRecord.sample(durable: 400, total: 1_000)
    let id = try world.enqueue("ep-1", resume: record)
    #expect(world.attempts[id]?.resume == record)
    #expect(try world.row(id).progress.total == 1_000)
    #expect(try world.row(id).progress.durable == 0)
  }

  @Test("An attempt gets the client's whole description")
  func attempt() throws {
    let world = try World()
    let id = try DownloadID.named("ep-1")
    let description = Download.Description(
      podcast: "Show", title: "One", published: PublicationDate(World.beginning),
      path: try LibraryPath(validating: "a/b.mp3"),
      headers: [Header(name: "Authorization", value: "secret")], expectedLength: 5)
    try world.send(
      .downloads(.enqueue(.init(id: id, address: .on("a.example"), description: description, origin: .auto))))
    let attempt = try #require(world.attempts[id])
    #expect(attempt.description == description)
    #expect(attempt.origin == .auto)
    #expect(attempt.settings == world.dispatcher.state.settings.settings)
    #expect(attempt.id.generation == world.dispatcher.position.sequence)
  }
}
