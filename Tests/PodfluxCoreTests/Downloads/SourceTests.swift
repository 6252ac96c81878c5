import Flux
import Testing

@testable import PodfluxCore

@Suite("Mirrors, cooldowns of hosts, and full disks")
struct SourceTests {
  static let busy = DownloadError(.httpStatus, "the server answered 429", status: 429)
  static let full = DownloadError(.noSpace, "there is no space left")

  /// A download of a.example with mirrors on b.example and c.example, running.
  private func mirrored(in world: World) throws -> DownloadID {
    let id = try DownloadID.named("x")
    var description = Download.Description()
    description.mirrors = [try .on("b.example"), try .on("c.example")]
    try world.send(.downloads(.enqueue(.init(id: id, address: try .on("a.example"), description: description))))
    return id
  }

  private func host(_ world: World, _ id: DownloadID) -> String? { world.attempts[id]?.address.host }

  // MARK: Mirrors

  @Test("Each address is tried once, in order and without waiting; the round counts as one failure")
  func round() throws {
    let world = try World()
    let id = try mirrored(in: world)
    for expected in ["a.example", "b.example", "c.example"] {
      #expect(host(world, id) == expected)
      #expect(try world.row(id).failures == 0)
      try world.report(id, .failed(.lost, kept: nil))
    }
    #expect(try world.row(id).failures == 1)
    guard case .waiting(.retry) = try world.state(id) else {
      Issue.record("\(try world.state(id)) after a round")
      return
    }
    world.advance(seconds: 60)
    try world.send(.timeCame)
    #expect(host(world, id) == "a.example", "the next round begins with the first")
  }

  @Test("A download fails only if no address failed with a transient error", arguments: [true, false])
  func hope(mayPass: Bool) throws {
    let world = try World()
    let id = try mirrored(in: world)
    try world.report(id, .failed(.missing, kept: nil))
    try world.report(id, .failed(mayPass ? .lost : .missing, kept: nil))
    try world.report(id, .failed(.missing, kept: nil))
    #expect(try world.state(id).kind == (mayPass ? .waiting : .failed))
  }

  @Test("An address that makes progress is kept")
  func progress() throws {
    let world = try World()
    let id = try mirrored(in: world)
    try world.report(id, .failed(.lost, kept: nil))
    try world.report(id, .failed(.lost, kept: .sample(durable: 500)))
    #expect(try world.row(id).source.host == "b.example")
    world.advance(seconds: 60)
    try world.send(.timeCame)
    #expect(host(world, id) == "b.example")
    #expect(world.attempts[id]?.resume == .sample(durable: 500))
  }

  @Test("After an error that is not the address's fault no other is tried")
  func ownTrouble() throws {
    for error in [DownloadError(.io, "broken"), DownloadError(.fileExists, "taken")] {
      let world = try World()
      let id = try mirrored(in: world)
      try world.report(id, .failed(error, kept: nil))
      #expect(try world.state(id) == .failed(error))
    }
  }

  @Test("A person's retry begins with the first address, alone or with all others", arguments: [true, false])
  func retry(all: Bool) throws {
    let world = try World()
    let id = try mirrored(in: world)
    try world.report(id, .failed(.lost, kept: nil))
    try world.send(.downloads(.pause(.one(id))))
    try world.report(id, .stopped(kept: nil))
    #expect(try world.row(id).source.host == "b.example")
    try world.send(.downloads(.resume(all ? .all : .one(id))))
    #expect(host(world, id) == "a.example")
  }

  @Test("Per-host limits count the address in use")
  func limits() throws {
    let world = try World { $0.maxPerHost = 1 }
    let id = try mirrored(in: world)
    try world.enqueue("other", host: "b.example")
    try world.report(id, .failed(.lost, kept: nil))
    #expect(world.attempts[id] == nil, "b.example is busy")
    try world.report(try .named("other"), .failed(.missing, kept: nil))
    #expect(host(world, id) == "b.example")
  }

  // MARK: Hosts

  @Test("One 429 holds back all downloads of its host, and no others; it survives a restart")
  func cooldown() throws {
    let world = try World { $0.maxConcurrent = 1 }
    let first = try world.enqueue("first")
    try world.enqueue("second")
    let elsewhere = try world.enqueue("elsewhere", host: "b.example")
    try world.report(first, .failed(Self.busy, kept: nil, retryAfterMilliseconds: 90_000))
    #expect(world.started == ["elsewhere"])
    guard case .waiting(.retry(let moment, _)) = try world.state(first) else {
      Issue.record("\(try world.state(first))")
      return
    }
    #expect(moment == world.clock.wall.advanced(byMilliseconds: 90_000))
    try world.report(elsewhere, .failed(.missing, kept: nil))
    #expect(world.started.isEmpty)
    try world.restart()
    #expect(world.started.isEmpty)
    #expect(world.wakes == [moment])
    world.advance(seconds: 90)
    try world.send(.timeCame)
    #expect(world.started == ["first"])
    #expect(world.downloads.cooldowns.isEmpty)
  }

  @Test("A host's cooldown lasts for the longest requested time")
  func longest() throws {
    let world = try World()
    let ids = try ["a", "b"].map { try world.enqueue($0) }
    try world.report(ids[0], .failed(Self.busy, kept: nil, retryAfterMilliseconds: 90_000))
    try world.report(ids[1], .failed(Self.busy, kept: nil, retryAfterMilliseconds: 5_000))
    #expect(world.downloads.cooldowns == ["a.example": world.clock.wall.advanced(byMilliseconds: 90_000)])
  }

  @Test("A 429 without a time sets a cooldown as long as a first retry; other failures set none")
  func withoutTime() throws {
    let world = try World()
    let id = try world.enqueue("a")
    try world.report(id, .failed(.lost, kept: nil))
    #expect(world.downloads.cooldowns.isEmpty)
    let other = try world.enqueue("b")
    try world.report(other, .failed(Self.busy, kept: nil))
    let until = try #require(world.downloads.cooldowns["a.example"])
    #expect((5_000...7_500).contains(until.milliseconds - world.clock.wall.milliseconds))
  }

  @Test("A draining engine waits for a host's cooldown")
  func drain() throws {
    let world = try World { $0.maxConcurrent = 1 }
    let first = try world.enqueue("first")
    try world.enqueue("second")
    try world.report(first, .failed(Self.busy, kept: nil, retryAfterMilliseconds: 9_000))
    try world.send(.downloads(.cancel(.one(first))))
    try world.carryOutDeletions()
    try world.send(.stop(.drain))
    #expect(!world.effects.contains(.close))
    world.advance(seconds: 9)
    try world.send(.timeCame)
    #expect(world.started == ["second"])
  }

  // MARK: Full disks

  @Test("A download waits for a full disk for any time, without counting attempts")
  func storage() throws {
    let world = try World { $0.maxAttempts = 1 }
    let id = try world.enqueue("a")
    for _ in 0..<5 {
      try world.report(id, .failed(Self.full, kept: .sample(durable: 10)))
      guard case .waiting(.storage(let moment, Self.full)) = try world.state(id) else {
        Issue.record("\(try world.state(id))")
        return
      }
      #expect((600_000...900_000).contains(moment.milliseconds - world.clock.wall.milliseconds))
      world.advance(seconds: 900)
      try world.send(.timeCame)
      #expect(world.attempts[id]?.resume == .sample(durable: 10))
    }
    #expect(try world.row(id).failures == 0)
  }
}
