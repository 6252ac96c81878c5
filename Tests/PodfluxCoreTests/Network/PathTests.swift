import Flux
import Testing

@testable import PodfluxCore

@Suite("Downloads and the path")
struct PathTests {
  private let world: World

  init() throws {
    world = try World { $0.maxPerHost = 10 }
    try world.send(.path(.wifi))
  }

  @Test("Over cellular, who may not use it is stopped, waits, and goes on by itself; no attempt is counted")
  func policy() throws {
    let id = try world.enqueue("a", may: .inherit)
    try world.send(.path(.cellular))
    #expect(world.stopped.map(\.download) == [id])
    #expect(world.announcements == [.blocked(id, .policy)])
    #expect(try world.state(id) == .queued)
    #expect(try world.obstacle(id) == .policy)
    try world.endStopped()
    #expect(world.started.isEmpty)
    try world.send(.path(.wifi))
    #expect(world.started == ["a"])
    #expect(try world.row(id).failures == 0)
  }

  @Test("A path that comes back before the attempt has ended starts no second one beside it")
  func flapping() throws {
    let id = try world.enqueue("a", may: .unmetered)
    try world.send(.path(.cellular))
    try world.send(.path(.wifi))
    #expect(world.started.isEmpty)
    #expect(try world.state(id) == .queued)
    try world.endStopped()
    #expect(world.started == ["a"])
  }

  @Test("Who may use all paths goes on over the new one, with connections of its own")
  func any() throws {
    let id = try world.enqueue("a", may: .any)
    try world.send(.path(.cellular))
    #expect(world.stopped.map(\.download) == [id])
    #expect(world.announcements.isEmpty)
    try world.endStopped()
    #expect(world.started == ["a"])
  }

  @Test("A path that costs money from now on stops those that may not use it, and nobody else")
  func metered() throws {
    let ids = [try world.enqueue("a", may: .unmetered), try world.enqueue("b", may: .any)]
    try world.send(.path(.hotspot))
    #expect(world.stopped.map(\.download) == [ids[0]])
    #expect(try world.obstacle(ids[0]) == .policy)
    #expect(try world.obstacle(ids[1]) == nil)
  }

  @Test("Without a path everything waits for one, but for what is on loopback")
  func offline() throws {
    let loopback = try world.enqueue("here", on: "127.0.0.1:8080", may: .inherit)
    let ids = [try world.enqueue("a", may: .unmetered), try world.enqueue("b", may: .any)]
    try world.send(.path(.offline))
    #expect(world.stopped.map(\.download) == ids)
    for id in ids { #expect(try world.obstacle(id) == .network) }
    #expect(try world.state(loopback).kind == .running)
    try world.enqueue("there", on: "localhost", may: .inherit)
    #expect(world.started == ["there"])
  }

  @Test(
    "An attempt may take the way that its policy leaves",
    arguments: [
      (NetworkPath.wifi, NetworkPolicy.inherit, "a.example", Route.only(device: "wlan0")),
      (.wifi, .any, "a.example", .any), (.cable, .unmetered, "a.example", .only(device: "eth0")),
      (.cellular, .any, "a.example", .any), (NetworkPath(status: .online), .unmetered, "a.example", .any),
      (.wifi, .inherit, "localhost", .loopback), (.cellular, .inherit, "localhost", .loopback),
      (.cellular, .any, "localhost", .loopback), (.offline, .any, "localhost", .loopback),
    ])
  func routes(path: NetworkPath, policy: NetworkPolicy, host: String, route: Route) throws {
    try world.send(.path(path))
    let id = try world.enqueue("a", on: host, may: policy)
    #expect(world.attempts[id]?.route == route)
  }

  @Test("What is led from loopback to where it may not go waits for a path like others of that host from then on")
  func departing() throws {
    try world.send(.path(.cellular))
    let id = try world.enqueue("a", on: "localhost", may: .inherit)
    try world.report(id, .pathRefused(kept: nil))
    #expect(world.started.isEmpty)
    #expect(try world.obstacle(id) == .policy)
    #expect(try world.row(id).failures == 0)
    let other = try world.enqueue("b", on: "localhost", may: .inherit)
    #expect(try world.obstacle(other) == .policy)
    try world.send(.path(.wifi))
    #expect(world.started == ["a", "b"])
  }

  @Test("A class, a podcast and a download that may use all paths now go on at once, and stop when they may no more")
  func policyChanges() throws {
    try world.send(.path(.cellular))
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

  @Test("While a schedule is closed nothing runs, on loopback neither; it opens by itself")
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
