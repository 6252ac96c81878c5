import Flux
import Testing

@testable import PodfluxCore

@Suite("Files that are published with tags")
struct TaggingTests {
  @Test("The row learns what lies there, and beside it what was downloaded, before the copy gets its name")
  func twoFiles() throws {
    var machine = try TransferMachineTests.fetched([1], declared: 1)
    _ = TransferMachineTests.complete(&machine, length: 1)
    let path = try LibraryPath(validating: "a.mp3")
    let copy = PublishedFile(path: path, length: 90, inode: 9, sha256: "of the copy")
    let tagging = Download.Tagging.tagged(.init(length: 1))
    let record = TransferMachineTests.written(machine, 0)
    #expect(
      machine.named(path, inode: 9, tags: .tagged(length: 90, sha256: "of the copy"))
        == [.report(.publishing(copy, kept: record, tagging: tagging)), .synchronizeContents])
    _ = machine.contentsSynchronized()
    #expect(machine.proceed() == [.publish(copy)])
    // Its name was taken.
    #expect(machine.published(nil) == [.name(number: 2)])
    let other = try LibraryPath(validating: "a (2).mp3")
    guard
      case .report(.publishing(let file, _, let again))? = machine.named(
        other, inode: 9, tags: .tagged(length: 90, sha256: "of the copy")
      ).first
    else { return #expect(Bool(false), "it is not announced") }
    #expect(file.path == other && file.length == 90 && again == tagging)
  }

