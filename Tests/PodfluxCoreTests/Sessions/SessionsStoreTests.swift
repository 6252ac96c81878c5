import Flux
import Persistence
import Testing

@testable import PodfluxCore

@Suite("The sessions store")
struct SessionsStoreTests {
  let world: World
  static let reference = SecretReference(String(repeating: "a", count: 32))
  static let other = SecretReference(String(repeating: "b", count: 32))

  init() throws {
    world = try World { patch in
      patch.maxConcurrent = 8
      patch.maxPerHost = 8
    }
  }

  // MARK: Helpers

  var orders: [SessionOrder] {
    world.effects.compactMap { if case .session(let order) = $0 { order } else { nil } }
  }

  func opening() throws -> SessionOpening {
    try #require(orders.compactMap { if case .open(let opening) = $0 { opening } else { nil } }.first)
  }

  var sessions: [Session] {
    world.dispatcher.state.sessions.view.sessions.values.sorted { $0.key < $1.key }
  }

  func session(at sourceLocation: SourceLocation = #_sourceLocation) throws -> Session {
    let stored = try world.database.read { try $0.sessions() }
    #expect(stored == sessions, sourceLocation: sourceLocation)
    return try #require(stored.first, sourceLocation: sourceLocation)
  }

  func login(
    _ kind: Session.Kind = .refreshing, hosts: [String] = ["a.example"], secret: SecretReference? = reference
  ) throws -> Login {
    Login(
      Session.Wish(
        hosts: hosts, kind: kind, user: kind.needsUser ? "me" : nil,
        tokenURL: kind == .refreshing ? try WebAddress("https://login.example/token") : nil,
        parameter: kind == .parameter ? "auth" : nil, secret: secret))
  }

  func open(_ name: String = "s", _ login: Login) throws -> Reply? {
    try world.send(.sessions(.open(.init(id: SessionID(name), login: login))))
  }

  /// Opens a session, and has it got its first token.
  func begin(_ kind: Session.Kind = .refreshing, expires: Timestamp? = nil) throws {
    _ = try open("s", login(kind))
    try world.send(.session(.opened(try opening().id, expires: expires)))
  }

  func enqueue(_ name: String) throws -> DownloadID {
    let id = try DownloadID.named(name)
    try world.send(
      .downloads(
        .enqueue(.init(id: id, address: try .on("a.example", name), session: SessionID("s").map { .known($0) }))))
    return id
  }

  /// Subscribes to a feed that has the session, or another one.
  func subscribe(_ choice: SessionChoice? = SessionID("s").map { .known($0) }) throws {
    try world.send(
      .podcasts(
        .subscribe(.init(id: FeedID("f"), address: try WebAddress("https://a.example/f.xml"), session: choice))))
  }

  /// The refresh that the last turn has begun.
  var refresh: FeedRefresh? {
    world.effects.compactMap { if case .refreshFeed(let refresh) = $0 { refresh } else { nil } }.first
  }

  func refuse(_ id: DownloadID, _ status: Int = 401) throws {
    try world.report(id, .failed(Self.refusal(status), kept: nil))
  }

  static func refusal(_ status: Int = 401) -> DownloadError {
    DownloadError(status == 403 ? .forbidden : .unauthorized, "the server answered \(status)", status: status)
  }

  func visible(_ id: DownloadID) throws -> WaitingReason? {
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
    let intents: [Intent] = [
      .sessions(.open(.init(id: nil, login: login))),
      .downloads(.enqueue(.init(address: address, session: .new(login)))),
      .downloads(.update(try .named("a"), download)),
      .podcasts(.subscribe(.init(address: address, session: .new(login)))),
      .podcasts(.update(try #require(FeedID("f")), feed)),
    ]
    for intent in intents {
      #expect(!"\(intent)".contains("hunter2"))
      let safe = intent.keepingSecret { source, _ in
        if case .text(let text) = source { kept.append(text) }
        return reference
      }
      #expect("\(safe)".contains(String(repeating: "a", count: 32)))
    }
    #expect(kept == Array(repeating: "hunter2", count: intents.count))
  }
}
