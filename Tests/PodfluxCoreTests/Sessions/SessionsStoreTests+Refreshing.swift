import Flux
import Persistence
import Testing

@testable import PodfluxCore

/// How the sessions of refused requests get new tokens, and what waits for them.
extension SessionsStoreTests {
  @Test("Of many requests that are refused one asks for a token, and all are sent again when it has come")
  func singleFlight() throws {
    try begin()
    let downloads = try (0..<5).map { try enqueue("d\($0)") }
    #expect(world.attempts.count == 5)
    var asked = 0
    for id in downloads {
      try refuse(id)
      asked += orders.count
      #expect(try world.row(id).state == .queued)
      #expect(try world.row(id).failures == 0)
      #expect(try visible(id) == .auth)
    }
    #expect(asked == 1)
    #expect(world.attempts.isEmpty, "what waits holds no slot")
    let live = try #require(world.dispatcher.state.sessions.live[1])
    try world.send(.session(.opened(live, expires: nil)))
    #expect(try session().state == .extended)
    #expect(world.attempts.values.allSatisfy { $0.session?.token == 2 } && world.attempts.count == 5)
  }

  @Test("A 401 with a token that was renewed meanwhile asks for no other")
  func lateRefusal() throws {
    try begin()
    let (first, second) = (try enqueue("a"), try enqueue("b"))
    try refuse(first)
    try world.send(.session(.opened(try opening().id, expires: nil)))
    try refuse(second)
    #expect(orders.isEmpty)
    #expect(world.attempts[second]?.session?.token == 2)
  }

  @Test("Refusals of tokens that were replaced meanwhile are no tries: the request is sent until it is let in")
  func outrun() throws {
    try begin()
    let slow = try enqueue("slow")
    for round in 1...5 {
      // Another request is refused first, and has the token renewed, while this one's answer is on its way.
      let quick = try enqueue("quick\(round)")
      try world.report(quick, .checkpoint(.sample(durable: 10)))
      try refuse(quick)
      try world.send(.session(.opened(try opening().id, expires: nil)))
      try world.report(quick, .checkpoint(.sample(durable: 20)))
      try refuse(slow)
      #expect(orders.isEmpty && world.attempts[slow]?.session?.token == Int64(round + 1), "\(round)")
    }
    #expect(try world.row(slow).failures == 0 && session().state == .extended)
  }

  @Test("A 401 right after a fresh token is the login's failure: all that waits fails with its reason")
  func loginFails() throws {
    try begin()
    let downloads = try ["a", "b", "c"].map(enqueue)
    for id in downloads { try refuse(id) }
    let live = try #require(world.dispatcher.state.sessions.live[1])
    try world.send(.session(.opened(live, expires: nil)))
    try refuse(downloads[0])
    #expect(try session().state.kind == .loginFailed)
    guard case .failed(let error) = try world.row(downloads[0]).state else {
      Issue.record("it does not fail")
      return
    }
    #expect(error.code == .unauthorized && error.message.contains("the session \"s\" could not log in"))
    for id in downloads.dropFirst() {
      try refuse(id)
      #expect(try world.row(id).state.kind == .failed)
    }
    // A new one fails, too, and a person who opens the session again may retry.
    let late = try enqueue("d")
    #expect(try world.row(late).state.kind == .failed)
    _ = try open("s", login(secret: Self.other))
    let opening = try opening()
    try world.send(.downloads(.retry(.all)))
    #expect(world.attempts.isEmpty)
    try world.send(.session(.opened(opening.id, expires: nil)))
    #expect(world.attempts.count == 4)
  }

  @Test("A password that others were let in with is not at fault")
  func onlyThis() throws {
    try begin(.basic)
    let (first, second) = (try enqueue("a"), try enqueue("b"))
    try world.report(first, .checkpoint(.sample(durable: 10)))
    try refuse(second)
    #expect(try session().state == .open)
    #expect(try world.row(second).state.kind == .failed)
  }

  @Test("A token that is about to expire is renewed before it is used")
  func renewsInTime() throws {
    try begin(expires: world.clock.wall.advanced(byMilliseconds: 60_000))
    world.advance(seconds: 31)
    let id = try enqueue("a")
    #expect(world.attempts.isEmpty)
    let opening = try opening()
    #expect(opening.token == 2 && !opening.takesKept)
    try world.send(.session(.opened(opening.id, expires: nil)))
    #expect(world.attempts[id]?.session?.token == 2)
  }

  @Test("After a restart a session opens with what is kept, once a request wants it")
  func restarts() throws {
    try begin()
    try world.restart()
    #expect(orders == [.sweep(keeping: [try #require(Self.reference)])])
    #expect(try session().state == .created(isCached: true))
    let id = try enqueue("a")
    #expect(try opening().takesKept)
    try world.send(.session(.opened(try opening().id, expires: nil)))
    #expect(world.attempts[id]?.session?.token == 2)
  }

  @Test("A login that has failed is tried once more when a client asks for something of it")
  func askedAgain() throws {
    try begin(.basic)
    let first = try enqueue("a")
    try refuse(first)
    #expect(try session().state.kind == .loginFailed && world.row(first).state.kind == .failed)
    try world.send(.downloads(.retry(.one(first))))
    #expect(try session().state.kind == .opening)
    try world.send(.session(.opened(try opening().id, expires: nil)))
    #expect(world.attempts[first]?.session != nil)
    try refuse(first)
    #expect(try session().state.kind == .loginFailed)
    // A new one fails as what waited has.
    #expect(try world.row(enqueue("b")).state.kind == .failed)
    #expect(try session().state.kind == .loginFailed)
    try world.send(.podcasts(.refresh(.all)))
    #expect(try session().state == .created(isCached: true))
  }

