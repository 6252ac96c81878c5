import Flux
import Persistence
import Testing

@testable import PodfluxCore

@Suite("The sessions store")
struct SessionsStoreTests {
  private let world: World
  private static let reference = SecretReference(String(repeating: "a", count: 32))
  private static let other = SecretReference(String(repeating: "b", count: 32))

  init() throws {
    world = try World { patch in
      patch.maxConcurrent = 8
      patch.maxPerHost = 8
    }
  }

  // MARK: Helpers

  private var orders: [SessionOrder] {
    world.effects.compactMap { if case .session(let order) = $0 { order } else { nil } }
  }

  private func opening() throws -> SessionOpening {
    try #require(orders.compactMap { if case .open(let opening) = $0 { opening } else { nil } }.first)
  }

  private var sessions: [Session] {
    world.dispatcher.state.sessions.view.sessions.values.sorted { $0.key < $1.key }
  }

  private func session(at sourceLocation: SourceLocation = #_sourceLocation) throws -> Session {
    let stored = try world.database.read { try $0.sessions() }
    #expect(stored == sessions, sourceLocation: sourceLocation)
    return try #require(stored.first, sourceLocation: sourceLocation)
  }

  private func login(
    _ kind: Session.Kind = .refreshing, hosts: [String] = ["a.example"], secret: SecretReference? = reference
  ) throws -> Login {
    Login(
      Session.Wish(
        hosts: hosts, kind: kind, user: kind.needsUser ? "me" : nil,
        tokenURL: kind == .refreshing ? try WebAddress("https://login.example/token") : nil,
        parameter: kind == .parameter ? "auth" : nil, secret: secret))
  }

  private func open(_ name: String = "s", _ login: Login) throws -> Reply? {
    try world.send(.sessions(.open(.init(id: SessionID(name), login: login))))
  }

  /// Opens a session, and has it got its first token.
  private func begin(_ kind: Session.Kind = .refreshing, expires: Timestamp? = nil) throws {
    _ = try open("s", login(kind))
    try world.send(.session(.opened(try opening().id, expires: expires)))
  }

  private func enqueue(_ name: String) throws -> DownloadID {
    let id = try DownloadID.named(name)
    try world.send(
      .downloads(
        .enqueue(.init(id: id, address: try .on("a.example", name), session: SessionID("s").map { .known($0) }))))
    return id
  }

  /// Subscribes to a feed that has the session, or another one.
  private func subscribe(_ choice: SessionChoice? = SessionID("s").map { .known($0) }) throws {
    try world.send(
      .podcasts(
        .subscribe(.init(id: FeedID("f"), address: try WebAddress("https://a.example/f.xml"), session: choice))))
  }

  /// The refresh that the last turn has begun.
  private var refresh: FeedRefresh? {
    world.effects.compactMap { if case .refreshFeed(let refresh) = $0 { refresh } else { nil } }.first
  }

  private func refuse(_ id: DownloadID, _ status: Int = 401) throws {
    try world.report(id, .failed(Self.refusal(status), kept: nil))
  }

  private static func refusal(_ status: Int = 401) -> DownloadError {
    DownloadError(status == 403 ? .forbidden : .unauthorized, "the server answered \(status)", status: status)
  }

  private func visible(_ id: DownloadID) throws -> WaitingReason? {
    world.downloads.obstacles.obstacle(for: try world.row(id))?.reason
  }

  // MARK: Opening and closing

  @Test("A session is opened with one order, and its token is number one")
  func opens() throws {
    #expect(try open("s", login()) == .session(id: try #require(SessionID("s")), state: .opening))
    let order = try opening()
    #expect(order.token == 1 && !order.takesKept)
    try world.send(.session(.opened(order.id, expires: nil)))
    #expect(try session().state == .open)
    #expect(try session().token == 1)
    // A report that comes once more changes nothing.
    try world.send(.session(.opened(order.id, expires: nil)))
    #expect(try session().token == 1)
  }

