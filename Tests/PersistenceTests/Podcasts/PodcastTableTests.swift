import Flux
import GRDB
import PodfluxCore
import Testing

@testable import Persistence

@Suite("The tables of feeds and episodes")
struct PodcastTableTests {
  private let database: LibraryDatabase

  init() throws {
    database = try LibraryDatabase.inMemory()
  }

  private static let now = Timestamp(milliseconds: 1_800_000_000_000)

  private func write<Value>(_ body: (any Tables) throws -> Value) throws -> Value {
    try database.ledger().transaction(body)
  }

  private func addFeed(_ name: String, title: String? = nil) throws -> Feed.Key {
    try write { tables in
      try tables.feeds.insert(
        try #require(FeedID(name)), at: try WebAddress("https://\(name).example/f"), wishes: .init(title: title),
        session: nil,
        next: Self.now, added: Self.now)
    }
  }

  /// Everything that a row can hold.
  private static func richContent() throws -> EpisodeContent {
    EpisodeContent(
      guid: "urn:\u{1F399}", title: "Ünïcode \u{202E}title",
      published: PublicationDate(now, offsetSeconds: -19_800), link: try WebAddress("https://x.example/?a=1&b=2#c"),
      seconds: 3723, season: -2, number: "204.5", kind: .bonus,
      enclosure: .init(address: try WebAddress("https://m.example/1.mp3"), mediaType: "audio/mpeg", length: 1 << 40),
      alternates: [
        .init(
          addresses: [try WebAddress("https://m2.example/1.mp3"), try WebAddress("http://m3.example/1")],
          mediaType: "audio/opus", length: 7, title: "Low",
          integrity: Integrity("sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="), isEnclosure: true),
        .init(addresses: [try WebAddress("https://v.example/1.mp4")]),
      ], chapters: try WebAddress("https://x.example/c.json"), transcript: try WebAddress("https://x.example/t.vtt"),
      image: try WebAddress("https://x.example/i.png"))
  }

