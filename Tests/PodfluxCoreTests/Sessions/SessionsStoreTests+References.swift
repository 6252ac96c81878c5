import Flux
import Persistence
import Testing

@testable import PodfluxCore

/// Which requests have a session, and how long a session stays that they refer to.
extension SessionsStoreTests {
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