  @Test("An opening that fails for a while is tried again later, and for good at last")
  func triesAgain() throws {
    _ = try open("s", login())
    for number in 1..<Session.Limits.openingTries {
      try world.send(.session(.failed(try opening().id, DownloadError(.connectFailed, "nothing listens"))))
      #expect(try session().state.kind == .opening, "\(number)")
      #expect(orders.isEmpty)
      world.advance(seconds: 400)
      try world.send(.timeCame)
    }
    try world.send(.session(.failed(try opening().id, DownloadError(.connectFailed, "nothing listens"))))
    #expect(try session().state.kind == .loginFailed)
    world.advance(seconds: 400)
    try world.send(.timeCame)
    #expect(orders.isEmpty)
  }

  @Test("An opening that a wrong clock has put off for years is tried again when the clock is set right")
  func wrongClock() throws {
    let right = world.clock.wall
    world.clock.wall = right.advanced(byDays: 400)
    _ = try open("s", login())
    try world.send(.session(.failed(try opening().id, DownloadError(.connectFailed, "nothing listens"))))
    #expect(orders.isEmpty)
    world.clock.wall = right
    try world.send(.timeCame)
    try world.send(.session(.opened(try opening().id, expires: nil)))
    #expect(try session().state == .open)
  }

  @Test("What is lacking is refused before anything changes")
  func refusals() throws {
    func refusal(_ login: Login) -> Refusal? {
      do {
        _ = try open("x", login)
        return nil
      } catch {
        return error as? Refusal
      }
    }
    #expect(refusal(try login(.basic, secret: nil))?.path == "payload.secret")
    var nameless = try login(.digest)
    nameless.wish.user = nil
    #expect(refusal(nameless)?.path == "payload.user")
    var aimless = try login()
    aimless.wish.tokenURL = nil
    #expect(refusal(aimless)?.path == "payload.tokenURL")
    aimless.wish.tokenURL = try WebAddress("http://login.example/token")
    #expect(refusal(aimless)?.code == .invalidValue)
    #expect(refusal(try login(.none))?.path == "payload.secret")
    #expect(refusal(try login(hosts: []))?.path == "payload.hosts")
    #expect(sessions.isEmpty)
    let unknown = try #require(SessionID("unknown"))
    #expect(throws: Refusal.self) { try world.send(.sessions(.close(unknown, forgetting: true))) }
  }

  @Test("A session that is closed holds its requests, and one that is opened again releases them in their order")
  func closes() throws {
    try begin(.basic)
    let id = try #require(SessionID("s"))
    try world.send(.sessions(.close(id, forgetting: false)))
    #expect(orders == [.leave(id)])
    let downloads = try ["c", "a", "b"].map(enqueue)
    #expect(world.attempts.isEmpty)
    #expect(try visible(downloads[0]) == .auth)
    // The kept secret does.
    _ = try open("s", login(.basic, secret: nil))
    #expect(try opening().wish.secret == Self.reference && opening().takesKept)
    try world.send(.session(.opened(try opening().id, expires: nil)))
    let started = world.effects.compactMap { if case .start(let attempt) = $0 { attempt.id.download } else { nil } }
    #expect(started == downloads)
    #expect(world.attempts[downloads[0]]?.session == SessionUse(session: id, token: 2))
  }

  @Test("To forget deletes the secret, and to open in another way deletes the former one")
  func forgets() throws {
    try begin()
    _ = try open("s", login(secret: Self.other))
    #expect(orders.contains(.forget(try #require(Self.reference))))
    let id = try #require(SessionID("s"))
    try world.send(.sessions(.close(id, forgetting: true)))
    #expect(orders.contains(.forget(try #require(Self.other))))
    #expect(try session().wish.secret == nil)
    #expect(throws: Refusal.self) { _ = try open("s", login(secret: nil)) }
  }

  // MARK: Refreshes

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

