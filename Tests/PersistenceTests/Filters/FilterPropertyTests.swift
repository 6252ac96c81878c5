import Flux
import GRDB
import Testing

@testable import Persistence
@testable import PodfluxCore

/// Random libraries with random changes and queries; a seed repeats a failure.
@Suite("Filters, conditions and orders against an oracle")
struct FilterPropertyTests {
  @Test("Lists, counts and derived tables are correct after each change", arguments: UInt64(1)...12)
  func property(seed: UInt64) throws {
    var world = try RandomLibrary(seed: seed)
    for _ in 0..<12 {
      try world.change()
      try world.checkTables()
      try world.checkScheduling()
      for _ in 0..<8 { try world.checkList() }
      try world.checkCounts()
      try world.checkSelection()
    }
  }

  @Test(
    "While rows are added, removed and changed, no row appears twice, and no remaining row is missing",
    arguments: UInt64(1)...8)
  func cursors(seed: UInt64) throws {
    var world = try RandomLibrary(seed: seed)
    for _ in 0..<4 { try world.change() }
    for key in DownloadOrderKey.allCases {
      for isReversed in [false, true] { try world.checkCursor(DownloadOrder(key, isReversed: isReversed)) }
    }
  }
}

/// A library with random changes, and its expected contents.
struct RandomLibrary {
  let database: LibraryDatabase
  let ledger: SQLLedger
  private var draw: RandomDownloads
  private(set) var oracle = Oracle()
  private var number = 0
  let seed: UInt64

  init(seed: UInt64) throws {
    self.seed = seed
    database = try LibraryDatabase.inMemory()
    ledger = database.ledger()
    draw = RandomDownloads(seed: seed)
    draw.hasSessions = true
    let ledger = ledger
    try ledger.transaction { try $0.filters.turn(to: RandomDownloads.today) }
  }

  // MARK: Changes

  /// One transaction with several changes.
  mutating func change() throws {
    let (before, isUndone) = (oracle, draw.chance(10))
    do {
      try ledger.transaction { tables in
        for _ in 0..<Int.random(in: 1...25, using: &draw.random) { try change(tables) }
        if isUndone { throw Undone() }
      }
    } catch is Undone {
      oracle = before
    }
    oracle.moment.obstacles = try draw.obstacles()
  }

  private struct Undone: Error {}

