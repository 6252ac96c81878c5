import Flux
import Persistence
import Testing

@testable import PodfluxCore

@Suite("The sidecars store")
struct SidecarsStoreTests {
  let world: World

  init() throws {
    world = try World { $0.sidecars = SidecarKinds([.info]) }
  }

  // MARK: Helpers

  var rows: [Sidecar] { get throws { try world.database.read { try $0.sidecars(limit: 100) } } }

  func row() throws -> Sidecar {
    let rows = try rows
    #expect(rows.count == 1)
    return try #require(rows.first)
  }

  var orders: [SidecarOrder] {
    world.effects.compactMap { if case .sidecar(let order) = $0 { order } else { nil } }
  }

  var fetches: [SidecarFetch] { orders.compactMap { if case .fetch(let fetch) = $0 { fetch } else { nil } } }

  var deletions: [SidecarDeletion] {
    orders.compactMap { if case .delete(let deletion) = $0 { deletion } else { nil } }
  }

  func set(_ kinds: [SidecarKind]) throws {
    var patch = SettingsPatch()
    patch.sidecars = SidecarKinds(kinds)
    try world.send(.updateSettings(patch))
  }

  func complete(_ name: String, inode: UInt64 = 7) throws -> DownloadID {
    let id = try world.enqueue(name)
    try world.finish(id, as: try .sample("\(name).mp3", length: 70, inode: inode))
    return id
  }

  func file(_ name: String, inode: UInt64 = 500) throws -> PublishedFile {
    PublishedFile(
      path: try LibraryPath(validating: "Show/\(name)"), length: 10, inode: inode, modifiedNanoseconds: 1)
  }

  func report(_ fetch: SidecarFetch, _ news: SidecarReport.News) throws {
    try world.send(.sidecar(.fetch(SidecarReport(fetch: fetch.id, news: news))))
  }

  /// Lets the fetch of the last turn bring its file.
  @discardableResult
  func bring(_ name: String, inode: UInt64 = 500) throws -> PublishedFile {
    let (fetch, file) = (try #require(fetches.first), try file(name, inode: inode))
    try report(fetch, .publishing(file))
    #expect(orders == [.proceed(fetch.id)])
    try report(fetch, .finished(file))
    return file
  }

  /// Subscribes to a feed that has one episode, and completes its download in a folder.
  @discardableResult
  func completeEpisode(
    in folder: String = "Show", inode: UInt64 = 7, notes: String? = nil
  ) throws -> DownloadID {
    let episode = try subscribe(toFeedHaving: try .on("media.example"), notes: notes)
    try world.send(.podcasts(.download(.one(episode))))
    let id = try #require(world.attempts.keys.first)
    let file = PublishedFile(
      path: try LibraryPath(validating: "\(folder)/One.mp3"), length: 70, inode: inode)
    try world.finish(id, as: file)
    return id
  }

  /// Subscribes to a feed that has one episode, with this file.
  func subscribe(toFeedHaving enclosure: WebAddress, notes: String? = nil) throws -> EpisodeID {
    let feed = try #require(FeedID("f"))
    try world.send(.podcasts(.subscribe(.init(id: feed, address: try WebAddress("https://feeds.example/f.xml")))))
    let refresh = try #require(
      world.effects.compactMap { if case .refreshFeed(let refresh) = $0 { refresh } else { nil } }.first)
    let content = EpisodeContent(
      guid: "g", title: "One", enclosure: .init(address: enclosure, mediaType: "audio/mpeg", length: 5),
      chapters: try WebAddress("https://side.example/chapters"),
      transcript: try WebAddress("https://side.example/transcript"), notes: notes.map { EpisodeNotes($0) })
    try world.send(.refresh(RefreshReport(refresh: refresh.id, news: .appeared([content]))))
    let podcast = PodcastContent(title: "Show", image: "https://side.example/picture", language: "de-AT")
    try world.send(
      .refresh(
        RefreshReport(
          refresh: refresh.id,
          news: .refreshed(
            .init(podcast: podcast, validators: .init(), next: world.clock.wall.advanced(byMilliseconds: 9_000_000))))))
    let episodes = try world.database.read {
      try $0.episodes(
        .init(condition: .everything, order: .init(.added), limit: 9), at: ConditionMoment(now: world.clock.wall)
      ).items
    }
    return try #require(episodes.first).episode.id
  }

  // MARK: Fetching

