import Flux
import Testing

@testable import PodfluxCore

@Suite("Downloads and the path")
struct PathTests {
  private let world: World

  init() throws {
    world = try World { $0.maxPerHost = 10 }
    try world.send(.networkPath(.wifi))
  }

  @Test("Over cellular, a download that may not use it is stopped, waits, and resumes; no attempt is counted")
  func policy() throws {
    let id = try world.enqueue("a", may: .inherit)
    try world.send(.networkPath(.cellular))
    #expect(world.stopped.map(\.download) == [id])
    #expect(world.announcements == [.blocked(id, .policy)])
    #expect(try world.state(id) == .queued)
    #expect(try world.obstacle(id) == .policy)
    try world.endStopped()
    #expect(world.started.isEmpty)
    try world.send(.networkPath(.wifi))
    #expect(world.started == ["a"])
    #expect(try world.row(id).failures == 0)
  }

  @Test("A path that returns before the attempt's end starts no second one beside it")
  func flapping() throws {
    let id = try world.enqueue("a", may: .unmetered)
    try world.send(.networkPath(.cellular))
    try world.send(.networkPath(.wifi))
    #expect(world.started.isEmpty)
    #expect(try world.state(id) == .queued)
    try world.endStopped()
    #expect(world.started == ["a"])
  }

  @Test("A download that may use all paths continues over the new one, with new connections")
  func any() throws {
    let id = try world.enqueue("a", may: .any)
    try world.send(.networkPath(.cellular))
    #expect(world.stopped.map(\.download) == [id])
    #expect(world.announcements.isEmpty)
    try world.endStopped()
    #expect(world.started == ["a"])
  }

  @Test("A reading decides nothing, since no journal has it: what verifies is stopped as what receives is")
  func verifying() throws {
    let id = try world.enqueue("a", may: .unmetered)
    try world.report(id, .reading(received: 1_000, phase: .verifying))
    try world.send(.networkPath(.cellular))
    #expect(world.stopped.map(\.download) == [id])
  }

  @Test("An attempt whose file's name is recorded needs no network any more, and is let end")
  func publishing() throws {
    let id = try world.enqueue("a", may: .unmetered)
    let file = try PublishedFile.sample("a.mp3")
    try world.report(id, .publishing(file, kept: .sample(durable: 1_000)))
    try world.send(.networkPath(.cellular))
    #expect(world.stopped.isEmpty)
    try world.report(id, .finished(file, madeFolders: []))
    #expect(try world.state(id).kind == .completed)
  }

  @Test("A path that becomes metered stops those that may not use it, and no others")
  func metered() throws {
    let ids = [try world.enqueue("a", may: .unmetered), try world.enqueue("b", may: .any)]
    try world.send(.networkPath(.hotspot))
    #expect(world.stopped.map(\.download) == [ids[0]])
    #expect(try world.obstacle(ids[0]) == .policy)
    #expect(try world.obstacle(ids[1]) == nil)
  }

