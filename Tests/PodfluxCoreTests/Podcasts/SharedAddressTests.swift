import Flux
import Testing

@testable import PodfluxCore

@Suite("Episodes whose files have one address")
struct SharedAddressTests {
  private let scene: RuleScene
  private let latest: WebAddress

  init() throws {
    scene = try RuleScene()
    latest = try .on("media.example", "latest.mp3")
  }

  /// An episode whose file is `latest.mp3`, as that of each other.
  private func content(_ number: Int) throws -> EpisodeContent {
    var content = try scene.content(number, daysAgo: 100 - number)
    content.enclosure?.address = latest
    return content
  }

  private func download(_ number: Int) throws -> DownloadID {
    try #require(try scene.item(number)?.episode.download)
  }

  private func addresses() throws -> [WebAddress] {
    try scene.world.database.read { try $0.downloads(limit: 1000).map(\.address) }
  }

  @Test("Each episode gets its own download, by a rule as by a person, in one turn as in several")
  func own() throws {
    try scene.subscribe(.auto(newest: 3))
    try scene.refresh(appeared: [try content(2), try content(1)])
    try scene.comeToRest()
    try scene.refresh(appeared: [try content(3)])
    try scene.comeToRest()
    try scene.refresh(appeared: try (4...9).reversed().map { try content($0) })
    try scene.set(.none)
    try scene.world.send(.podcasts(.download(.matching(.everything))))
    try scene.comeToRest()
    #expect(try scene.here() == Array(1...9))
    #expect(Set(try (1...9).map(download)).count == 9)
    #expect(try addresses() == Array(repeating: latest, count: 9))
  }

  @Test("Removing one leaves the others, and does not keep a rule from the next one")
  func removing() throws {
    try scene.subscribe(.auto(newest: 3))
    try scene.refresh(appeared: [try content(2), try content(1)])
    try scene.comeToRest()
    try scene.world.send(.downloads(.remove(.one(try download(1)), deletingFile: false)))
    try scene.comeToRest()
    #expect(try scene.here() == [2])
    try scene.refresh(appeared: [try content(3)])
    try scene.comeToRest()
    #expect(try scene.here() == [2, 3])
    #expect(try scene.verdict(1) == RuleVerdict(.notDownloaded, .wasRemoved))
  }

