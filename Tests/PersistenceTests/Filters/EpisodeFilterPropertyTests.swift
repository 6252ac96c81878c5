import Flux
import GRDB
import Testing
import Texts

@testable import Persistence
@testable import PodfluxCore

/// Random feeds, episodes and downloads with random changes and queries; a seed repeats a failure.
@Suite("Filters over episodes against an oracle")
struct EpisodeFilterPropertyTests {
  @Test("Lists, counts and the table of counts are correct after each change", arguments: UInt64(1)...10)
  func property(seed: UInt64) throws {
    var world = try RandomEpisodeLibrary(seed: seed)
    for _ in 0..<15 {
      try world.change()
      try world.checkTable()
      for _ in 0..<4 { try world.checkCounts() }
      for _ in 0..<6 { try world.checkList() }
    }
  }

  @Test("A library from before these filters counts its episodes as if they had been added by this version")
  func migration() throws {
    let folder = try TemporaryFolder()
    let database = try LibraryDatabase.open(at: folder.databasePath)
    var world = try RandomEpisodeLibrary(seed: 7, in: database)
    for _ in 0..<12 { try world.change() }
    try world.changeDay(by: 3, secondsEast: 19_800)
    let counts = try world.counts()
    #expect(counts.count > 10)
    try database.withConnection { db in
      try db.execute(
        sql: """
          DROP TABLE episode_facets;
          DROP TABLE episode_filters;
          DROP INDEX episodes_undated;
          DELETE FROM grdb_migrations WHERE identifier = '19-episode-filters';
          """)
    }
    try database.close()
    world.database = try LibraryDatabase.open(at: folder.databasePath)
    #expect(try world.counts() == counts)
    try world.checkTable()
    try world.checkCounts()
    try world.database.close()
  }
}

/// A library with random changes, and what it is expected to hold.
struct RandomEpisodeLibrary {
  var database: LibraryDatabase
  private let ledger: SQLLedger
  private var model: RandomEpisodes
  private var number = 0
  private let seed: UInt64

  init(seed: UInt64, in database: LibraryDatabase? = nil) throws {
    self.seed = seed
    self.database = try database ?? LibraryDatabase.inMemory()
    ledger = self.database.ledger()
    model = RandomEpisodes(seed: seed)
    let (ledger, today) = (ledger, model.today)
    try ledger.transaction { try $0.filters.turn(to: today) }
  }

  // MARK: Changes

  private struct Undone: Error {}

  /// One transaction with several changes.
  mutating func change() throws {
    let (before, isUndone) = (model, model.chance(10))
    do {
      try ledger.transaction { tables in
        for _ in 0..<Int.random(in: 1...20, using: &model.random) { try change(tables) }
        if isUndone { throw Undone() }
      }
    } catch is Undone {
      let random = model.random
      model = before
      model.random = random
    }
  }

  mutating func changeDay(by days: Int64, secondsEast: Int64) throws {
    model.today = LocalDay(model.today.number + days, secondsEast: secondsEast)
    let today = model.today
    try ledger.transaction { try $0.filters.turn(to: today) }
  }

  private mutating func change(_ tables: any Tables) throws {
    let index = model.episodes.indices.randomElement(using: &model.random)
    switch (Int.random(in: 0..<100, using: &model.random), index) {
    case (0..<8, _): try addFeed(tables)
    case (8..<30, _), (_, nil): try addEpisodes(tables)
    case (30..<33, _): try deleteFeed(tables)
    case (33..<36, _): _ = try tables.episodes.forgetLeft(limit: 3)
    case (36..<39, _):
      guard let feed = model.feeds.indices.randomElement(using: &model.random) else { return }
      model.feeds[feed].title = try model.one(of: RandomEpisodes.titles)
      var row = try #require(try tables.feeds.find(model.feeds[feed].key))
      row.wishes.title = model.feeds[feed].title
      try tables.feeds.update(row)
    case (39..<50, let index?):
      let content = try model.content()
      model.episodes[index].content = content
      let change = RefreshReport.EpisodeChange(
        id: model.episodes[index].id, content: content, formerNames: .init())
      _ = try tables.episodes.update(change, of: model.episodes[index].feed)
    case (50..<60, let index?):
      let id = try #require(DownloadID("d\(Int.random(in: 0..<12, using: &model.random))"))
      model.episodes[index].download = id
      try tables.episodes.setDownload(id, of: model.episodes[index].id)
    case (60..<70, let index?):
      let marking = marking()
      mark(index, marking)
      _ = try tables.episodes.mark(model.episodes[index].id, marking)
    case (70..<74, _): try markMany(tables)
    case (74..<77, _):
      let secondsEast = try model.one(of: [Int64(0), -3_600, 19_800])
      let days = try model.one(of: [Int64(-40), -1, 0, 1, 2, 6, 30, 400])
      model.today = LocalDay(RandomDownloads.today + days, secondsEast: secondsEast)
      try tables.filters.turn(to: model.today)
    default: try changeDownload(tables)
    }
  }