  @Test("A login whose secret is in the address takes the parameter out of the row, and leaves it nowhere")
  func leavesAddress() throws {
    let url = "https://a.example/x?n=1&auth=s3cret"
    let (feed, id) = (try #require(FeedID("f")), try DownloadID.named("d"))
    try world.send(.podcasts(.subscribe(.init(id: feed, address: try WebAddress(url)))))
    try world.send(.downloads(.enqueue(.init(id: id, address: try WebAddress(url)))))
    var (download, podcast) = (DownloadIntent.Update(), PodcastIntent.Update())
    download.session = .new(try login(.parameter, hosts: []))
    podcast.session = .new(try login(.parameter, hosts: [], secret: Self.other))
    try world.send(.downloads(.update(id, download)))
    try world.send(.podcasts(.update(feed, podcast)))
    #expect(try world.row(id).address.description == "https://a.example/x?n=1")
    let row = try #require(try world.database.read { try $0.feeds(.init(ids: [feed]), refreshing: []).items.first })
      .feed
    #expect(row.address.description == "https://a.example/x?n=1" && row.refreshes.formerAddresses.isEmpty)
    #expect(sessions.map(\.wish.hosts) == [["a.example"], ["a.example"]])
    // The same in one step, with the address.
    podcast.address = try WebAddress("https://a.example/y")
    try world.send(.podcasts(.update(feed, podcast)))
    let moved = try #require(try world.database.read { try $0.feeds(.init(ids: [feed]), refreshing: []).items.first })
      .feed
    #expect(moved.refreshes.formerAddresses.map(\.description) == ["https://a.example/x?n=1"])
  }

  @Test("A request whose address has a parameter of the session's name goes without the session")
  func ownParameter() throws {
    try begin(.parameter)
    let (own, other) = (try DownloadID.named("own"), try DownloadID.named("other"))
    for (id, query) in [(own, "?auth=x"), (other, "?n=1")] {
      var wish = DownloadIntent.Enqueue(id: id, address: try WebAddress("https://a.example/\(id)\(query)"))
      wish.feedSession = 1
      try world.send(.downloads(.enqueue(wish)))
    }
    #expect(world.attempts[own] != nil && world.attempts[own]?.session == nil)
    #expect(world.attempts[other]?.session?.token == 1)
    // What it is refused says nothing of the session.
    try refuse(own, 403)
    #expect(try session().state == .open)
  }

  @Test("A client's address that has the parameter of its session is refused: the secret would stand in the row")
  func parameterInAddress() throws {
    try begin(.parameter)
    let choice = SessionID("s").map { SessionChoice.known($0) }
    let address = try WebAddress("https://a.example/x?auth=s3cret")
    func isRefused(_ intent: Action) -> Bool {
      do {
        try world.send(intent)
        return false
      } catch let refusal as Refusal {
        return refusal.path == "payload.url" && !refusal.message.contains("s3cret")
      } catch {
        return false
      }
    }
    #expect(isRefused(.downloads(.enqueue(.init(address: address, session: choice)))))
    #expect(isRefused(.podcasts(.subscribe(.init(address: address, session: choice)))))
    let id = try enqueue("a")
    try subscribe()
    var (download, podcast) = (DownloadIntent.Update(), PodcastIntent.Update())
    (download.address, podcast.address) = (address, address)
    #expect(isRefused(.downloads(.update(id, download))))
    #expect(isRefused(.podcasts(.update(try #require(FeedID("f")), podcast))))
    // One that is there already: the session would have no effect.
    let plain = try DownloadID.named("plain")
    try world.send(.downloads(.enqueue(.init(id: plain, address: try WebAddress("https://a.example/y?auth=s3cret")))))
    var choosing = DownloadIntent.Update()
    choosing.session = choice
    #expect(isRefused(.downloads(.update(plain, choosing))))
    choosing = DownloadIntent.Update()
    choosing.mirrors = [try WebAddress("https://a.example/m?auth=s3cret")]
    #expect(isRefused(.downloads(.update(id, choosing))))
    // Elsewhere it is no secret of the session.
    download.address = try WebAddress("https://b.example/x?auth=1")
    try world.send(.downloads(.update(id, download)))
  }

  // MARK: Opening again

  @Test("Of a session that is opened again what is left out stays; its secret reaches no other host")
  func opensAgain() throws {
    try begin(.basic)
    let id = try #require(SessionID("s"))
    func open(_ hosts: [String], _ kind: Session.Kind = .basic, user: String? = nil) throws {
      try world.send(.sessions(.open(.init(id: id, login: Login(.init(hosts: hosts, kind: kind, user: user))))))
    }
    try open([])
    #expect(try session().wish == login(.basic).wish)
    #expect(try opening().takesKept)
    try open(["a.example"], user: "you")
    #expect(try session().wish.user == "you" && session().wish.secret == Self.reference)
    for hosts in [["a.example", "b.example"], ["b.example"]] {
      #expect(throws: Refusal.self, "\(hosts)") { try open(hosts) }
    }
    #expect(throws: Refusal.self) { try open([], .digest) }
    #expect(try session().wish.secret == Self.reference)
    #expect(throws: Refusal.self) { try open([], user: "a:b") }
  }

  // MARK: Sessions that go with what they were made for

  private var forgotten: [SecretReference] {
    world.effects.compactMap { if case .session(.forget(let secret)) = $0 { secret } else { nil } }
  }

  @Test("A session that auth has made goes, with its secret, with the last that refers to it")
  func ownSessions() throws {
    let (feed, id) = (try #require(FeedID("f")), try DownloadID.named("d"))
    try subscribe(.new(login(.basic, hosts: [])))
    let made = try session()
    #expect(made.isOwn)
    try world.send(
      .downloads(.enqueue(.init(id: id, address: try .on("a.example", "d"), session: .known(made.id)))))
    try world.send(.podcasts(.unsubscribe(feed, deletingFiles: false)))
    #expect(sessions.count == 1 && forgotten.isEmpty, "the download has it")
    try world.send(.downloads(.remove(.one(id), deletingFile: true)))
    #expect(sessions.isEmpty && forgotten == [Self.reference])
    #expect(try world.database.read { try $0.sessions() }.isEmpty)
  }

  @Test("It goes too when its feed gets another one, and when many downloads go at once")
  func ownSessionsReplaced() throws {
    let (feed, id) = (try #require(FeedID("f")), try DownloadID.named("d"))
    let own = SessionChoice.new(try login(.basic, hosts: []))
    try subscribe(own)
    var update = PodcastIntent.Update()
    update.session = .new(try login(.basic, hosts: [], secret: Self.other))
    try world.send(.podcasts(.update(feed, update)))
    #expect(sessions.map(\.wish.secret) == [Self.other] && forgotten == [Self.reference])
    update.session = SessionChoice.none
    try world.send(.podcasts(.update(feed, update)))
    #expect(sessions.isEmpty && forgotten == [Self.other])
    try world.send(.downloads(.enqueue(.init(id: id, address: try .on("a.example", "d"), session: own))))
    try world.send(.downloads(.pause(.one(id))))
    #expect(sessions.count == 1)
    try world.send(.downloads(.remove(.matching(.everything), deletingFile: true)))
    #expect(sessions.isEmpty && forgotten == [Self.reference])
  }

  @Test("A session that a client has opened by its id stays when nothing refers to it")
  func clientsSessions() throws {
    try begin()
    let id = try enqueue("a")
    try world.send(.downloads(.remove(.one(id), deletingFile: true)))
    #expect(try !session().isOwn && forgotten.isEmpty)
  }

  // MARK: Who has which session

  @Test("`auth` makes a session for the address's host, and another host is refused")
  func choices() throws {
    let id = try DownloadID.named("a")
    try world.send(
      .downloads(.enqueue(.init(id: id, address: try .on("b.example", "a"), session: .new(try login(.basic))))))
    #expect(try session().wish.hosts == ["b.example"])
    #expect(try world.row(id).session == 1)
    #expect(try opening().wish.kind == .basic)
    let made = try session().id
    #expect(throws: Refusal.self) {
      try world.send(.downloads(.enqueue(.init(address: try .on("c.example", "c"), session: .known(made)))))
    }
    var update = DownloadIntent.Update()
    update.address = try .on("c.example", "a")
    try world.send(.downloads(.update(id, update)))
    #expect(try world.row(id).session == nil)
  }

  @Test("An episode's download has its feed's session on the session's hosts, and none elsewhere")
  func inherits() throws {
    try begin()
    try subscribe()
    let refresh = try #require(refresh)
    #expect(refresh.session == SessionUse(session: try #require(SessionID("s")), token: 1))
    let hosts = ["a.example", "cdn.example"]
    let contents = try hosts.map { host in
      EpisodeContent(guid: host, enclosure: .init(address: try .on(host, "e"), mediaType: nil, length: nil))
    }
    try world.send(.refresh(RefreshReport(refresh: refresh.id, news: .appeared(contents))))
    try world.send(.podcasts(.download(.matching(.everything))))
    let sent = world.attempts.values.map { ($0.address.host, $0.session?.token) }.sorted { $0.0 < $1.0 }
    #expect(sent.map(\.0) == hosts && sent.map(\.1) == [1, nil])
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

  @Test("A secret is put into the vault before a turn sees the action")
  func keepsSecrets() throws {
    let login = Login(try login(.basic, secret: nil).wish, source: .text("hunter2"))
    var kept: [String] = []
    let reference = try #require(Self.reference)
    let address = try WebAddress("https://a.example/f")
    var feed = PodcastIntent.Update()
    feed.session = .new(login)
    var download = DownloadIntent.Update()
    download.session = .new(login)
    let actions: [Action] = [
      .sessions(.open(.init(id: nil, login: login))),
      .downloads(.enqueue(.init(address: address, session: .new(login)))),
      .downloads(.update(try .named("a"), download)),
      .podcasts(.subscribe(.init(address: address, session: .new(login)))),
      .podcasts(.update(try #require(FeedID("f")), feed)),
    ]
    for action in actions {
      #expect(!"\(action)".contains("hunter2"))
      let safe = action.keepingSecret { source, _ in
        if case .text(let text) = source { kept.append(text) }
        return reference
      }
      #expect("\(safe)".contains(String(repeating: "a", count: 32)))
    }
    #expect(kept == Array(repeating: "hunter2", count: actions.count))
  }

  @Test("When all numbers are given, those of forgotten sessions that nothing refers to are given again")
  func room() throws {
    world.checksInvariants = false
    for number in 0..<Session.Limits.sessions { _ = try open("s\(number)", login(.bearer)) }
    #expect(throws: Refusal.self) { _ = try open("more", login(.bearer)) }
    try world.send(.sessions(.close(try #require(SessionID("s7")), forgetting: true)))
    _ = try open("more", login(.bearer))
    #expect(sessions.first { $0.id == SessionID("more") }?.key == 8)
    #expect(sessions.count == Session.Limits.sessions)
  }

  @Test("A login of a download gets the number of a forgotten session, too")
  func roomForLogins() throws {
    world.checksInvariants = false
    func enqueue(_ name: String) throws {
      let address = try WebAddress.on("a.example", name)
      try world.send(.downloads(.enqueue(.init(id: DownloadID(name), address: address, session: .new(login(.bearer))))))
    }
    for number in 0..<Session.Limits.sessions { _ = try open("s\(number)", login(.bearer)) }
    #expect(throws: Refusal.self) { try enqueue("a") }
    try world.send(.sessions(.close(try #require(SessionID("s7")), forgetting: true)))
    try enqueue("a")
    #expect(sessions.contains { $0.isOwn && $0.key == 8 })
    #expect(throws: Refusal.self) { try enqueue("b") }
  }
}
