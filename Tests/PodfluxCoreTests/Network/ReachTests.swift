import Flux
import Persistence
import Testing

@testable import PodfluxCore

/// How far the requests of the stores may lead.
@Suite("Requests lead")
struct ReachTests {
  private let world: World
  private let show: FeedID

  init() throws {
    world = try World { $0.tags = true }
    show = try #require(FeedID("show"))
  }

  // MARK: Helpers

  private func set(_ rule: AddressRule?) throws {
    var patch = SettingsPatch()
    patch.addresses = .some(rule)
    try world.send(.updateSettings(patch))
  }

  private var refresh: FeedRefresh? {
    world.effects.lazy.compactMap { if case .refreshFeed(let refresh) = $0 { refresh } else { nil } }.first
  }

  private var feed: Feed {
    get throws {
      try world.database.read { try #require(try $0.feeds(.init(ids: [show]), refreshing: []).items.first).feed }
    }
  }

  private func report(_ refresh: FeedRefresh, _ news: RefreshReport.News, from place: AddressClass) throws {
    try world.send(.refresh(RefreshReport(refresh: refresh.id, news: news, readFrom: place)))
  }

  private func findings() -> RefreshReport.News {
    .refreshed(
      .init(
        podcast: PodcastContent(title: "Show", image: "https://art.example/cover"), validators: FeedValidators(),
        next: world.clock.wall.advanced(byMilliseconds: 3_600_000)))
  }

  /// Subscribes to a feed with two episodes that is read from there.
  private func subscribe(from place: AddressClass) throws {
    try world.send(.podcasts(.subscribe(.init(id: show, address: try .on("feeds.example", "show.xml")))))
    let refresh = try #require(refresh)
    let contents = try (1...2).map { number in
      EpisodeContent(
        guid: "g\(number)", title: "Episode \(number)",
        enclosure: .init(address: try .on("media.example", "\(number).mp3"), mediaType: "audio/mpeg", length: 5),
        image: try .on("art.example", "\(number)"))
    }
    try report(refresh, .appeared(contents), from: place)
    try report(refresh, findings(), from: place)
  }

  private func downloadAll() throws { try world.send(.podcasts(.download(.matching(.everything)))) }

  /// The reaches of the attempts that run, and of what they fetch for their tags.
  private var reaches: Set<Reach> {
    Set(world.attempts.values.flatMap { [$0.reach] + [$0.tagSources?[.picture]?.reach].compactMap(\.self) })
  }

  // MARK: Tests

  @Test("to public addresses only where a feed of the Internet has named them, unless the setting says otherwise")
  func rules() {
    let table: [(AddressRule?, AddressNamer, Reach)] = [
      (nil, .person, .asNamed), (nil, .feed(.public), .publicOnly), (nil, .feed(.private), .asNamed),
      (nil, .feed(.unknown), .asNamed), (.any, .person, .anywhere), (.any, .feed(.public), .anywhere),
      (.any, .feed(.private), .anywhere), (.any, .feed(.unknown), .anywhere), (.public, .person, .publicOnly),
      (.public, .feed(.public), .publicOnly), (.public, .feed(.private), .publicOnly),
      (.public, .feed(.unknown), .publicOnly),
    ]
    for (rule, namer, reach) in table {
      var settings = Settings()
      settings.addresses = rule
      #expect(settings.reach(of: namer) == reach, "\(String(describing: rule)), \(namer)")
    }
  }

  @Test(
    "as the place says where the feed was read, which is known before anything that it names",
    arguments: AddressClass.allCases)
  func episodes(_ place: AddressClass) throws {
    try subscribe(from: place)
    #expect(try feed.refreshes.readFrom == place)
    try downloadAll()
    #expect(world.attempts.count == 2)
    #expect(reaches == [place == .public ? .publicOnly : .asNamed])
  }

  @Test("as the feed's place is known when the attempt begins, and as it was known last where the feed is gone")
  func later() throws {
    try subscribe(from: .private)
    var patch = SettingsPatch()
    patch.maxConcurrent = 1
    patch.tags = false
    try world.send(.updateSettings(patch))
    try downloadAll()
    let first = try #require(world.attempts.values.first)
    #expect(first.reach == .asNamed)
    world.advance(seconds: 3600)
    try world.send(.timeCame)
    try report(try #require(refresh), findings(), from: .public)
    try world.finish(first.id.download, as: try .sample("1.mp3"))
    let second = try #require(world.attempts.values.first)
    #expect(second.reach == .publicOnly)
    #expect(try world.row(second.id.download).namer == .feed(.private))
    try world.send(.podcasts(.unsubscribe(show, deletingFiles: false)))
    try world.send(.downloads(.pause(.all)))
    try world.send(.attempt(AttemptReport(attempt: second.id, news: .stopped(kept: nil))))
    try world.send(.downloads(.resume(.all)))
    #expect(world.attempts.values.map(\.reach) == [.asNamed], "it was named by a feed of the own network")
  }

  @Test("anywhere by a person's word: when one enqueues the address, or gives a download another")
  func persons() throws {
    let own = try world.enqueue("own")
    #expect(world.attempts[own]?.reach == .asNamed)
    try subscribe(from: .public)
    try downloadAll()
    let ids = world.attempts.keys.filter { $0 != own }.sorted()
    try #require(ids.count == 2)
    #expect(ids.allSatisfy { world.attempts[$0]?.reach == .publicOnly })
    let address = try world.row(ids[0]).address
    try world.send(.downloads(.enqueue(.init(address: address))))
    #expect(try world.row(ids[0]).namer == .person)
    var update = DownloadIntent.Update()
    update.address = try .on("10.0.0.9", "2.mp3")
    try world.send(.downloads(.update(ids[1], update)))
    #expect(try world.row(ids[1]).namer == .person)
  }

  @Test("as the setting says at the next attempt: a retry is enough")
  func retry() throws {
    try set(.public)
    let id = try world.enqueue("a")
    #expect(world.attempts[id]?.reach == .publicOnly)
    let error = DownloadError(.connectFailed, "a.example is no public address", outlook: .lasting)
    try world.send(
      .attempt(AttemptReport(attempt: try #require(world.attempts[id]).id, news: .failed(error, kept: nil))))
    guard case .failed(let reason) = try world.row(id).state else {
      Issue.record("it waits, although nothing but a person's word mends it")
      return
    }
    #expect(reason.code == .connectFailed)
    try set(.any)
    try world.send(.downloads(.retry(.one(id))))
    #expect(world.attempts[id]?.reach == .anywhere)
  }

  @Test("to the next mirror, when one address may not be reached")
  func mirrors() throws {
    let id = try DownloadID.named("a")
    let mirror = try WebAddress.on("mirror.example", "a.mp3")
    try world.send(
      .downloads(.enqueue(.init(id: id, address: try .on("a.example"), description: .init(mirrors: [mirror])))))
    let error = DownloadError(.connectFailed, "no public address", outlook: .lasting)
    try world.send(
      .attempt(AttemptReport(attempt: try #require(world.attempts[id]).id, news: .failed(error, kept: nil))))
    #expect(world.attempts[id]?.address == mirror)
  }

  @Test("to the Internet only, once a feed of the Internet has moved by itself; a person's word ends that")
  func moves() throws {
    try subscribe(from: .public)
    #expect(try feed.namer == .person)
    world.advance(seconds: 3600)
    try world.send(.timeCame)
    var refresh = try #require(refresh)
    try report(refresh, .moved(try .on("other.example", "show.xml")), from: .public)
    try report(refresh, findings(), from: .public)
    #expect(try feed.refreshes.isLed && feed.namer == .feed(.public))
    var update = PodcastIntent.Update()
    update.address = try .on("other.example", "show.xml")
    try world.send(.podcasts(.update(show, update)))
    #expect(try !feed.refreshes.isLed && feed.namer == .person)

    let next = try self.refresh ?? started()
    refresh = try #require(next)
    try report(refresh, .moved(try .on("third.example", "show.xml")), from: .private)
    #expect(try feed.refreshes.isLed == false, "a feed of the own network may move within it")
  }

  /// The refresh that a client's word makes due.
  private func started() throws -> FeedRefresh? {
    try world.send(.podcasts(.refresh(.one(show))))
    return refresh
  }
}
