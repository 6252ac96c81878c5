import Flux
import GRDB
import Testing

@testable import Persistence
@testable import PodfluxCore

@Suite("A library from before filters existed")
struct FilterMigrationTests {
  /// More rows than migration 6 holds in memory at once.
  @Test("Its rows are classified, counted and found as if they had been added by this version")
  func rows() throws {
    let folder = try TemporaryFolder()
    var draw = RandomDownloads(seed: 5)
    let downloads = try (0..<1_203).map { number in
      var download = try draw.download(number)
      download.networks = .init()
      return download
    }
    try FormerLibrary.make(
      in: folder, upTo: "5-cleanup", with: downloads, without: [.network, .traits, .length],
      columns: ["error_short", "published_offset"])

    let database = try LibraryDatabase.open(at: folder.databasePath)
    let oracle = Oracle(downloads: downloads)
    try database.write { try $0.filters.turn(to: RandomDownloads.today) }
    let stored = try database.withConnection { db in
      try Row.fetchAll(db, sql: "SELECT class, length FROM downloads ORDER BY key")
    }
    #expect(stored.count == downloads.count)
    for (row, download) in zip(stored, downloads) {
      #expect(try PackedTraits(code: row["class"]).traits() == Traits(of: download, on: RandomDownloads.today))
      #expect(row["length"] as Int64? == oracle.length(download))
    }
    let selection = FilterSelection(active: [try #require(FilterID("media:audio"))], text: "alph")
    let query = DownloadsQuery(order: DownloadOrder(.title), limit: 1000)
    let page = try database.read { try $0.page(query, filters: selection, at: oracle.moment) }
    #expect(page.downloads.map(\.id.description) == oracle.list(query, selection))
    #expect(!page.downloads.isEmpty)
    let snapshot = try database.read {
      try $0.filters(FiltersState(selection: selection, selectedGroup: nil, saved: []), at: oracle.moment)
    }
    for filter in snapshot.groups.flatMap(\.filters) {
      #expect(filter.count == oracle.count(of: filter.filter, in: selection), "\(filter)")
    }
    try database.close()
  }

  @Test("Every combination of traits is packed into a number and unpacked; other numbers are damaged rows")
  func classes() throws {
    for kind in DownloadState.Kind.allCases {
      for reason in [nil] + WaitingReason.allCases {
        for error in [nil] + DownloadError.Code.allCases {
          let number = Int(kind.rowCode + (reason?.rowCode ?? 0) + (error?.rowCode ?? 0))
          let traits = Traits(
            kind: kind, isHeld: number % 2 == 0, reason: reason, error: error,
            media: MediaKind.allCases[number % 3], size: SizeClass.allCases[number % 5],
            age: AgeClass.allCases[number / 2 % 5], origin: Origin.allCases[number % 2],
            network: NetworkPolicy.allCases[number / 3 % 3])
          #expect(try PackedTraits(code: PackedTraits(traits).code).traits() == traits)
        }
      }
    }
    let fields: [(value: Int64, place: Int64)] = [
      (-1, 0), (1, 36), (6, 23), (9, 18), (25, 12), (3, 10), (5, 7), (5, 4), (2, 2), (3, 0),
    ]
    for (value, place) in fields {
      let damaged = value << place
      #expect(throws: DamagedRow.self) { try PackedTraits(code: damaged).traits() }
    }
  }

  @Test("The codes of traits are those in existing databases")
  func codes() {
    #expect(DownloadState.Kind.allCases.map(\.rowCode) == [0, 1, 2, 3, 4, 5])
    #expect(WaitingReason.allCases.map(\.rowCode) == [1, 2, 3, 4, 5, 6, 7, 8])
    #expect(DownloadError.Code.allCases.map(\.rowCode) == Array(1...24))
    #expect(MediaKind.allCases.map(\.rowCode) == [1, 2, 0])
    #expect(SizeClass.allCases.map(\.rowCode) == [0, 1, 2, 3, 4])
    #expect(AgeClass.allCases.map(\.rowCode) == [0, 1, 2, 3, 4])
  }

  @Test("The state of the filters is read back")
  func filters() throws {
    let database = try LibraryDatabase.inMemory()
    #expect(try database.read { try $0.filters() } == FilterStates())
    let selection = FilterSelection(
      active: [try #require(FilterID("state:failed")), try #require(FilterID("podcast:a:b \u{1F600}"))],
      text: "\"x\" \u{E9}")
    let state = FiltersState(
      selection: selection, selectedGroup: .podcast,
      saved: [SavedFilters(name: "a", selection: selection), SavedFilters(name: "b", selection: .init())])
    var episodes = FiltersState()
    episodes.selection.active = [try #require(FilterID("played:no"))]
    episodes.selectedGroup = .favorite
    try database.write { tables in
      try tables.filters.save(state, over: .downloads)
      try tables.filters.save(episodes, over: .episodes)
    }
    #expect(try database.read { try $0.filters() } == FilterStates(downloads: state, episodes: episodes))
  }

  @Test(
    "A state that the store never writes is a damaged row",
    arguments: [
      #"{}"#, #"[]"#, #"{"selection":{"active":["state:mood"],"text":""},"saved":[]}"#,
      #"{"selection":{"active":["state:failed","state:failed"],"text":""},"saved":[]}"#,
      #"{"selection":{"active":[],"text":""},"group":"mood","saved":[]}"#,
      #"{"selection":{"active":["played:no"],"text":""},"saved":[]}"#,
      #"{"selection":{"active":[],"text":""},"group":"favorite","saved":[]}"#,
      #"{"selection":{"active":[],"text":"\#(String(repeating: "x", count: 257))"},"saved":[]}"#,
      #"{"selection":{"active":[],"text":""},"saved":[{"name":"b","selection":{"active":[],"text":""}},"#
        + #"{"name":"a","selection":{"active":[],"text":""}}]}"#,
      #"{"selection":{"active":[\#((0..<257).map { "\"podcast:\($0)\"" }.joined(separator: ","))],"text":""},"saved":[]}"#,
      #"{"selection":{"active":[],"text":""},"saved":[{"name":"\#(String(repeating: "x", count: 129))","selection":"#
        + #"{"active":[],"text":""}}]}"#,
    ])
  func damagedFilters(json: String) throws {
    let database = try LibraryDatabase.inMemory()
    try database.withConnection { db in
      try db.execute(sql: "INSERT INTO filters VALUES (1, ?)", arguments: [json])
    }
    #expect(throws: DamagedRow.self) { try database.read { try $0.filters() } }
  }
}