  @Test("A file that could not be tagged is the one that was downloaded, and the row knows why")
  func untagged() throws {
    var machine = try TransferMachineTests.fetched([1], declared: 1)
    _ = TransferMachineTests.complete(&machine, length: 1)
    let path = try LibraryPath(validating: "a.mp3")
    guard
      case .report(.publishing(let file, _, let tagging))? = machine.named(
        path, inode: 9, tags: .untagged(because: "so")
      ).first
    else { return #expect(Bool(false), "it is not announced") }
    #expect(file == PublishedFile(path: path, length: 1, inode: 9))
    #expect(tagging == .untagged(because: "so"))
  }

  @Test("A completed download has the length that was downloaded, whatever tags have added")
  func progress() throws {
    let world = try World()
    let id = try world.enqueue("a")
    var copy = try PublishedFile.sample()
    copy.length = 1_300
    let tagging = Download.Tagging.tagged(.init(length: 1_000, sha256: String(repeating: "a", count: 64)))
    try world.report(id, .publishing(copy, kept: .sample(durable: 900), tagging: tagging))
    #expect(try world.row(id).tagging == tagging)
    try world.restart(published: [id])
    let row = try world.row(id)
    #expect(row.state == .completed(copy) && row.tagging == tagging)
    #expect(row.progress == .init(durable: 1_000, total: 1_000))
  }

  @Test("What became of tags is forgotten with the file, and said anew for the next one")
  func forgotten() throws {
    let world = try World()
    let id = try world.enqueue("a")
    let untagged = Download.Tagging.untagged(because: "no tagger")
    try world.report(id, .publishing(.sample(), kept: .sample(durable: 1_000), tagging: untagged))
    #expect(try world.row(id).tagging == untagged)
    try world.report(id, .failed(.lost, kept: .sample(durable: 1_000)))
    #expect(try world.row(id).tagging == nil)
  }

  @Test("An attempt asks for tags only where that is set, and only for what something is known of")
  func attempts() throws {
    let world = try World()
    let plain = try world.enqueue("plain")
    #expect(world.attempts[plain]?.tags == nil)
    var patch = SettingsPatch()
    patch.tags = true
    try world.send(.updateSettings(patch))
    let unknown = try world.enqueue("unknown")
    #expect(world.attempts[unknown]?.tags == nil)
  }

  @Test("An episode's tags are what its rows say; a track may be no number, and a podcast may have the client's title")
  func episodes() throws {
    var content = EpisodeContent(guid: "g", title: "T")
    (content.season, content.number) = (2, "204.5")
    content.published = PublicationDate(Timestamp(milliseconds: 5), offsetSeconds: 3600)
    let episode = Episode(id: EpisodeID(number: 1), feed: 1, content: content, added: Timestamp(milliseconds: 0))
    let tags = EpisodeTags(episode, of: nil, timeZone: .publisher)
    #expect(tags.isEpisode && tags.title == "T" && tags.disc == 2 && tags.track == nil && tags.podcast == nil)
    #expect(tags.published == content.published)
  }

  /// What is fetched for the tags of an episode's file, under a policy for artwork, over a path.
  private func named(
    _ content: EpisodeContent, cover: String?, artwork: NetworkPolicy = .unmetered, over path: NetworkPath
  ) throws -> TagSources {
    try #require(try started(content, cover: cover, artwork: artwork, over: path).attempt.tagSources)
  }

  /// An attempt at an episode's file, which any network may bring, under a policy for artwork, over a path.
  private func started(
    _ content: EpisodeContent, cover: String?, artwork: NetworkPolicy = .unmetered, over path: NetworkPath
  ) throws -> (world: World, attempt: Attempt) {
    let world = try World { patch in
      patch.tags = true
      patch.network = NetworkClasses.Patch()
      patch.network?.artwork = artwork
      patch.network?.user = .any
    }
    try world.send(.network(.report(path)))
    let feed = try #require(FeedID("f"))
    try world.send(.podcasts(.subscribe(.init(id: feed, address: try WebAddress("http://127.0.0.1/f.xml")))))
    let refresh = try #require(
      world.effects.compactMap { if case .refreshFeed(let refresh) = $0 { refresh } else { nil } }.first)
    let podcast = PodcastContent(title: "Show", image: cover)
    try world.send(.refresh(RefreshReport(refresh: refresh.id, news: .described(podcast))))
    try world.send(.refresh(RefreshReport(refresh: refresh.id, news: .appeared([content]))))
    try world.send(.podcasts(.download(.matching(.everything))))
    let attempt = try #require(
      world.effects.compactMap { if case .start(let attempt) = $0 { attempt } else { nil } }.first)
    #expect(attempt.tags?.title == "One")
    return (world, attempt)
  }

  private func left(_ world: World) -> [[TagMaterial.Part]] {
    world.effects.compactMap { if case .leaveParts(let parts, _) = $0 { parts } else { nil } }
  }

  private func content(image: String?) throws -> EpisodeContent {
    EpisodeContent(
      guid: "g", title: "One", enclosure: .init(address: try .on("media.example"), mediaType: "audio/mpeg", length: 5),
      chapters: try WebAddress("https://side.example/chapters"), image: try image.map { try WebAddress($0) })
  }

  private static let wifi = NetworkPath(status: .online, interface: .wifi, device: "wlan0")
  private static let cellular = NetworkPath(status: .online, interface: .cellular, device: "wwan0")

  @Test(
    "What an episode's feed names is fetched for its tags, a picture of its own only where it is another than the podcast's"
  )
  func sources() throws {
    let (own, cover) = ("https://side.example/own", "https://art.example/cover")
    let both = try named(content(image: own), cover: cover, over: Self.wifi)
    #expect(
      both.sources.mapValues(\.address.description) == [
        .chapters: "https://side.example/chapters", .picture: own, .cover: cover,
      ])
    #expect(both.sources.values.allSatisfy { $0.route == .only(device: "wlan0") })
    let same = try named(content(image: cover), cover: cover, over: Self.wifi)
    #expect(Set(same.sources.keys) == [.chapters, .cover])
    let broken = try named(content(image: nil), cover: "no address", over: Self.wifi)
    #expect(Set(broken.sources.keys) == [.chapters])
  }

  /// Seed 20509 of the simulator, with network, paths, feeds, sidecars and tags: pictures came over a network that had
  /// turned out to be metered, since only a new connection would have been told of it.
  @Test("An attempt under way leaves what may come no more over a network that turns out to be metered, and goes on")
  func meteredLater() throws {
    let content = try content(image: "http://127.0.0.1/own")
    let (world, attempt) = try started(content, cover: "https://art.example/cover", over: Self.wifi)
    #expect(attempt.tagSources.map { Set($0.sources.keys) } == [.chapters, .picture, .cover])
    var metered = Self.wifi
    metered.isMetered = true
    try world.send(.network(.report(metered)))
    #expect(world.effects.contains(.leaveParts([.chapters, .cover], attempt.id)))
    #expect(!world.effects.contains(.stop(attempt.id)))
    try world.send(.timeCame)
    #expect(left(world).isEmpty)
  }

  @Test("An attempt under way leaves what a client lets come no more over this network")
  func forbiddenLater() throws {
    let content = try content(image: nil)
    let (world, attempt) = try started(
      content, cover: "https://art.example/cover", artwork: .any, over: Self.cellular)
    var patch = SettingsPatch()
    patch.network = NetworkClasses.Patch()
    patch.network?.artwork = .unmetered
    try world.send(.updateSettings(patch))
    #expect(left(world) == [[.chapters, .cover]])
    #expect(!world.effects.contains(.stop(attempt.id)))
  }

  @Test(
    "What the policy of artwork keeps from a path is not fetched, also where downloads may use it; this machine needs no path"
  )
  func policy() throws {
    let content = try content(image: "http://127.0.0.1/own")
    let metered = try named(content, cover: "https://art.example/cover", over: Self.cellular)
    let own = TagSources.Source(try WebAddress("http://127.0.0.1/own"), route: .loopback, reach: .asNamed)
    #expect(metered.sources == [.picture: own])
    let free = try named(content, cover: "https://art.example/cover", artwork: .any, over: Self.cellular)
    #expect(Set(free.sources.keys) == [.chapters, .picture, .cover])
    #expect(free[.cover]?.route == .any)
  }
}