  private mutating func change(_ tables: any Tables) throws {
    let index = oracle.downloads.indices.randomElement(using: &draw.random)
    switch (Int.random(in: 0..<100, using: &draw.random), index) {
    case (0..<45, _), (_, nil):
      number += 1
      oracle.downloads.append(try draw.download(number))
      try tables.downloads.insert(try #require(oracle.downloads.last))
    case (45..<80, let index?):
      try draw.change(&oracle.downloads[index])
      try tables.downloads.update(oracle.downloads[index])
    case (80..<90, let index?): try tables.downloads.delete(oracle.downloads.remove(at: index).id)
    case (90..<92, let index?):
      try tables.downloads.release(oracle.downloads[index].id)
      oracle.downloads[index].isHeld = false
    case (92..<93, _):
      try tables.downloads.releaseAll()
      for index in oracle.downloads.indices { oracle.downloads[index].isHeld = false }
    case (93..<96, _):
      oracle.today = RandomDownloads.today + (try draw.one(of: [-40, -1, 0, 1, 2, 6, 30, 400]))
      try tables.filters.turn(to: oracle.today)
    case (96..<98, _):
      let (policy, name) = (try draw.one(of: NetworkPolicy.allCases), try draw.one(of: RandomDownloads.podcasts))
      guard let name else { return }
      try tables.downloads.setNetwork(policy, ofPodcast: name)
      oracle.setNetwork(policy, ofPodcast: name)
    default: try changeMany(tables)
    }
  }

  private mutating func changeMany(_ tables: any Tables) throws {
    let change = try draw.one(of: [
      BulkChange.pause, .resume, .retry, .pause, .resume, .cancel, .remove(deletingFiles: true),
    ])
    let condition = try draw.condition()
    let spared = draw.some(of: oracle.downloads.map(\.id))
    let counts = try tables.downloads.apply(change, to: condition, at: oracle.moment, sparing: spared)
    let oracle = oracle
    let meant = Set(
      oracle.downloads.filter { download in
        change.concerns(download.state.kind) && !spared.contains(download.id) && oracle.meets(condition, download)
      }.map(\.id))
    let expected = oracle.downloads.filter { meant.contains($0.id) }.reduce(into: [:]) {
      $0[$1.state.kind, default: 0] += 1
    }
    #expect(counts == expected, "seed \(seed): \(change) of \(condition)")
    self.oracle.downloads = try oracle.downloads.compactMap { download in
      guard meant.contains(download.id) else { return download }
      let changed = try tables.downloads.find(download.id)
      #expect((changed == nil) == change.isRemoval)
      return changed
    }
  }

  // MARK: Checks

  mutating func checkList() throws {
    let (query, selection) = (try draw.query(), try draw.selection())
    let limits = try limits()
    let names = try database.read { try $0.names(query, selection, oracle.moment, limits) }
    #expect(names == oracle.list(query, selection), "seed \(seed): \(query) \(selection) \(limits) \(oracle.moment)")
  }

  /// All strategies give the same page: the number of rows decides which one is used.
  private mutating func limits() throws -> PageReader.Limits {
    let numbers = [0, 3, 1000]
    return PageReader.Limits(
      sorted: try draw.one(of: numbers), sortedInstead: try draw.one(of: numbers),
      remembered: try draw.one(of: numbers), sortedHits: try draw.one(of: numbers),
      probed: try draw.one(of: numbers), sampled: try draw.one(of: numbers),
      frequent: try draw.one(of: [0, 1, 2, 1000]),
      judged: try draw.one(of: numbers))
  }

  mutating func checkCounts() throws {
    let selection = try draw.selection()
    let state = FiltersState(selection: selection, selectedGroup: nil, saved: [])
    let (moment, limits) = (oracle.moment, try limits())
    let snapshot = try database.read { try $0.filters(state, at: moment, limits: limits) }
    for filter in snapshot.groups.flatMap(\.filters) {
      #expect(filter.count == oracle.count(of: filter.filter, in: selection), "seed \(seed): \(filter) \(selection)")
    }
    let visible = try database.read { try $0.visibleCounts(moment.obstacles) }
    #expect(visible.filter { $0.value != 0 } == oracle.counts, "seed \(seed): \(moment.obstacles)")
  }

  mutating func checkSelection() throws {
    let (condition, ids) = (try draw.condition(), draw.some(of: oracle.downloads.map(\.id)))
    let (oracle, ledger) = (oracle, ledger)
    let found = try ledger.transaction { try $0.downloads.filter(ids, by: condition, at: oracle.moment) }
    let expected = oracle.downloads.filter { ids.contains($0.id) && oracle.meets(condition, $0) }.map(\.id)
    #expect(found == Set(expected), "seed \(seed): \(condition)")
    let chosen = try ledger.transaction { tables in
      let number = try tables.verifications.insertAll(meeting: condition, at: oracle.moment)
      for verification in try tables.verifications.owed(limit: 1000) {
        _ = try tables.verifications.remove(verification.key)
      }
      return number
    }
    let completed = oracle.downloads.count { $0.state.kind == .completed && oracle.meets(condition, $0) }
    #expect(chosen == completed, "seed \(seed): \(condition)")
  }

  mutating func checkCursor(_ order: DownloadOrder) throws {
    let selection = try draw.selection()
    let condition: Condition = draw.chance(50) ? .everything : try draw.condition()
    let before = oracle
    var (shown, query) = ([String](), DownloadsQuery(condition: condition, order: order, limit: 4))
    repeat {
      let (asked, moment, limits) = (query, oracle.moment, try limits())
      let page = try database.read { try $0.page(asked, filters: selection, at: moment, limits: limits) }
      shown += page.downloads.map(\.id.description)
      query.after = page.next
      let obstacles = oracle.moment.obstacles
      if page.next != nil { try change() }
      oracle.moment.obstacles = obstacles
    } while query.after != nil
    let after = Dictionary(uniqueKeysWithValues: oracle.downloads.map { ($0.id, $0) })
    let stayed = before.downloads.filter { after[$0.id] == $0 }.map(\.id.description)
    let expected = before.list(DownloadsQuery(condition: condition, order: order), selection).filter(stayed.contains)
    // If the day changes between pages, other rows match.
    guard before.today == oracle.today else { return }
    #expect(shown.filter(stayed.contains) == expected, "seed \(seed): \(order) \(condition) \(selection)")
  }
}

extension BulkChange {
  fileprivate func concerns(_ kind: DownloadState.Kind) -> Bool {
    switch self {
    case .pause: kind == .queued || kind == .waiting
    case .resume: kind == .paused || kind == .failed
    case .retry: kind == .failed || kind == .waiting
    case .cancel: kind != .running && kind != .completed
    case .remove: kind != .running
    }
  }

  fileprivate var isRemoval: Bool {
    switch self {
    case .pause, .resume, .retry: false
    case .cancel, .remove: true
    }
  }
}

extension TableReader {
  /// The ids of all pages.
  fileprivate func names(
    _ query: DownloadsQuery, _ selection: FilterSelection, _ moment: ConditionMoment, _ limits: PageReader.Limits
  ) throws -> [String] {
    var (query, names) = (query, [String]())
    repeat {
      let page = try page(query, filters: selection, at: moment, limits: limits)
      names += page.downloads.map(\.id.description)
      query.after = page.next
    } while query.after != nil
    return names
  }
}