  @Test("A login that has failed is tried once more after a restart")
  func failedBefore() throws {
    try begin(.basic)
    let first = try enqueue("a")
    try refuse(first)
    #expect(try session().state.kind == .loginFailed && world.row(first).state.kind == .failed)
    try world.restart()
    #expect(try session().state == .created(isCached: true))
    let second = try enqueue("b")
    try world.send(.session(.opened(try opening().id, expires: nil)))
    #expect(world.attempts[second]?.session != nil)
    try refuse(second)
    #expect(try session().state.kind == .loginFailed)
  }

  @Test(
    "A refusal by a server that got no credentials is the request's own, and the session goes on",
    arguments: [401, 403])
  func unsent(status: Int) throws {
    try begin()
    let id = try enqueue("a")
    let error = DownloadError(.unauthorized, "the server answered", status: status, challenge: .unsent)
    try world.report(id, .failed(error, kept: nil))
    #expect(try session().state == .open && orders.isEmpty)
    #expect(try world.row(id).state.kind == .failed)
  }

  @Test("A feed's downloads get its other session, too")
  func followsFeed() throws {
    _ = try open("s", login(.basic))
    try world.send(.session(.opened(try opening().id, expires: nil)))
    try subscribe()
    let refresh = try #require(refresh)
    let contents = try ["a.example", "cdn.example"].map { host in
      EpisodeContent(guid: host, enclosure: .init(address: try .on(host, "e"), mediaType: nil, length: nil))
    }
    try world.send(.refresh(RefreshReport(refresh: refresh.id, news: .appeared(contents))))
    try world.send(.podcasts(.download(.matching(.everything))))
    let ids = world.attempts.keys.sorted()
    for id in ids { try refuse(id) }
    var update = PodcastIntent.Update()
    update.session = .new(try login(.basic, hosts: [], secret: Self.other))
    try world.send(.podcasts(.update(try #require(FeedID("f")), update)))
    let rows = try ids.map { try world.row($0) }
    #expect(rows.first { $0.address.host == "a.example" }?.session == 2)
    #expect(rows.first { $0.address.host == "cdn.example" }?.session == nil)
    #expect(rows.allSatisfy { $0.state.kind == .failed })
  }

  @Test("A session that is not open holds up no other download of its host")
  func holdsUpNoOther() throws {
    try begin()
    let id = try #require(SessionID("s"))
    try world.send(.sessions(.close(id, forgetting: false)))
    _ = try enqueue("a")
    let free = try world.enqueue("free")
    #expect(Array(world.attempts.keys) == [free])
    #expect(world.attempts[free]?.session == nil)
  }

  @Test("A drain does not wait for a session that a client has closed")
  func drains() throws {
    try begin()
    try world.send(.sessions(.close(try #require(SessionID("s")), forgetting: false)))
    _ = try enqueue("a")
    try world.send(.stop(.drain))
    #expect(world.effects.contains(.close))
  }

  @Test("A feed that is refused waits for the refresh, and is refreshed again when it has come")
  func feedWaits() throws {
    try begin()
    try subscribe()
    let first = try #require(refresh)
    try world.send(
      .refresh(
        RefreshReport(
          refresh: first.id, news: .failed(Self.refusal(), next: world.clock.wall.advanced(byDays: 1)))))
    #expect(refresh == nil)
    try world.send(.session(.opened(try opening().id, expires: nil)))
    let second = try #require(refresh)
    #expect(second.session?.token == 2)
    // The fresh token is refused as well: the login has failed, and so has the feed, until the session is opened again.
    try world.send(
      .refresh(
        RefreshReport(
          refresh: second.id, news: .failed(Self.refusal(), next: world.clock.wall.advanced(byDays: 1)))))
    #expect(try session().state.kind == .loginFailed)
    #expect(refresh == nil)
    _ = try open("s", login(secret: Self.other))
    try world.send(.session(.opened(try opening().id, expires: nil)))
    #expect(refresh != nil)
  }

  /// Seed 18551 of the simulator's journals: the feed failed only because a refused action had the store look for it,
  /// and a journal does not have refused actions.
  @Test("A feed that waits for a session fails in the turn in which the login does; a refused action starts nothing")
  func feedFailsWithLogin() throws {
    try begin()
    try subscribe()
    let first = try #require(refresh)
    let end = world.clock.wall.advanced(byDays: 1)
    try world.send(.refresh(RefreshReport(refresh: first.id, news: .failed(Self.refusal(), next: end))))
    let opening = try opening()
    #expect(world.dispatcher.state.podcasts.hostsToSearch == [])
    #expect(throws: Refusal.self) { try world.send(.podcasts(.refresh(.one(try #require(FeedID("none")))))) }
    #expect(world.dispatcher.state.podcasts.hostsToSearch == [], "a refused action leaves nothing in memory")
    try world.send(.session(.failed(opening.id, DownloadError(.unauthorized, "no such client"))))
    #expect(try session().state.kind == .loginFailed)
    var feed: Feed?
    try world.database.read { try $0.forEachFeed { feed = $0 } }
    #expect(feed?.refreshes.error?.message.contains("could not log in: no such client") == true)
  }
}