  @Test("An episode comes back as it was written, an empty one too, and its fingerprint follows from all of it")
  func episodes() throws {
    let feed = try addFeed("a")
    let rich = try Self.richContent()
    // Several statements' worth, and some more.
    let contents = (0..<19).map { index in
      var content = index.isMultiple(of: 2) ? rich : EpisodeContent()
      content.title = index == 1 ? nil : "Title \(index)"
      return content
    }
    let ids = try write { tables in try tables.episodes.insert(contents, of: feed, added: Self.now) }
    #expect(ids.map(\.number) == Array(1...19))
    let found = try write { tables in try ids.map { try #require(try tables.episodes.find($0)) } }
    #expect(found.map(\.content) == contents)
    #expect(found.map(\.content.fingerprint) == contents.map(\.fingerprint))
    let changes: [(inout EpisodeContent) throws -> Void] = [
      { $0.guid = nil }, { $0.title = "" }, { $0.published = PublicationDate(Self.now) }, { $0.link = nil },
      { $0.seconds = 3724 }, { $0.season = 3 }, { $0.number = "2045" }, { $0.kind = .full },
      { $0.enclosure?.mediaType = nil }, { $0.enclosure?.length = 0 }, { $0.enclosure = nil },
      { $0.alternates[0].isEnclosure = false }, { $0.alternates[0].integrity = nil },
      { $0.alternates[0].addresses.removeLast() }, { $0.alternates.removeLast() }, { $0.chapters = nil },
      { $0.transcript = nil }, { $0.image = nil },
    ]
    var fingerprints: Set<Int64> = [rich.fingerprint]
    for change in changes {
      var other = rich
      try change(&other)
      #expect(fingerprints.insert(other.fingerprint).inserted)
      let change = RefreshReport.EpisodeChange(id: ids[0], content: other, formerNames: .init())
      #expect(try write { try $0.episodes.update(change, of: feed) } == UpdatedEpisode(download: nil))
      #expect(try write { try $0.episodes.find(ids[0]) }?.content == other)
    }
  }

  @Test("A feed comes back as it was written")
  func feeds() throws {
    let key = try addFeed("a", title: "Mine")
    var feed = try #require(try write { try $0.feeds.find(key) })
    #expect(feed.refreshes.isAsked && feed.due == Self.now)
    feed.wishes = .init(
      title: nil, group: "A/B", headers: [Header(name: "X", value: "y")], userAgent: "U", network: .any, isPaused: true,
      filenameTemplate: try NameTemplate(validating: "{podcast}/[{date} ]{title}"))
    feed.podcast = PodcastContent(
      title: "T", link: "l", image: "i", description: "d", language: "de", author: "a", guid: "g")
    feed.refreshes = Feed.Refreshes(
      last: Self.now, next: Self.now.advanced(byDays: 1), failures: 3,
      error: DownloadError(.httpStatus, "503", status: 503),
      validators: FeedValidators(
        entityTag: "W/\"x\"", lastModified: "m", bodyHash: "h", fullBodyAt: Self.now, isDistrusted: true, hasNotes: true
      ),
      formerAddresses: [try WebAddress("https://old.example/f")], hasEnded: true, isAsked: false)
    feed.episodes = 12
    try write { try $0.feeds.update(feed) }
    #expect(try write { try $0.feeds.find(feed.id) } == feed)
    #expect(try write { try $0.feeds.find(at: try WebAddress("https://old.example/f")) } == feed.id)
    #expect(feed.due == nil)
    #expect(
      try write { try $0.feeds.due(at: Self.now.advanced(byDays: 9), on: .allBut([]), besides: []) { _, _ in .taken } }
        .isEmpty)
    try write { try $0.feeds.delete(key) }
    #expect(try write { try $0.feeds.find(at: try WebAddress("https://old.example/f")) } == nil)
  }

  @Test("Episodes have their places by date, and by age among those of one date; other feeds' do not count")
  func indexes() throws {
    let feeds = (try addFeed("a"), try addFeed("b"))
    func content(_ day: Int?) -> EpisodeContent {
      EpisodeContent(published: day.map { PublicationDate(Self.now.advanced(byDays: $0)) })
    }
    try write { tables in
      try tables.episodes.insert([3, nil, 1, 1, 2].map(content), of: feeds.0, added: Self.now)
      try tables.episodes.insert([0, 1, 2].map(content), of: feeds.1, added: Self.now)
    }
    let found: [Int64?] = try write { tables in
      try (1...8).map { (number: Int64) -> Int64? in
        try tables.episodes.find(EpisodeID(number: number)).flatMap { try tables.episodes.index(of: $0) }
      }
    }
    #expect(found == [4, nil, 1, 2, 3, 1, 2, 3])
    let indexes = try database.read { try $0.episodeIndexes(of: feeds.0) }
    let inOrder = indexes.sorted { $0.value < $1.value }.map(\.key.number)
    #expect(inOrder == [3, 4, 5, 1])
  }

  @Test("A download's file can be named after its episode and its feed")
  func nameable() throws {
    let feed = try addFeed("a")
    let download = try Sample.download()
    try write { tables in
      try tables.downloads.insert(download)
      let ids = try tables.episodes.insert([EpisodeContent(guid: "g")], of: feed, added: Self.now)
      try tables.episodes.setDownload(download.id, of: ids[0])
    }
    let found = try #require(try database.read { try $0.nameable(download.id) })
    #expect(found.download == download && found.episode?.content.guid == "g" && found.feed?.key == feed)
    let (own, other) = try (#require(found.feed?.id), #require(FeedID("other")))
    #expect(try database.read { try $0.nameable(download.id, of: own) } == found)
    #expect(try database.read { try $0.nameable(download.id, of: other) } == nil)
    try write { try $0.feeds.delete(feed) }
    #expect(try database.read { try $0.nameable(download.id) } == NameableDownload(download))
  }

  @Test("A library from before names had templates has none, and one that is no template is a damaged row")
  func templates() throws {
    let folder = try TemporaryFolder()
    try FormerLibrary.make(in: folder, upTo: "15-podcasts", with: []) { db in
      try db.execute(
        sql: """
          INSERT INTO feeds (id, url, url_hash, host, network, paused, title_key, next_at, failures, distrusted, ended,
            asked, read, episodes, added_at)
          VALUES ('a', 'https://a.example/f', 1, 'a.example', 0, 0, 'a', 0, 0, 0, 0, 0, 0, 0, 0)
          """)
    }
    let former = try LibraryDatabase.open(at: folder.databasePath)
    let id = try #require(FeedID("a"))
    #expect(try former.ledger().transaction { try $0.feeds.find(id) }?.wishes == .init())
    try former.withConnection { db in
      #expect(throws: DatabaseError.self) { try db.execute(sql: "UPDATE feeds SET filename_template = ''") }
      try db.execute(sql: "UPDATE feeds SET filename_template = '{titel}'")
    }
    #expect(throws: DamagedRow.self) { try former.ledger().transaction { try $0.feeds.find(id) } }
    try former.close()
  }

  @Test("Those that have been due for longest come first, of those that are taken")
  func due() throws {
    for (index, name) in ["a", "b", "c"].enumerated() {
      let key = try addFeed(name)
      try write { tables in
        var feed = try #require(try tables.feeds.find(key))
        feed.refreshes.next = Self.now.advanced(byMilliseconds: Int64(-index) * 1000)
        try tables.feeds.update(feed)
      }
    }
    func due(on hosts: HostScope, _ judge: (String) -> DueVerdict = { _ in .taken }) throws -> [String] {
      try write { tables in
        try tables.feeds.due(at: Self.now, on: hosts, besides: []) { _, lane in judge(lane.host) }
      }.map(\.id.description)
    }
    #expect(try due(on: .allBut([])) == ["c", "b", "a"])
    #expect(try due(on: .allBut([])) { $0 == "c.example" ? .passed : .taken } == ["b", "a"])
    #expect(try due(on: .allBut([])) { $0 == "b.example" ? .takenAsLast : .taken } == ["c", "b"])
    #expect(try due(on: .allBut(["c.example", "b.example"])) == ["a"])
    #expect(try due(on: .only(["a.example", "b.example"])) == ["b", "a"])
    #expect(try due(on: .only(["a.example", "b.example"])) { $0 == "b.example" ? .passed : .takenAsLast } == ["a"])
    #expect(try due(on: .only(["other.example"])) == [])
    let before = Self.now.advanced(byMilliseconds: -5000)
    #expect(try write { try $0.feeds.nextMoment(after: before) } == Self.now.advanced(byMilliseconds: -2000))
    #expect(try write { try $0.feeds.makeAllDue(at: before) } == 3)
    #expect(try write { try $0.feeds.nextMoment(after: before) } == nil)
  }

  // MARK: Pages

  private func fill(_ number: Int) throws {
    // Their keys are in several eights.
    let feeds = try (0..<20).map { try addFeed("f\($0)") }
    var random = SeededGenerator(seed: 7)
    try write { tables in
      for index in 0..<number {
        let draw = random.next()
        let content = EpisodeContent(
          guid: "\(index)", title: draw % 5 == 0 ? nil : "Title \(draw % 17)",
          published: draw % 7 == 0
            ? nil : PublicationDate(Self.now.advanced(byMilliseconds: -Int64(draw % 20) * 86_400_000)),
          seconds: draw % 3 == 0 ? nil : Int64(draw % 50), season: Int64(draw % 3),
          kind: draw % 11 == 0 ? .bonus : nil,
          enclosure: draw % 4 == 0
            ? nil
            : .init(
              address: try WebAddress("https://m.example/\(index).\(draw % 2 == 0 ? "mp3" : "mp4")"),
              length: draw % 6 == 0 ? nil : Int64(draw % 30)))
        let id = try #require(
          try tables.episodes.insert([content], of: feeds[index % feeds.count], added: Self.now).first)
        _ = try tables.episodes.mark(
          id, .init(isPlayed: draw % 2 == 0, isFavorite: draw % 9 == 0, isArchived: draw % 10 == 0))
      }
    }
  }

  private func page(_ query: EpisodesQuery) throws -> EpisodesSnapshot {
    try database.read { try $0.episodes(query, at: ConditionMoment(now: Self.now)) }
  }

  @Test(
    "Pages in each order hold each episode once, in order",
    arguments: EpisodeOrderKey.allCases, [false, true])
  func pages(key: EpisodeOrderKey, isReversed: Bool) throws {
    try fill(60)
    let found = try [1, 7, 25].map { limit in
      var query = EpisodesQuery(order: .init(key, isReversed: isReversed), limit: limit)
      var found: [EpisodesSnapshot.Item] = []
      repeat {
        let page = try page(query)
        #expect(page.items.count <= limit)
        found += page.items
        query.after = page.next
      } while query.after != nil
      return found
    }
    let all = try page(.init(order: .init(.added), limit: 1000)).items
    func value(_ content: EpisodeContent) -> (Int, Int64, String) {
      switch key {
      case .added: return (0, 0, "")
      case .published: return (content.published == nil ? 0 : 1, content.published?.moment.milliseconds ?? 0, "")
      case .title: return (content.title == nil ? 0 : 1, 0, content.title?.lowercased() ?? "")
      case .size: return (content.enclosure?.length == nil ? 0 : 1, content.enclosure?.length ?? 0, "")
      case .seconds: return (content.seconds == nil ? 0 : 1, content.seconds ?? 0, "")
      }
    }
    var expected = all.sorted { one, other in
      let (left, right) = (value(one.episode.content), value(other.episode.content))
      return left == right ? one.episode.id < other.episode.id : left < right
    }
    if isReversed { expected.reverse() }
    for found in found { #expect(found.map(\.episode.id) == expected.map(\.episode.id)) }
  }

  @Test("Conditions choose what they say, in each order and of one feed")
  func conditions() throws {
    try fill(80)
    let all = try page(.init(order: .init(.added), limit: 1000)).items
    let day = Self.now.advanced(byDays: -5)
    let table: [(EpisodeCondition, (EpisodesSnapshot.Item) -> Bool)] = [
      (.feeds([try #require(FeedID("a"))]), { $0.feed.description == "a" }),
      (.feeds([try #require(FeedID("none"))]), { _ in false }),
      (.podcasts(["B.EXAMPLE"]), { $0.feed.description == "b" }),
      (.played(true), \.episode.marks.isPlayed), (.favorite(true), \.episode.marks.isFavorite),
      (.archived(false), { !$0.episode.marks.isArchived }),
      (.titleContains(["TITLE 1"]), { $0.episode.content.title?.hasPrefix("Title 1") ?? false }),
      (.media([.video]), { $0.episode.content.mediaKind == .video }),
      (
        .published(after: day, before: nil),
        { item in item.episode.content.published.map { $0.moment > day } ?? false }
      ),
      (.bytes(atLeast: 5, atMost: 9), { (5...9).contains($0.episode.content.enclosure?.length ?? -1) }),
      (.seconds(atLeast: nil, atMost: 9), { (0...9).contains($0.episode.content.seconds ?? -1) }),
      (.seasons([1]), { $0.episode.content.season == 1 }),
      (.kinds([.bonus]), { $0.episode.content.kind == .bonus }),
      (.kinds([.full]), { $0.episode.content.kind == nil }),
      (.states([.completed]), { _ in false }),
      (.not(.states([.completed])), { _ in true }),
      (.any([.favorite(true), .seasons([2])]), { $0.episode.marks.isFavorite || $0.episode.content.season == 2 }),
      (.any([]), { _ in false }),
      (
        .all([.feeds([try #require(FeedID("a"))]), .not(.played(true))]),
        { $0.feed.description == "a" && !$0.episode.marks.isPlayed }
      ),
    ]
    for (condition, isMeant) in table {
      let expected = Set(all.filter(isMeant).map(\.episode.id))
      for key in EpisodeOrderKey.allCases {
        let found = try page(.init(condition: condition, order: .init(key, isReversed: true), limit: 1000)).items
        #expect(Set(found.map(\.episode.id)) == expected, "\(condition) by \(key)")
      }
      let wanted = try write {
        try $0.episodes.wanted(condition, at: ConditionMoment(now: Self.now), limit: 1000)
      }
      #expect(
        Set(wanted.map(\.id))
          == Set(all.filter { isMeant($0) && $0.episode.content.enclosure != nil }.map(\.episode.id)))
    }
  }

  @Test("Marks are counted where they change something")
  func marks() throws {
    try fill(40)
    let unplayed = try page(.init(condition: .played(false), order: .init(.added), limit: 1000)).items.count
    let moment = ConditionMoment(now: Self.now)
    #expect(try write { try $0.episodes.mark(.everything, .init(isPlayed: true), at: moment) } == unplayed)
    #expect(try write { try $0.episodes.mark(.everything, .init(isPlayed: true), at: moment) } == 0)
    #expect(try write { try $0.episodes.mark(EpisodeID(number: 999), .init(isPlayed: true)) } == nil)
  }

  @Test("A page of a feed uses its index, and no page sorts the table")
  func plans() throws {
    try fill(10)
    try database.queue.read { db in
      for (sql, index) in [
        ("feed >> 3 = 0 AND published IS NOT NULL ORDER BY published DESC, key DESC", "episodes_published"),
        ("feed >> 3 = 0 AND title_key IS NOT NULL ORDER BY title_key, key", "episodes_title"),
        ("bytes IS NULL ORDER BY key", "episodes_bytes_unknown"),
        ("feed >> 3 = 0 AND (seconds, key) > (5, 2) ORDER BY seconds, key", "episodes_seconds"),
      ] {
        let plan = try String.fetchAll(
          db, sql: "EXPLAIN QUERY PLAN SELECT * FROM episodes INDEXED BY \(index) WHERE \(sql) LIMIT 9",
          adapter: SuffixRowAdapter(fromIndex: 3)
        ).joined(separator: "\n")
        #expect(plan.contains(index))
        #expect(!plan.contains("TEMP B-TREE"), "\(plan)")
      }
    }
  }
}