  @Test("Without a path all downloads wait for one, except on loopback")
  func offline() throws {
    let loopback = try world.enqueue("here", on: "127.0.0.1:8080", may: .inherit)
    let ids = [try world.enqueue("a", may: .unmetered), try world.enqueue("b", may: .any)]
    try world.send(.networkPath(.offline))
    #expect(world.stopped.map(\.download) == ids)
    for id in ids { #expect(try world.obstacle(id) == .network) }
    #expect(try world.state(loopback).kind == .running)
    try world.enqueue("there", on: "localhost", may: .inherit)
    #expect(world.started == ["there"])
  }

  @Test(
    "An attempt's route follows from its policy",
    arguments: [
      (NetworkPath.wifi, NetworkPolicy.inherit, "a.example", Route.only(device: "wlan0")),
      (.wifi, .any, "a.example", .any), (.cable, .unmetered, "a.example", .only(device: "eth0")),
      (.cellular, .any, "a.example", .any), (NetworkPath(status: .online), .unmetered, "a.example", .any),
      (.wifi, .inherit, "localhost", .loopback), (.cellular, .inherit, "localhost", .loopback),
      (.cellular, .any, "localhost", .loopback), (.offline, .any, "localhost", .loopback),
    ])
  func routes(path: NetworkPath, policy: NetworkPolicy, host: String, route: Route) throws {
    try world.send(.networkPath(path))
    let id = try world.enqueue("a", on: host, may: policy)
    #expect(world.attempts[id]?.route == route)
  }

  @Test("After a redirect from loopback to a forbidden path, the host's downloads wait for a path")
  func departing() throws {
    try world.send(.networkPath(.cellular))
    let id = try world.enqueue("a", on: "localhost", may: .inherit)
    try world.report(id, .pathRefused(kept: nil))
    #expect(world.started.isEmpty)
    #expect(try world.obstacle(id) == .policy)
    #expect(try world.row(id).failures == 0)
    let other = try world.enqueue("b", on: "localhost", may: .inherit)
    #expect(try world.obstacle(other) == .policy)
    try world.send(.networkPath(.wifi))
    #expect(world.started == ["a", "b"])
  }

  @Test("A change of the class's, podcast's or download's policy takes effect at once, in both directions")
  func policyChanges() throws {
    try world.send(.networkPath(.cellular))
    let byClass = try world.enqueue("class", may: .inherit, origin: .auto)
    let byPodcast = try world.enqueue("podcast", may: .inherit, podcast: "Show")
    let byItself = try world.enqueue("itself", may: .inherit)
    for (id, policy) in [(byClass, NetworkPolicy.any), (byClass, .unmetered)] {
      try world.set {
        $0.network = .init()
        $0.network?.auto = policy
      }
      #expect(world.started == (policy == .any ? ["class"] : []))
      #expect(world.stopped.map(\.download) == (policy == .any ? [] : [id]))
    }
    for policy in [NetworkPolicy.any, .inherit] {
      try world.set {
        $0.network = .init()
        $0.network?.podcasts = ["Show": policy]
      }
      #expect(world.started == (policy == .any ? ["podcast"] : []))
      #expect(world.stopped.map(\.download) == (policy == .any ? [] : [byPodcast]))
    }
    for policy in [NetworkPolicy.any, .unmetered] {
      var update = DownloadIntent.Update()
      update.network = policy
      try world.send(.downloads(.update(byItself, update)))
      #expect(world.started == (policy == .any ? ["itself"] : []))
      #expect(world.stopped.map(\.download) == (policy == .any ? [] : [byItself]))
    }
  }

  @Test("While a schedule is closed nothing runs, not even on loopback; then it opens")
  func schedule() throws {
    let ids = [try world.enqueue("a", may: .any), try world.enqueue("b", on: "localhost", may: .any)]
    // A Friday at 8:00.
    try world.set { $0.schedule = [ScheduleWindow(days: [.fri], from: 540, to: 600)] }
    let opening = World.beginning.advanced(byMilliseconds: 3_600_000)
    #expect(Set(world.stopped.map(\.download)) == Set(ids))
    #expect(try world.obstacle(ids[1]) == .schedule(until: opening))
    #expect(world.wakes == [opening])
    try world.endStopped()
    world.advance(seconds: 3600)
    try world.send(.timeCame)
    #expect(world.started.sorted() == ["a", "b"])
    world.advance(seconds: 3600)
    try world.send(.timeCame)
    #expect(Set(world.stopped.map(\.download)) == Set(ids))
  }

  @Test("A clock that is set back closes a schedule again")
  func clockSetBack() throws {
    try world.set { $0.schedule = [ScheduleWindow(days: [.fri], from: 480, to: 600)] }
    let id = try world.enqueue("a", may: .any)
    #expect(world.started == ["a"])
    world.advance(seconds: -7200)
    try world.send(.timeCame)
    #expect(world.stopped.map(\.download) == [id])
  }
}
