import GRDB
import PodfluxCore
import Synchronization
import Testing

@testable import Persistence

@Suite("Texts of several words")
struct TextSearchTests {
  private static let rowCount = 3000
  private static let sampled = PageReader.Limits().sampled
  private static let frequent = PageReader.Limits().frequent

  /// Every row contains "episode", two of three "even" or "threefold", few any one number.
  private static func library() throws -> LibraryDatabase {
    let database = try LibraryDatabase.inMemory()
    try database.write { tables in
      for number in 0..<rowCount {
        let kind = number.isMultiple(of: 3) ? "threefold" : number.isMultiple(of: 2) ? "even" : "odd"
        let description = Download.Description(podcast: "Show \(number / 10)", title: "Episode \(number), \(kind)")
        try tables.downloads.insert(
          try Sample.download("e\(number)", position: Int64(number), description: description))
      }
    }
    return database
  }

  @Test(
    "Frequent words are searched in rows, rare ones in the index",
    arguments: [
      ("episode 77", ["77"], ["episode"]), ("SHOW 77 episode even", ["77"], ["show", "episode", "even"]),
      ("77 xylophone", ["77", "xylophone"], []), ("episode odd", [], ["episode", "odd"]),
    ])
  func split(text: String, sought: [String], judged: [String]) throws {
    try Self.library().withConnection { db in
      let query = try #require(try TextQuery(text, in: db))
      let search = try TextSearch(query, sampling: Self.sampled, frequent: Self.frequent, in: db)
      #expect(search.sought?.words ?? [] == sought)
      #expect(search.judged?.words ?? [] == judged)
    }
  }

  @Test("If all words are frequent and the index is needed, it is queried for the rarest")
  func rarest() throws {
    try Self.library().withConnection { db in
      let query = try #require(try TextQuery("episode odd show", in: db))
      let search = try TextSearch(query, sampling: Self.sampled, frequent: Self.frequent, in: db).withIndex
      #expect(search.sought?.words == ["odd"])
      #expect(search.judged?.words == ["episode", "show"])
    }
  }

  @Test("An empty library has no frequent words")
  func emptyLibrary() throws {
    try LibraryDatabase.inMemory().withConnection { db in
      let query = try #require(try TextQuery("episode 77", in: db))
      let search = try TextSearch(query, sampling: Self.sampled, frequent: Self.frequent, in: db)
      #expect(search.sought?.words == ["episode", "77"])
      #expect(search.judged == nil)
    }
  }

  @Test("No page makes the index collect a frequent word", arguments: DownloadOrderKey.allCases)
  func gathering(key: DownloadOrderKey) throws {
    let database = try Self.library()
    let (names, statements) = try Self.page("episode 77 show", DownloadOrder(key), of: database)
    let expected = (0..<Self.rowCount).filter { "\($0)".hasPrefix("77") || "\($0 / 10)".hasPrefix("77") }
    #expect(names.sorted() == expected.map { "e\($0)" }.sorted())
    let expressions = statements.filter { $0.contains("MATCH") }
    #expect(!expressions.isEmpty)
    #expect(expressions.allSatisfy { $0.contains(#"'"77"*'"#) }, "\(expressions)")
  }

  @Test("A frequent word in one podcast is found without the index")
  func onePodcast() throws {
    let database = try Self.library()
    let filter = try #require(FilterID(group: .podcast, value: "Show 222"))
    let (names, statements) = try Self.page("episode", DownloadOrder(.title), filters: [filter], of: database)
    #expect(names == (2220..<2230).map { "e\($0)" })
    #expect(!statements.contains { $0.contains("MATCH") })
  }

  @Test("If a rare word and frequent ones rarely occur together, the index is queried for all")
  func apart() throws {
    let database = try Self.library()
    let (names, statements) = try Self.page(
      "episode show even odd", DownloadOrder(.added), limits: .init(sortedHits: 10, judged: 10), of: database)
    #expect(names.isEmpty)
    #expect(statements.contains { $0.contains(#""episode"* AND "show"* AND "even"* AND "odd"*"#) })
  }

  /// The ids on a page, and the executed statements with their arguments.
  private static func page(
    _ text: String, _ order: DownloadOrder, filters: [FilterID] = [], limits: PageReader.Limits = .init(),
    of database: LibraryDatabase
  ) throws -> (names: [String], statements: [String]) {
    let statements = Mutex<[String]>([])
    try database.withConnection { db in
      db.trace { event in statements.withLock { $0.append(event.expandedDescription) } }
    }
    let page = try database.read {
      try $0.page(
        DownloadsQuery(order: order, limit: 1000), filters: FilterSelection(active: filters, text: text),
        at: Sample.conditionMoment, limits: limits)
    }
    try database.withConnection { db in db.trace(options: []) }
    return (page.downloads.map(\.id.description), statements.withLock { $0 })
  }
}