  private mutating func addFeed(_ tables: any Tables) throws {
    number += 1
    let title = try model.one(of: RandomEpisodes.titles)
    let key = try tables.feeds.insert(
      try #require(FeedID("f\(number)")), at: try WebAddress("https://f\(number).example/f"),
      wishes: .init(title: title), session: nil, next: RandomEpisodes.now, added: RandomEpisodes.now)
    model.feeds.append((key, title))
  }

  private mutating func addEpisodes(_ tables: any Tables) throws {
    guard let feed = model.feeds.randomElement(using: &model.random) else { return try addFeed(tables) }
    let added = model.moment()
    let contents = try (0..<Int.random(in: 1...4, using: &model.random)).map { _ in try model.content() }
    let ids = try tables.episodes.insert(contents, of: feed.key, added: added)
    for (id, content) in zip(ids, contents) {
      model.episodes.append(.init(id: id, feed: feed.key, content: content, added: added))
    }
  }

  private mutating func deleteFeed(_ tables: any Tables) throws {
    guard let index = model.feeds.indices.randomElement(using: &model.random) else { return }
    let key = model.feeds.remove(at: index).key
    try tables.feeds.delete(key)
    // Its episodes are still rows, and a late change of one concerns no list.
    if let left = model.episodes.first(where: { $0.feed == key }) {
      try tables.episodes.setDownload(try #require(DownloadID("d1")), of: left.id)
    }
    model.episodes.removeAll { $0.feed == key }
  }

  private mutating func marking() -> PodcastIntent.EpisodeMarking {
    PodcastIntent.EpisodeMarking(
      isPlayed: model.chance(50) ? model.chance(50) : nil, isFavorite: model.chance(50) ? model.chance(50) : nil,
      isArchived: model.chance(30) ? model.chance(50) : nil)
  }

  private mutating func mark(_ index: Int, _ marking: PodcastIntent.EpisodeMarking) {
    let marks = model.episodes[index].marks
    model.episodes[index].marks = Episode.Marks(
      isPlayed: marking.isPlayed ?? marks.isPlayed, isFavorite: marking.isFavorite ?? marks.isFavorite,
      isArchived: marking.isArchived ?? marks.isArchived)
  }

  private mutating func markMany(_ tables: any Tables) throws {
    let (marking, isPlayed) = (marking(), model.chance(50))
    _ = try tables.episodes.mark(.played(isPlayed), marking, at: ConditionMoment(now: RandomEpisodes.now))
    for index in model.episodes.indices where model.episodes[index].marks.isPlayed == isPlayed { mark(index, marking) }
  }

  private mutating func changeDownload(_ tables: any Tables) throws {
    let id = try #require(DownloadID("d\(Int.random(in: 0..<12, using: &model.random))"))
    let state = try model.one(of: try Sample.states())
    switch (Int.random(in: 0..<10, using: &model.random), model.downloads[id]) {
    case (0..<2, _):
      let change = try model.one(of: [BulkChange.pause, .resume, .retry, .cancel, .remove(deletingFiles: false)])
      let moment = ConditionMoment(now: RandomEpisodes.now)
      _ = try tables.downloads.apply(change, to: .everything, at: moment, sparing: [id])
      for id in model.downloads.keys { model.downloads[id] = try tables.downloads.find(id)?.state.kind }
    case (_, nil):
      try tables.downloads.insert(try Sample.download(id.description, state: state))
      model.downloads[id] = state.kind
    case (2..<4, _):
      try tables.downloads.delete(id)
      model.downloads[id] = nil
    default:
      var download = try #require(try tables.downloads.find(id))
      download.state = state
      download.dates.finished = state.kind == .completed ? Sample.moment : nil
      try tables.downloads.update(download)
      model.downloads[id] = state.kind
    }
  }

  // MARK: Checks

  private var moment: ConditionMoment { ConditionMoment(now: RandomEpisodes.now, today: model.today) }

  /// The table of counts, by feed and class.
  func counts() throws -> [String] {
    try database.withConnection { db in
      try Row.fetchAll(db, sql: "SELECT feed, class, number FROM episode_facets ORDER BY 1, 2").map { "\($0)" }
    }
  }

  func checkTable() throws {
    let model = model
    let expected = model.episodes.reduce(into: [String: Int]()) { numbers, episode in
      var traits = EpisodeTraits(of: episode.content, added: episode.added, on: model.today)
      traits.state = episode.download.flatMap { model.downloads[$0] }
      (traits.isPlayed, traits.isFavorite) = (episode.marks.isPlayed, episode.marks.isFavorite)
      numbers["\(episode.feed) \(traits)", default: 0] += 1
    }
    let stored = try database.withConnection { db in
      try Row.fetchAll(db, sql: "SELECT feed, class, number FROM episode_facets").map { row in
        ("\(row["feed"] as Int64) \(try PackedEpisodeTraits(code: row["class"]).traits())", row["number"] as Int)
      }
    }
    #expect(Dictionary(uniqueKeysWithValues: stored) == expected, "seed \(seed)")
  }

  mutating func checkCounts() throws {
    let selection = try model.selection()
    let (model, moment) = (model, moment)
    let state = FiltersState(selection: selection, selectedGroup: nil, saved: [])
    let part = try database.read { try $0.episodeFilters(state, at: moment) }
    let filters = part.groups.flatMap(\.filters)
    for filter in filters {
      let expected = model.episodes.count {
        model.shows(selection, without: filter.filter.id.group, $0) && model.meets(filter.filter.id, $0)
      }
      #expect(filter.count == expected, "seed \(seed): \(filter) \(selection)")
      #expect(filter.isActive == selection.active.contains(filter.filter.id))
    }
    let shown = model.feeds.filter { feed in
      model.episodes.contains { $0.feed == feed.key && model.shows(selection, without: .podcast, $0) }
    }
    let names = Set(filters.filter { $0.filter.id.group == .podcast }.map { FoldedText.of($0.filter.id.value) })
    for feed in shown where FilterID(group: .podcast, value: feed.title) != nil {
      #expect(names.contains(FoldedText.of(feed.title)), "seed \(seed): \(feed.title) is shown and no filter")
    }
  }

  mutating func checkList() throws {
    let (selection, isUnfiltered) = (try model.selection(), model.chance(20))
    let order = EpisodeOrder(try model.one(of: EpisodeOrderKey.allCases), isReversed: model.chance(50))
    let condition: EpisodeCondition = model.chance(60) ? .everything : .favorite(model.chance(50))
    var query = EpisodesQuery(condition: condition, isUnfiltered: isUnfiltered, order: order, limit: 4)
    var (found, moment) = ([EpisodeID](), moment)
    // The filters go by the calendar's day, even where a query is ahead of it.
    if model.chance(20) { moment.today = LocalDay(model.today.number + 3) }
    repeat {
      let (asked, moment) = (query, moment)
      let page = try database.read { try $0.episodes(asked, filters: selection, at: moment) }
      found += page.items.map(\.episode.id)
      query.after = page.next
    } while query.after != nil
    let model = model
    let expected = model.episodes.filter { episode in
      let isMeant = if case .favorite(let value) = condition { episode.marks.isFavorite == value } else { true }
      return isMeant && (isUnfiltered || model.shows(selection, episode))
    }.map(\.id)
    let sorted = order.key == .added ? (order.isReversed ? expected.reversed() : expected) : expected
    #expect(
      order.key == .added ? found == sorted : found.count == expected.count && Set(found) == Set(expected),
      "seed \(seed): \(query) \(selection)")
  }
}