  @Test("An episode asked for twice in one request gets one download")
  func twice() throws {
    try scene.subscribe(.none)
    try scene.refresh(appeared: [try content(2), try content(1)])
    let ids = try [1, 2, 1].map { try #require(try scene.item($0)).episode.id }
    try scene.world.send(.podcasts(.download(.many(ids))))
    #expect(try addresses().count == 2)
  }

  @Test("An episode takes a download that no other of its feed has: that of a person, or of another feed's episode")
  func sharing() throws {
    let other = try #require(FeedID("g"))
    try scene.subscribe(.none)
    try scene.subscribe(.none, id: other)
    try scene.refresh(appeared: [try content(2), try content(1)])
    let byHand = try #require(DownloadID("by-hand"))
    try scene.world.send(.downloads(.enqueue(.init(id: byHand, address: latest))))
    try scene.ask(for: 1)
    #expect(try download(1) == byHand)
    try scene.ask(for: 2)
    let second = try download(2)
    #expect(second != byHand)
    // Of both, the one with its title.
    try scene.refresh(appeared: [try content(2)], id: other)
    try scene.world.send(.podcasts(.download(.matching(.feeds([other])))))
    let theirs = try scene.items().filter { $0.episode.content.title == "Episode 2" }.map(\.episode.download)
    #expect(theirs == [second, second])
    #expect(try addresses().count == 2)
  }

  @Test("After a new subscription each episode finds the download that was made for it")
  func subscribedAgain() throws {
    try scene.subscribe(.auto(.all))
    try scene.refresh(appeared: try (1...4).reversed().map { try content($0) })
    try scene.comeToRest()
    let before = try (1...4).map(download)
    try scene.world.send(.podcasts(.unsubscribe(RuleScene.feed, deletingFiles: false)))
    try scene.subscribe(.auto(.all))
    try scene.refresh(appeared: try (1...4).map { try content($0) })
    try scene.comeToRest()
    #expect(try (1...4).map(download) == before)
    #expect(try addresses().count == 4)
  }

  @Test("After a new subscription to more episodes than are looked at each finds its own", arguments: [false, true])
  func subscribedToMany(newestFirst: Bool) throws {
    let numbers = Array(1...DownloadIntent.Enqueue.lookedAt + 8)
    try scene.subscribe(.auto(.all))
    try scene.refresh(appeared: try numbers.reversed().map { try content($0) })
    try scene.comeToRest()
    let before = try numbers.map(download)
    try scene.world.send(.podcasts(.unsubscribe(RuleScene.feed, deletingFiles: false)))
    try scene.subscribe(.auto(.all))
    try scene.refresh(appeared: try (newestFirst ? numbers.reversed() : numbers).map { try content($0) })
    try scene.comeToRest()
    #expect(try numbers.map(download) == before)
    #expect(try addresses().count == numbers.count)
  }

  @Test("An episode that is new after a new subscription takes no other's download")
  func newAfterSubscribingAgain() throws {
    try scene.subscribe(.auto(.all))
    try scene.refresh(appeared: try (1...4).reversed().map { try content($0) })
    try scene.comeToRest()
    let before = try (1...4).map(download)
    try scene.world.send(.podcasts(.unsubscribe(RuleScene.feed, deletingFiles: false)))
    try scene.subscribe(.auto(.all))
    try scene.refresh(appeared: try (1...5).reversed().map { try content($0) })
    try scene.comeToRest()
    #expect(try (1...4).map(download) == before)
    #expect(try !before.contains(download(5)))
    #expect(try scene.here() == Array(1...5))
  }

  @Test("A download that was removed, and fetched again since, keeps no rule from the next episode")
  func removedAndFetchedAgain() throws {
    try scene.subscribe(.auto(.all))
    try scene.refresh(appeared: [try content(2), try content(1)])
    try scene.comeToRest()
    try scene.world.send(.downloads(.remove(.one(try download(2)), deletingFile: false)))
    try scene.ask(for: 2)
    try scene.comeToRest()
    try scene.refresh(appeared: [try content(3)])
    try scene.comeToRest()
    #expect(try scene.here() == [1, 2, 3])
  }

  @Test("All that was removed with a former subscription keeps no rule from a new episode, and from nothing else")
  func removedWithSubscription() throws {
    try scene.subscribe(.auto(.all))
    try scene.refresh(appeared: [try content(2), try content(1)])
    try scene.comeToRest()
    try scene.world.send(.downloads(.remove(.all, deletingFile: false)))
    try scene.world.send(.podcasts(.unsubscribe(RuleScene.feed, deletingFiles: false)))
    try scene.subscribe(.auto(.all))
    try scene.refresh(appeared: try (1...3).reversed().map { try content($0) })
    try scene.comeToRest()
    #expect(try scene.here() == [3])
  }

  @Test("An episode of a second feed takes no download of another one of the first")
  func secondFeed() throws {
    let other = try #require(FeedID("g"))
    try scene.subscribe(.auto(.all))
    try scene.refresh(appeared: [try content(1)])
    try scene.comeToRest()
    try scene.subscribe(.auto(newest: 1), id: other)
    try scene.refresh(appeared: [try content(2), try content(1)], id: other)
    try scene.comeToRest()
    #expect(try addresses().count == 2)
  }

  @Test(
    "A download resembles an episode by its date, else by its title, else by its address alone",
    arguments: [
      (1, "a", 1, "a", .titleAndDate), (1, "b", 1, "a", .date), (1, nil, 1, "a", .date), (2, "a", 1, "a", nil),
      (2, nil, 1, nil, nil), (nil, "a", 1, "a", .title), (1, "a", nil, "a", .title), (nil, "a", nil, "a", .title),
      (nil, "b", nil, "a", nil), (1, "b", nil, "a", nil), (nil, "b", 1, "a", nil), (nil, nil, 1, "a", .address),
      (nil, nil, nil, nil, .address), (1, nil, nil, "a", .address),
    ] as [(Int64?, String?, Int64?, String?, EpisodeResemblance?)])
  func resemblance(
    date: Int64?, title: String?, episodeDate: Int64?, episodeTitle: String?, expected: EpisodeResemblance?
  ) throws {
    let description = Download.Description(
      title: episodeTitle,
      published: episodeDate.flatMap { PublicationDate(Timestamp(milliseconds: $0), offsetSeconds: 0) })
    let published = date.map(Timestamp.init(milliseconds:))
    #expect(EpisodeResemblance(title: title, published: published, to: description) == expected)
  }

  @Test(
    "A download that cannot be fetched goes on at a fresh address that another episode of the feed has too",
    arguments: [
      [DownloadError(.forbidden, "no", status: 403)], [DownloadError(.tlsCertificate, "another host's")],
      Array(repeating: DownloadError(.unknownHost, "no such host"), count: 2),
      Array(repeating: DownloadError(.httpStatus, "no", status: 500), count: 2),
    ])
  func renewed(errors: [DownloadError]) throws {
    try scene.subscribe(.none)
    var signed = try content(2)
    signed.enclosure?.address = try WebAddress("\(latest)?signature=1")
    try scene.refresh(appeared: [signed, try content(1)])
    try scene.ask(for: 1)
    try scene.ask(for: 2)
    let second = try download(2)
    for error in errors {
      if try scene.world.row(second).state.kind == .waiting {
        scene.world.advance(seconds: 3600)
        try scene.world.send(.timeCame)
      }
      let attempt = try #require(scene.world.attempts[second]?.id)
      let failure = AttemptReport.News.failed(error, kept: nil, retryAfterMilliseconds: nil)
      try scene.world.send(.attempt(AttemptReport(attempt: attempt, news: failure)))
    }
    let id = try #require(try scene.item(2)).episode.id
    try scene.world.send(.podcasts(.refresh(.one(RuleScene.feed))))
    let refresh = try #require(scene.world.dispatcher.state.podcasts.live[RuleScene.feed]).id
    let former = try #require(signed.enclosure).address
    let change = RefreshReport.EpisodeChange(
      id: id, content: try content(2), formerNames: .init(enclosures: [former]))
    try scene.world.send(.refresh(RefreshReport(refresh: refresh, news: .changed([change]))))
    let row = try scene.world.row(second)
    #expect(row.address == latest && row.state.kind == .running)
  }
}