  @Test("Without the setting nothing is wanted, and with it each completed download gets its info")
  func info() throws {
    try set([])
    _ = try complete("a")
    #expect(try rows.isEmpty && orders.isEmpty)
    try set([.info])
    let fetch = try #require(fetches.first)
    #expect(fetch.stem == "Show/a.info")
    guard case .text(let text) = fetch.source else { throw Refusal(.invalidValue, "it has no text") }
    #expect(text.contains("\"url\": \"https://a.example/a\""))
    let file = try bring("a.info.json")
    #expect(try row().state == .present(file))
    #expect(orders.isEmpty)
  }

  @Test("Chapters, transcript and cover come from the feed, the transcript named by the podcast's language")
  func episode() throws {
    try set([.cover, .chapters, .transcript])
    try completeEpisode()
    // Two at once on a host.
    #expect(fetches.map(\.stem) == ["Show/One.chapters", "Show/One.de"])
    #expect(fetches.allSatisfy { $0.route == .any })
    try report(try #require(fetches.first), .failed(.missing, retryAfter: nil))
    #expect(fetches.map(\.stem) == ["Show/cover"])
    #expect(try rows.first?.state == .failed(DownloadError.missing.message))
  }

  /// Has the feed say something else of its episode's notes.
  @discardableResult
  func change(notes: String, in running: FeedRefresh.ID? = nil) throws -> FeedRefresh.ID {
    if running == nil { try world.send(.podcasts(.refresh(.one(try #require(FeedID("f")))))) }
    let started = world.effects.compactMap { if case .refreshFeed(let refresh) = $0 { refresh.id } else { nil } }.first
    let refresh = try #require(running ?? started)
    let row = try #require(
      try world.database.read {
        try $0.episodes(.init(order: .init(.added), limit: 9), at: ConditionMoment(now: world.clock.wall)).items.first
      })
    var content = row.episode.content
    content.notes = EpisodeNotes(notes)
    let change = RefreshReport.EpisodeChange(id: row.episode.id, content: content, formerNames: .init())
    try world.send(.refresh(RefreshReport(refresh: refresh, news: .changed([change]))))
    return refresh
  }

  @Test("Notes are written as they are when the file is made, and a written file stays as it is")
  func notes() throws {
    try set([.notes])
    try completeEpisode(notes: "<p>One</p>")
    let fetch = try #require(fetches.first)
    #expect(fetch.stem == "Show/One" && fetch.kind == .notes)
    guard case .text(let text) = fetch.source else { throw Refusal(.invalidValue, "it has no text") }
    #expect(text.contains("<title>One</title>") && text.contains("<p>One</p>"))
    try bring("One.html")
    try change(notes: "<p>Two</p>")
    #expect(fetches.isEmpty)
    #expect(try rows.count == 1)
  }

  @Test("A file that was there before its episode gets the notes when the two are joined")
  func joined() throws {
    try set([.notes])
    let id = try complete("a")
    #expect(try rows.isEmpty)
    let address = try #require(try world.database.read { try $0.download(id) }).address
    let episode = try subscribe(toFeedHaving: address, notes: "<p>One</p>")
    #expect(try rows.isEmpty)
    try world.send(.podcasts(.download(.one(episode))))
    #expect(fetches.map(\.stem) == ["Show/a"])
    #expect(try row().owner == id)
  }

  @Test("Notes that come later than the file are written then, and none are where the feed has none")
  func lateNotes() throws {
    try set([.notes])
    try completeEpisode()
    #expect(try rows.isEmpty && fetches.isEmpty)
    let refresh = try change(notes: "<p>Late</p>")
    let fetch = try #require(fetches.first)
    guard case .text(let text) = fetch.source else { throw Refusal(.invalidValue, "it has no text") }
    #expect(text.contains("<p>Late</p>"))
    // What the feed has taken back before a further attempt is not written.
    try report(fetch, .failed(.lost, retryAfter: nil))
    guard case .wanted(_, let next) = try row().state else { throw Refusal(.conflict, "\(try row())") }
    try change(notes: "", in: refresh)
    world.clock.wall = next
    try world.send(.timeCame)
    #expect(try rows.isEmpty && fetches.isEmpty)
  }

  @Test("Where a file of a podcast lies in no folder of the podcast's own, it gets no cover")
  func noCover() throws {
    try set([.cover])
    try completeEpisode(in: "Mixed")
    #expect(try rows.isEmpty)
  }

  @Test("Pictures and texts wait for the paths of their class, and stop when the path changes")
  func network() throws {
    try set([.chapters])
    try world.send(.network(.report(NetworkPath(status: .online, interface: .cellular))))
    var patch = SettingsPatch()
    patch.network = NetworkClasses.Patch()
    patch.network?.user = .any
    patch.network?.feeds = .any
    try world.send(.updateSettings(patch))
    try completeEpisode()
    #expect(try rows.count == 1)
    #expect(fetches.isEmpty)
    try world.send(.network(.report(NetworkPath(status: .online, interface: .wifi))))
    let fetch = try #require(fetches.first)
    try world.send(.network(.report(NetworkPath(status: .offline))))
    #expect(orders == [.stop(fetch.id)])
    try report(fetch, .stopped)
    #expect(fetches.isEmpty)
    try world.send(.network(.report(NetworkPath(status: .online, interface: .wifi))))
    #expect(fetches.count == 1)
  }

  @Test("A failure is tried again later, five times in all; what cannot pass is not")
  func failures() throws {
    _ = try complete("a")
    for attempt in 1..<SidecarLimits.attempts {
      let fetch = try #require(fetches.first)
      // A failure behind the announcement counts like one before it.
      if attempt >= 2 { try report(fetch, .publishing(try file("a.info.json"))) }
      try report(fetch, .failed(.lost, retryAfter: nil))
      let next: Timestamp
      switch try row().state {
      case .wanted(attempt, let moment) where attempt < 2: next = moment
      // The file may have its name, and is looked for first.
      case .publishing(_, attempt, let moment) where attempt >= 2: next = moment
      default: throw Refusal(.conflict, "\(try row())")
      }
      #expect(next > world.clock.wall && fetches.isEmpty)
      world.clock.wall = next
      try world.send(.timeCame)
      if attempt >= 2 {
        #expect(fetches.map(\.source) == [.earlier(try file("a.info.json"))])
        try report(fetches[0], .unpublished)
        // It is fetched at once, and the failures before count.
        #expect(try row().state == .wanted(failures: attempt, next: world.clock.wall))
      }
    }
    try report(try #require(fetches.first), .failed(.lost, retryAfter: nil))
    #expect(try row().state == .failed(DownloadError.lost.message))
    #expect(world.dispatcher.state.sidecars.nextMoment == nil)
  }

  @Test("What a wrong clock has put off for years is fetched when the clock is set right", arguments: [false, true])
  func wrongClock(isAtStart: Bool) throws {
    _ = try complete("a")
    let right = world.clock.wall
    world.clock.wall = right.advanced(byDays: 400)
    try report(try #require(fetches.first), .failed(.lost, retryAfter: nil))
    #expect(fetches.isEmpty)
    world.clock.wall = right
    if isAtStart { try world.restart() } else { try world.send(.timeCame) }
    #expect(fetches.count == 1)
    // The next failure waits as ever.
    try report(try #require(fetches.first), .failed(.lost, retryAfter: nil))
    try world.send(.timeCame)
    #expect(fetches.isEmpty)
  }

  // MARK: Sessions

  /// Makes a session without a secret.
  func open(_ name: String, for hosts: String...) throws -> SessionID {
    let id = try #require(SessionID(name))
    try world.send(.sessions(.open(.init(id: id, login: Login(Session.Wish(hosts: hosts, kind: .none))))))
    return id
  }

  @Test("A sidecar has its feed's session where that is for its host, and none elsewhere")
  func sessions() throws {
    let (own, both) = (try open("own", for: "feeds.example"), try open("both", for: "feeds.example", "side.example"))
    func give(_ session: SessionID) throws {
      var update = PodcastIntent.Update()
      update.session = .known(session)
      try world.send(.podcasts(.update(try #require(FeedID("f")), update)))
    }
    try set([])
    try completeEpisode()
    try give(own)
    for id in [own, both] { try world.send(.sessions(.close(id, forgetting: false))) }
    try set([.chapters])
    let fetch = try #require(fetches.first)
    #expect(try row().session == nil)
    try give(both)
    #expect(try row().session == 2)
    try give(own)
    #expect(try row().session == nil)
    try give(both)
    // The next request would need the login, which is closed.
    try report(fetch, .stopped)
    #expect(try row().session == 2 && fetches.isEmpty)
  }

  @Test("Many that wait for a closed session hold up none that a former version has given it for another host")
  func foreignSessions() throws {
    try set([.cover])
    try world.send(.sessions(.close(try open("s", for: "a.example"), forgetting: false)))
    let count = SidecarLimits.rowsAtOnce
    try world.database.ledger().transaction { tables in
      for number in 0...count {
        try tables.sidecars.insert(
          Sidecar(
            kind: .cover, owner: nil, address: try .on(number == count ? "cdn.example" : "a.example", "\(number)"),
            stem: "Show \(number)/cover", state: .wanted(failures: 0, next: Timestamp(milliseconds: Int64(number))),
            session: 1))
      }
    }
    try world.restart()
    #expect(fetches.map(\.stem) == ["Show \(count)/cover"])
    #expect(try rows.map(\.session) == Array(repeating: 1, count: count) + [nil])
  }

  @Test("What falls due while all slots are taken waits for the end of a fetch, and wakes nothing")
  func slots() throws {
    _ = try complete("a")
    try report(try #require(fetches.first), .failed(.lost, retryAfter: nil))
    guard case .wanted(_, let next) = try row().state else { throw Refusal(.conflict, "\(try row())") }
    var under: [SidecarFetch] = []
    for number in 0..<SidecarLimits.fetches {
      _ = try complete("b\(number)", inode: UInt64(20 + number))
      under += fetches
    }
    #expect(under.count == SidecarLimits.fetches)
    world.clock.wall = next
    try world.send(.timeCame)
    #expect(fetches.isEmpty && world.dispatcher.state.sidecars.nextMoment == nil)
    try report(under[0], .stopped)
    #expect(fetches.map(\.kind) == [.info])
  }

  @Test("A disk without room is waited for, however long that takes")
  func room() throws {
    _ = try complete("a")
    for _ in 0..<2 * SidecarLimits.attempts {
      try report(try #require(fetches.first), .failed(DownloadError(.noSpace, "full"), retryAfter: nil))
      guard case .wanted(failures: 0, let next) = try row().state else {
        Issue.record("\(try row())")
        return
      }
      #expect(next == world.clock.wall.advanced(byMilliseconds: SidecarLimits.waitMilliseconds))
      world.clock.wall = next
      try world.send(.timeCame)
    }
    #expect(fetches.count == 1)
  }

  @Test("A file that an engine was giving its name when it died is looked for first")
  func recovers() throws {
    _ = try complete("a")
    let file = try file("a.info.json")
    try report(try #require(fetches.first), .publishing(file))
    try world.restart()
    let fetch = try #require(fetches.first)
    #expect(fetch.source == .earlier(file))
    try report(fetch, .finished(file))
    #expect(try row().state == .present(file))
  }

  @Test("Whether a file has its name is looked up without a network; what has to be fetched anew waits for one")
  func recoversOffline() throws {
    try set([.chapters])
    try world.send(.network(.report(NetworkPath(status: .online, interface: .wifi))))
    try completeEpisode()
    let file = try file("One.chapters.json")
    try report(try #require(fetches.first), .publishing(file))
    try world.restart()
    let look = try #require(fetches.first)
    try world.send(.network(.report(NetworkPath(status: .offline))))
    #expect(orders.isEmpty)
    #expect(look.source == .earlier(file) && look.route == .loopback)
    try report(look, .unpublished)
    #expect(try fetches.isEmpty && row().state == .wanted(failures: 0, next: world.clock.wall))
    try world.send(.network(.report(NetworkPath(status: .online, interface: .wifi))))
    #expect(fetches.map(\.kind) == [.chapters])
  }

  @Test("What a client has kept, and has no name, is not fetched")
  func recoversKept() throws {
    let id = try complete("a")
    let file = try file("a.info.json")
    try report(try #require(fetches.first), .publishing(file))
    try world.restart()
    let look = try #require(fetches.first)
    try world.send(.downloads(.remove(.one(id), deletingFile: false)))
    try report(look, .unpublished)
    #expect(try rows.isEmpty && fetches.isEmpty)
  }

  @Test("A drain waits for a fetch, and a stop ends it")
  func stopping() throws {
    _ = try complete("a")
    let fetch = try #require(fetches.first)
    try world.send(.stop(.drain))
    #expect(!world.effects.contains(.close))
    try world.send(.stop(.now))
    #expect(orders == [.stop(fetch.id)])
    try report(fetch, .stopped)
    #expect(world.effects.contains(.close))
  }

  @Test("All completed downloads are asked in pages when the setting gets another kind, also after a restart")
  func scan() throws {
    try set([])
    let count = SidecarLimits.rowsAtOnce + 5
    for number in 0..<count { _ = try complete("d\(number)", inode: UInt64(number + 10)) }
    try set([.info])
    #expect(try rows.count == SidecarLimits.rowsAtOnce)
    try world.restart()
    #expect(try rows.count == count)
    try world.restart()
    #expect(try rows.count == count)
  }
}
