import Flux
import Testing

@testable import PodfluxCore

@Suite("The podcasts store")
struct PodcastsStoreTests {
  private let world: World

  init() throws {
    world = try World()
  }

  // MARK: Helpers

  private func address(_ text: String) throws -> WebAddress { try WebAddress(text) }

  private func id(_ text: String) throws -> FeedID { try #require(FeedID(text)) }

  @discardableResult
  private func subscribe(
    _ name: String, host: String = "feeds.example", _ wishes: Feed.Wishes = .init()
  ) throws -> Reply? {
    try world.send(
      .podcasts(
        .subscribe(.init(id: try id(name), address: try address("https://\(host)/\(name).xml"), wishes: wishes))))
  }

  /// The refreshes that the last turn has started.
  private var started: [FeedRefresh] {
    world.effects.compactMap { if case .refreshFeed(let refresh) = $0 { refresh } else { nil } }
  }

  private func report(_ refresh: FeedRefresh, _ news: RefreshReport.News) throws {
    try world.send(.refresh(RefreshReport(refresh: refresh.id, news: news)))
  }

  private func findings(inSeconds seconds: Int64 = 3600, title: String = "Show") -> RefreshReport.News {
    .refreshed(
      .init(
        podcast: PodcastContent(title: title), validators: FeedValidators(bodyHash: "1"),
        next: world.clock.wall.advanced(byMilliseconds: seconds * 1000)))
  }

  private func content(_ number: Int) throws -> EpisodeContent {
    EpisodeContent(
      guid: "g\(number)", title: "Episode \(number)",
      enclosure: .init(address: try address("https://media.example/\(number).mp3"), mediaType: "audio/mpeg", length: 5))
  }

  private func feed(_ name: String) throws -> Feed {
    try world.database.read { try #require(try $0.feeds(.init(ids: [try id(name)]), refreshing: []).items.first).feed }
  }

  private func episodes(_ condition: EpisodeCondition = .everything) throws -> [EpisodesSnapshot.Item] {
    try world.database.read {
      try $0.episodes(
        .init(condition: condition, order: .init(.added), limit: 1000), at: ConditionMoment(now: world.clock.wall)
      ).items
    }
  }

  /// Subscribes to a feed that has so many episodes.
  private func subscribe(_ name: String, episodes number: Int) throws {
    try subscribe(name)
    let refresh = try #require(started.first)
    try report(refresh, .appeared(try (1...number).map(content)))
    #expect(world.effects == [.proceedRefresh(refresh.id)])
    try report(refresh, findings())
  }

  // MARK: Subscriptions

  @Test("A subscription is refreshed at once; the same id or address subscribes to nothing new")
  func subscription() throws {
    #expect(try subscribe("a") == .subscribed(id: try id("a"), created: true))
    let refresh = try #require(started.first)
    #expect(refresh.feed.address == (try address("https://feeds.example/a.xml")))
    #expect(try subscribe("a") == .subscribed(id: try id("a"), created: false))
    let again = PodcastIntent.Subscription(id: try id("b"), address: try address("https://feeds.example/a.xml"))
    #expect(try world.send(.podcasts(.subscribe(again))) == .subscribed(id: try id("a"), created: false))
    #expect(started.isEmpty)
    try report(refresh, findings(title: "Its own"))
    #expect(try feed("a").shownTitle == "Its own")
    #expect(try feed("a").refreshes.last == world.clock.wall)
  }

  @Test("Refreshes keep to their limits, in all and on a host, and the next ones follow")
  func limits() throws {
    let (all, onHost) = (PodcastsStore.Limits.refreshes, PodcastsStore.Limits.refreshesPerHost)
    for number in 1...(all + 4) {
      try subscribe("f\(number)", host: number <= onHost + 2 ? "one.example" : "h\(number).example")
    }
    let live = world.dispatcher.state.podcasts.live
    #expect(live.count == all)
    #expect(live.values.count { $0.request.host == "one.example" } == onHost)
    try world.send(.refresh(RefreshReport(refresh: try #require(live[try id("f1")]).id, news: findings())))
    #expect(started.map(\.id.feed) == [try id("f\(onHost + 1)")])
  }

  @Test("What is due later is refreshed when its time comes, and never while the feed is paused or has ended")
  func schedule() throws {
    try subscribe("a", episodes: 1)
    try subscribe("b", .init(isPaused: true))
    // The first refresh of a paused feed was asked for by the subscription.
    try report(try #require(started.first), findings())
    world.advance(seconds: 3600)
    try world.send(.timeCame)
    #expect(started.map(\.id.feed) == [try id("a")])
    try report(try #require(started.first), .failed(DownloadError(.gone, "gone"), next: world.clock.wall))
    #expect(started.isEmpty)
    #expect(try feed("a").refreshes.hasEnded)
    #expect(try feed("a").due == nil)
    // Who subscribes once more says that it is there.
    #expect(try subscribe("a") == .subscribed(id: try id("a"), created: false))
    #expect(started.map(\.id.feed) == [try id("a")])
    try report(try #require(started.first), .failed(DownloadError(.gone, "gone"), next: world.clock.wall))
    #expect(try feed("a").due == nil)
    #expect(try world.send(.podcasts(.refresh(.one(try id("a"))))) == .affected(1))
    #expect(started.map(\.id.feed) == [try id("a")])
    try report(try #require(started.first), findings())
    #expect(try !feed("a").refreshes.hasEnded)
  }

  @Test("A refresh of all leaves out what is paused; one that is under way is not started twice")
  func refreshAll() throws {
    try subscribe("a", episodes: 1)
    try subscribe("b", .init(isPaused: true))
    let first = try #require(started.first)
    try report(first, findings())
    #expect(try world.send(.podcasts(.refresh(.all))) == .affected(1))
    #expect(started.map(\.id.feed) == [try id("a")])
    #expect(try world.send(.podcasts(.refresh(.one(try id("a"))))) == .affected(0))
    #expect(throws: Refusal.self) { try world.send(.podcasts(.refresh(.one(try id("x"))))) }
  }

  @Test("A feed over a path that it may not use waits, and loopback needs no path")
  func policy() throws {
    try world.send(.network(.report(NetworkPath(status: .online, interface: .cellular))))
    try subscribe("a")
    #expect(started.isEmpty)
    try subscribe("b", host: "127.0.0.1:80")
    #expect(started.map(\.id.feed) == [try id("b")])
    try subscribe("c", .init(network: .any))
    #expect(started.map(\.id.feed) == [try id("c")])
    try world.send(.network(.report(NetworkPath(status: .online, interface: .wifi))))
    // The connections of the old path are gone: what ran over it begins again when it has ended.
    let lost = try #require(world.dispatcher.state.podcasts.live[try id("c")]).id
    #expect(world.effects.contains(.stopRefresh(lost)))
    #expect(started.map(\.id.feed) == [try id("a")])
    try world.send(.refresh(RefreshReport(refresh: lost, news: .stopped)))
    #expect(started.map(\.id.feed) == [try id("c")])
  }

  @Test("Reports of a refresh that ended, of a feed that is gone or another one, change nothing")
  func lateReports() throws {
    try subscribe("a")
    let first = try #require(started.first)
    try world.send(.podcasts(.unsubscribe(try id("a"), deletingFiles: false)))
    #expect(world.effects.contains(.stopRefresh(first.id)))
    try subscribe("a")
    try report(first, .appeared([try content(1)]))
    #expect(world.effects.isEmpty)
    #expect(try episodes().isEmpty)
    try report(first, .stopped)
    let second = try #require(started.first)
    try report(first, findings())
    #expect(world.dispatcher.state.podcasts.live[try id("a")]?.id == second.id)
    var update = PodcastIntent.Update()
    update.address = try address("https://feeds.example/other.xml")
    try world.send(.podcasts(.update(try id("a"), update)))
    try report(second, findings(title: "Of the old address"))
    #expect(try feed("a").podcast == nil)
    #expect(started.map(\.feed.address) == [try address("https://feeds.example/other.xml")])
  }

  @Test("A feed that gets an address on another host during a refresh is refreshed there as soon as that has ended")
  func addressOnAnotherHost() throws {
    try subscribe("a")
    let first = try #require(started.first)
    var update = PodcastIntent.Update()
    update.address = try address("https://other.example/a.xml")
    try world.send(.podcasts(.update(try id("a"), update)))
    #expect(world.effects.contains(.stopRefresh(first.id)) && started.isEmpty)
    try report(first, .stopped)
    #expect(started.map(\.feed.address) == [try address("https://other.example/a.xml")])
  }

  @Test("A client's headers stay with their origin when it gives another address")
  func headersOfAnotherAddress() throws {
    let headers = [Header(name: "Authorization", value: "Bearer x")]
    try subscribe("a", .init(headers: headers))
    func headersAfter(_ text: String, _ new: [Header]? = nil) throws -> [Header] {
      var update = PodcastIntent.Update()
      (update.address, update.headers) = (try address(text), new)
      try world.send(.podcasts(.update(try id("a"), update)))
      return try feed("a").wishes.headers
    }
    #expect(try headersAfter("https://feeds.example/other.xml") == headers)
    #expect(try headersAfter("https://elsewhere.example/a.xml").isEmpty)
    #expect(try headersAfter("https://feeds.example/a.xml", headers) == headers)
    #expect(try headersAfter("http://feeds.example/a.xml").isEmpty)
  }

  @Test("A refresh that its feed's network policy forbids from now on is stopped")
  func policyDuringRefresh() throws {
    try world.send(.network(.report(NetworkPath(status: .online, interface: .cellular))))
    try subscribe("a", .init(network: .any))
    let refresh = try #require(started.first)
    var update = PodcastIntent.Update()
    update.network = .unmetered
    try world.send(.podcasts(.update(try id("a"), update)))
    #expect(world.effects.contains(.stopRefresh(refresh.id)))
  }

  @Test(
    "When a part of a body is told, the validators of the one before are forgotten, but not that they are distrusted")
  func partOfABody() throws {
    try subscribe("a", episodes: 2)
    #expect(try feed("a").refreshes.validators.bodyHash == "1")
    let news: [RefreshReport.News] = [
      .appeared([try content(3)]),
      .changed([.init(id: EpisodeID(number: 1), content: try content(1), formerNames: .init())]),
      .listed(missing: [EpisodeID(number: 2)], returned: []),
    ]
    for page in news {
      try world.send(.podcasts(.refresh(.one(try id("a")))))
      let refresh = try #require(started.first)
      try report(refresh, page)
      #expect(try feed("a").refreshes.validators == FeedValidators())
      let distrusted = FeedValidators(bodyHash: "1", isDistrusted: true)
      try report(refresh, .refreshed(.init(podcast: nil, validators: distrusted, next: world.clock.wall)))
      let next = try #require(started.first)
      try report(next, page)
      #expect(try feed("a").refreshes.validators == FeedValidators(isDistrusted: true))
      try report(next, findings())
    }
  }

  @Test("A feed whose next refresh a wrong clock has put off for years is refreshed when the clock is set right")
  func wrongClock() throws {
    try subscribe("a")
    let right = world.clock.wall
    world.clock.wall = right.advanced(byDays: 3_650)
    try report(try #require(started.first), findings())
    #expect(try feed("a").refreshes.next > right.advanced(byDays: 3_000))
    world.clock.wall = right
    try world.send(.timeCame)
    #expect(started.map(\.feed.id) == [try id("a")])
  }

  /// Seed 100 of the simulator's world of wrong clocks: nothing looked for the feed again before that year.
  @Test("A feed whose refresh a clock that is set right meanwhile has put off for years is due at once")
  func wrongClockOfRefresh() throws {
    try subscribe("a")
    let (refresh, right) = (try #require(started.first), world.clock.wall)
    world.clock.wall = right.advanced(byDays: 3_650)
    let (ended, next) = (findings(), world.clock.wall)
    world.clock.wall = right
    try report(refresh, ended)
    #expect(started.map(\.feed.id) == [try id("a")])
    try report(try #require(started.first), .failed(DownloadError(.timeout, "late"), next: next))
    #expect(started.map(\.feed.id) == [try id("a")])
  }

  @Test("A publisher's move is kept in the spelling by which subscriptions are told apart")
  func movedInAnotherSpelling() throws {
    try subscribe("a")
    let first = try #require(started.first)
    try report(first, .moved(try address("https://Feeds.Example:443/new.xml")))
    try report(first, findings())
    #expect(try feed("a").address == (try address("https://feeds.example/new.xml")))
    let again = PodcastIntent.Subscription(address: try address("https://feeds.example/new.xml"))
    #expect(try world.send(.podcasts(.subscribe(again))) == .subscribed(id: try id("a"), created: false))
  }

  @Test("How far a feed was read without a gap is told by a body that was read to its end, and by nothing else")
  func readTo() throws {
    try subscribe("a")
    let first = try #require(started.first)
    try report(first, .appeared(try (1...3).map(content)))
    #expect(try feed("a").refreshes.readTo == 0)
    let whole = RefreshReport.Findings(
      podcast: nil, validators: .init(), rhythm: FeedRhythm(intervalSeconds: 3600), next: world.clock.wall)
    try report(first, .refreshed(whole))
    let second = try #require(started.first)
    #expect(try feed("a").refreshes.readTo == 3)
    try report(second, .appeared([try content(4)]))
    try report(second, .failed(DownloadError(.timeout, "late"), next: world.clock.wall))
    // It is due at once.
    let third = try #require(started.first)
    #expect(try feed("a").refreshes.readTo == 3)
    try report(third, findings())
    #expect(try feed("a").refreshes.readTo == 3, "nothing has changed")
  }

  @Test("A feed whose document ended early says so until the whole one has come, and counts as never read until then")
  func documentEndingEarly() throws {
    try subscribe("a")
    let first = try #require(started.first)
    try report(first, .described(PodcastContent(title: "Show")))
    try report(first, .appeared(try (1...3).map(content)))
    let next = world.clock.wall.advanced(byMilliseconds: 600_000)
    try report(first, .failed(.feedEndsEarly, next: next))
    var row = try feed("a")
    #expect(row.shownTitle == "Show" && row.episodes == 3 && row.refreshes.last == nil)
    #expect(row.refreshes.error == .feedEndsEarly && row.refreshes.failures == 1 && row.refreshes.next == next)
    #expect(row.refreshes.validators == FeedValidators() && !row.refreshes.hasEnded)
    #expect(try episodes().allSatisfy { !$0.episode.isMissingFromFeed })
    world.advance(seconds: 600)
    try world.send(.timeCame)
    let second = try #require(started.first)
    try report(second, .appeared([try content(4)]))
    try report(second, findings())
    row = try feed("a")
    #expect(row.refreshes.error == nil && row.refreshes.failures == 0 && row.episodes == 4)
    #expect(row.refreshes.last == world.clock.wall && row.refreshes.validators.bodyHash == "1")
    // A part in which nothing is new leaves what is known of the whole one, and when that came.
    let read = try #require(row.refreshes.last)
    world.advance(seconds: 3600)
    try world.send(.timeCame)
    try report(try #require(started.first), .failed(.feedEndsEarly, next: next))
    row = try feed("a")
    #expect(row.refreshes.error == .feedEndsEarly && row.refreshes.last == read)
    #expect(row.refreshes.validators.bodyHash == "1")
  }

  @Test("Refreshes stop with the engine, and begin again after a restart")
  func stop() throws {
    try subscribe("a")
    let refresh = try #require(started.first)
    try world.send(.stop(.now))
    #expect(world.effects == [.stopRefresh(refresh.id)])
    try report(refresh, .stopped)
    #expect(world.effects == [.close])
    try world.restart()
    #expect(started.map(\.id.feed) == [try id("a")])
  }

  @Test("A drain waits for the refresh that runs, and for none that is due later")
  func drain() throws {
    try subscribe("a")
    let refresh = try #require(started.first)
    try world.send(.stop(.drain))
    #expect(!world.effects.contains(.close))
    try report(refresh, findings())
    #expect(world.effects.contains(.close))
  }

  // MARK: Moves

  @Test("A move takes the address, keeps the former one known, and never that of another subscription")
  func moves() throws {
    try subscribe("a")
    let first = try #require(started.first)
    try subscribe("b")
    let second = try #require(started.first)
    let target = try address("https://new.example/a.xml")
    try report(first, .moved(target))
    try report(first, findings())
    #expect(try feed("a").address == target)
    #expect(try feed("a").refreshes.formerAddresses == [try address("https://feeds.example/a.xml")])
    #expect(try feed("a").refreshes.validators == FeedValidators(bodyHash: "1"))
    let again = PodcastIntent.Subscription(address: try address("https://feeds.example/a.xml"))
    #expect(try world.send(.podcasts(.subscribe(again))) == .subscribed(id: try id("a"), created: false))
    try report(second, .moved(target))
    #expect(try feed("b").address == (try address("https://feeds.example/b.xml")))
    var update = PodcastIntent.Update()
    update.address = target
    #expect(throws: Refusal.self) { try world.send(.podcasts(.update(try id("b"), update))) }
  }

  /// Seed 1100390 of the simulator: only the former host was searched, and the feed waited for the next one to be due.
  @Test("A feed that has moved to another host, and is due by now, is refreshed there at once")
  func movedAndDue() throws {
    try subscribe("a")
    let first = try #require(started.first)
    try report(first, .moved(try address("https://new.example/a.xml")))
    try report(first, findings(inSeconds: -5))
    #expect(started.map(\.feed.address) == [try address("https://new.example/a.xml")])
  }

  // MARK: Episodes

  @Test("Episodes appear, change, leave and return, and their marks and ids stay")
  func episodeLife() throws {
    try subscribe("a", episodes: 3)
    #expect(try episodes().map(\.episode.id) == [1, 2, 3].map(EpisodeID.init(number:)))
    #expect(try feed("a").episodes == 3)
    #expect(
      try world.send(.podcasts(.mark(.one(EpisodeID(number: 2)), .init(isFavorite: true)))) == .affected(1))
    try world.send(.podcasts(.refresh(.all)))
    let refresh = try #require(started.first)
    var changed = try content(2)
    changed.title = "Another title"
    try report(
      refresh, .changed([.init(id: EpisodeID(number: 2), content: changed, formerNames: .init(guids: ["old"]))]))
    try report(refresh, .listed(missing: [EpisodeID(number: 3)], returned: []))
    try report(refresh, findings())
    let shown = try episodes().map(\.episode)
    #expect(shown[1].content.title == "Another title")
    #expect(shown[1].marks.isFavorite)
    #expect(shown.map(\.isMissingFromFeed) == [false, false, true])
    let traces = try world.database.read { try $0.episodeTraces(of: 1) }
    #expect(traces[1].formerNames.guids == ["old"])
    #expect(traces[1].fingerprint == changed.fingerprint)
    try world.send(.podcasts(.unsubscribe(try id("a"), deletingFiles: false)))
    #expect(try episodes().isEmpty)
  }

  @Test("An episode's download has its title, its podcast's and its date; a second order adds nothing")
  func download() throws {
    try subscribe("a", episodes: 2)
    #expect(try world.send(.podcasts(.download(.one(EpisodeID(number: 1))))) == .affected(1))
    let item = try #require(try episodes().first)
    let name = try #require(item.episode.download)
    let download = try #require(try world.database.read { try $0.download(name) })
    #expect(download.description.title == "Episode 1")
    #expect(download.description.podcast == "Show")
    #expect(download.description.expectedLength == 5)
    #expect(item.state == .running)
    #expect(try world.send(.podcasts(.download(.one(EpisodeID(number: 1))))) == .affected(0))
    #expect(try world.send(.podcasts(.download(.matching(.feeds([try id("a")]))))) == .affected(1))
    #expect(world.downloads.counts.values.reduce(0, +) == 2)
    // A download outlives its feed, unless it is to go with it.
    try world.send(.podcasts(.unsubscribe(try id("a"), deletingFiles: false)))
    #expect(world.downloads.counts.values.reduce(0, +) == 2)
  }

  @Test("A download that was removed can be ordered again; files go with the feed if that is said")
  func removal() throws {
    try subscribe("a", episodes: 1)
    try world.send(.podcasts(.download(.one(EpisodeID(number: 1)))))
    let first = try #require(try episodes().first?.episode.download)
    try world.send(.downloads(.cancel(.one(first))))
    #expect(try episodes().first?.state == nil)
    #expect(try world.send(.podcasts(.download(.one(EpisodeID(number: 1))))) == .affected(1))
    try world.send(.podcasts(.unsubscribe(try id("a"), deletingFiles: true)))
    #expect(world.downloads.counts.values.reduce(0, +) == 0)
  }

  /// Has the download of the only episode fail.
  private func refuse(_ name: DownloadID, _ code: DownloadError.Code = .forbidden) throws {
    let attempt = try #require(world.attempts[name]?.id)
    try world.send(
      .attempt(
        AttemptReport(
          attempt: attempt,
          news: .failed(DownloadError(code, "no", status: 403), kept: nil, retryAfterMilliseconds: nil))))
  }

  @Test("A download whose address has expired goes on at a fresh one, for which its feed is refreshed")
  func expiredAddress() throws {
    try subscribe("a", episodes: 1)
    try world.send(.podcasts(.download(.one(EpisodeID(number: 1)))))
    let name = try #require(try episodes().first?.episode.download)
    world.advance(seconds: 3000)
    try refuse(name)
    #expect(try world.database.read { try $0.download(name) }?.state.kind == .failed)
    // The refresh of an hour after the first comes at once.
    let refresh = try #require(started.first)
    var fresh = try content(1)
    fresh.enclosure?.address = try address("http://media.example/1.mp3?signature=2")
    try report(refresh, .changed([.init(id: EpisodeID(number: 1), content: fresh, formerNames: .init())]))
    let renewed = try #require(try world.database.read { try $0.download(name) })
    #expect(renewed.address == fresh.enclosure?.address && renewed.state.kind == .running)
    try report(refresh, findings())
    // It is refused again: ten minutes have to pass.
    try refuse(name)
    #expect(started.isEmpty)
    #expect(try feed("a").refreshes.next == world.clock.wall.advanced(byMilliseconds: 600_000))
    // What the feed has said meanwhile is taken without a refresh.
    world.advance(seconds: 600)
    try world.send(.timeCame)
    let second = try #require(started.first)
    fresh.enclosure?.address = try address("https://cdn.example/x.mp3")
    try report(
      second,
      .changed([
        .init(
          id: EpisodeID(number: 1), content: fresh,
          formerNames: .init(enclosures: [try address("http://media.example/1.mp3?signature=2")]))
      ]))
    #expect(try world.database.read { try $0.download(name) }?.address == fresh.enclosure?.address)
  }

  @Test("Fresh addresses that are all refused have not expired: no more are tried until a client retries")
  func refusedAddresses() throws {
    try subscribe("a", episodes: 1)
    try world.send(.podcasts(.download(.one(EpisodeID(number: 1)))))
    let name = try #require(try episodes().first?.episode.download)
    func state() throws -> DownloadState.Kind? { try world.database.read { try $0.download(name) }?.state.kind }
    var fresh = try content(1)
    func sign(_ number: Int) throws {
      let refresh = try #require(started.first)
      fresh.enclosure?.address = try address("http://media.example/1.mp3?signature=\(number)")
      try report(refresh, .changed([.init(id: EpisodeID(number: 1), content: fresh, formerNames: .init())]))
      try report(refresh, findings())
    }
    try refuse(name)
    for number in 1...PodcastsStore.Limits.freshAddresses {
      world.advance(seconds: 3600)
      try world.send(.timeCame)
      try sign(number)
      #expect(try state() == .running, "\(number)")
      try refuse(name)
      #expect(try state() == .failed)
    }
    let next = try feed("a").refreshes.next
    #expect(next > world.clock.wall.advanced(byMilliseconds: PodcastsStore.Limits.freshAddressMilliseconds))
    world.advance(seconds: 3 * 86_400)
    try world.send(.timeCame)
    try sign(0)
    #expect(try state() == .failed)
    try world.send(.downloads(.retry(.one(name))))
    try refuse(name)
    #expect(try state() == .running)
  }

  @Test("No address is sought for what failed otherwise, for one that a client chose, and of a feed that is paused")
  func unsoughtAddress() throws {
    try subscribe("a", episodes: 1)
    try world.send(.podcasts(.download(.one(EpisodeID(number: 1)))))
    let name = try #require(try episodes().first?.episode.download)
    world.advance(seconds: 3000)
    try refuse(name, .io)
    #expect(started.isEmpty)
    var update = DownloadIntent.Update()
    update.address = try address("https://mine.example/copy.mp3")
    try world.send(.downloads(.update(name, update)), .downloads(.retry(.one(name))))
    try refuse(name)
    #expect(try world.database.read { try $0.download(name) }?.state.kind == .failed)
    var pause = PodcastIntent.Update()
    pause.isPaused = true
    try world.send(.podcasts(.update(try id("a"), pause)), .downloads(.retry(.one(name))))
    for refresh in started { try report(refresh, .stopped) }
    try refuse(name)
    #expect(started.isEmpty)
  }

  @Test("An episode without a file cannot be downloaded, a missing one not be found")
  func refusals() throws {
    try subscribe("a")
    let refresh = try #require(started.first)
    try report(refresh, .appeared([EpisodeContent(guid: "text", title: "Words only")]))
    #expect(throws: Refusal.self) { try world.send(.podcasts(.download(.one(EpisodeID(number: 1))))) }
    #expect(throws: Refusal.self) { try world.send(.podcasts(.download(.one(EpisodeID(number: 9))))) }
    #expect(try world.send(.podcasts(.download(.matching(.everything)))) == .affected(0))
    #expect(try world.send(.podcasts(.mark(.many([EpisodeID(number: 9)]), .init(isPlayed: true)))) == .affected(0))
  }

  @Test("A list subscribes to what is new, and says what was known")
  func list() throws {
    try subscribe("a")
    let list = PodcastIntent.FeedList(
      feeds: [
        .init(address: try address("https://feeds.example/a.xml")),
        .init(address: try address("https://feeds.example/n.xml"), title: "N", group: "News/Daily"),
        .init(address: try address("https://feeds.example/n.xml")),
      ], rejected: [.init(url: "ftp://x/", code: .unsupportedScheme)])
    #expect(
      try world.send(.podcasts(.import(list)))
        == .imported(added: 1, known: 2, rejected: [.init(url: "ftp://x/", code: .unsupportedScheme)]))
    #expect(started.map(\.feed.wishes.group) == ["News/Daily"])
  }

  @Test("A list needs room for what is new in it, and for nothing else")
  func room() throws {
    try subscribe("a")
    try world.copyFeed(times: PodcastIntent.Limits.feeds - 2)
    let known = PodcastIntent.FeedList.Entry(address: try address("https://feeds.example/a.xml"))
    let new = PodcastIntent.FeedList.Entry(address: try address("https://feeds.example/n.xml"))
    let again = PodcastIntent.FeedList.Entry(address: try address("https://Feeds.Example:443/n.xml"))
    let other = PodcastIntent.FeedList.Entry(address: try address("https://feeds.example/o.xml"))
    func take(_ feeds: [PodcastIntent.FeedList.Entry]) throws -> Reply? {
      try world.send(.podcasts(.import(.init(feeds: feeds, rejected: []))))
    }
    #expect(throws: Refusal.self) { try take([known, new, other]) }
    #expect(try take([known, new, again, known]) == .imported(added: 1, known: 3, rejected: []))
    #expect(try take([known, new]) == .imported(added: 0, known: 2, rejected: []))
    #expect(throws: Refusal.self) { try take([other]) }
  }

  @Test("A call that does not concern the store changes nothing")
  func concern() throws {
    try subscribe("a", episodes: 1)
    let before = world.dispatcher.state.podcasts.live
    try world.send(.networkPath(NetworkPath(status: .online)), .roomCame(5), .deleted(77))
    #expect(world.dispatcher.state.podcasts.live == before)
    #expect(world.effects.allSatisfy { if case .refreshFeed = $0 { false } else { true } })
  }
}
