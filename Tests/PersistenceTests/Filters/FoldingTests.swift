import Flux
import Foundation
import GRDB
import PodfluxCore
import Testing
import Texts

@testable import Persistence

@Suite("One folding for words, parts of titles and their order")
struct FoldingTests {
  static let alike: [(String, String)] = [
    ("Ёжик", "ежик"), ("Йога", "иога"), ("Ονείρων", "ονειρων"), ("ΟΔΟΣ", "οδος"), ("שָׁלוֹם", "שלום"),
    ("Straße", "STRASSE"), ("ẞ", "ss"), ("İstanbul", "istanbul"), ("ISTANBUL", "ıstanbul"), ("ﬁn", "FIN"),
    ("É", "e"), ("e\u{301}", "\u{E9}"), ("Ｎｅｗｓ", "news"), ("x²", "X2"), ("\u{212B}ngström", "angstrom"),
    ("مَدْرَسَة", "مدرسة"), ("co\u{AD}op", "coop"), ("각", "\u{1100}\u{1161}\u{11A8}"), ("ガ", "カ"), ("ŉ", "ʼn"),
  ]

  @Test("Texts that readers see as equal fold alike", arguments: alike)
  func folds(left: String, right: String) {
    #expect(FoldedText.of(left) == FoldedText.of(right))
    #expect(Array(FoldedText.of(left).utf8) == FoldedText.bytes(of: right))
  }

  @Test(
    "Other texts fold differently",
    arguments: [("ł", "l"), ("कु", "क"), ("กิ", "ก"), ("a", "b"), ("ж", "з"), ("1", "2"), ("\u{1F600}", "")])
  func differs(left: String, right: String) {
    #expect(FoldedText.of(left) != FoldedText.of(right))
  }

  @Test("The folding of each scalar is idempotent, and equal to that of its canonical equivalents")
  func allScalars() {
    let faults = (0..<UInt32(0x3_0000)).compactMap(Unicode.Scalar.init).filter { scalar in
      let text = String(scalar)
      let folded = FoldedText.of(text)
      return !FoldedText.of(folded).utf8.elementsEqual(folded.utf8)
        || !FoldedText.of(text.decomposedStringWithCanonicalMapping).utf8.elementsEqual(folded.utf8)
    }
    #expect(faults.isEmpty)
  }

  @Test("A text is found as words, as a part of a title, and in every order of the list", arguments: alike)
  func found(left: String, right: String) throws {
    let database = try LibraryDatabase.inMemory()
    try database.write { tables in
      for (number, title) in [left, right, "zzz", "\u{1F600}"].enumerated() {
        let description = Download.Description(podcast: number == 2 ? left : nil, title: title)
        try tables.downloads.insert(
          try Sample.download("x\(number)", position: Int64(number), description: description))
      }
    }
    for text in [left, right] {
      #expect(try Self.ids(database, text: text) == ["x0", "x1", "x2"], "\(text)")
      #expect(try Self.ids(database, .titleContains([text])) == ["x0", "x1"], "\(text)")
      #expect(try Self.ids(database, .not(.titleContains([text]))) == ["x2", "x3"], "\(text)")
    }
  }

  @Test("Titles sort by their letters, ignoring case and diacritics; downloads without a title come first")
  func order() throws {
    let titles: [String?] = ["zebra", "Écho", "echo", "E\u{301}CHO", nil, "Ärger", "alpha", "Ёж", "еда", "Eclipse"]
    let database = try LibraryDatabase.inMemory()
    try database.write { tables in
      for (number, title) in titles.enumerated() {
        try tables.downloads.insert(
          try Sample.download("x\(number)", position: Int64(number), description: .init(title: title)))
      }
    }
    let expected = [4, 6, 5, 1, 2, 3, 9, 0, 8, 7].map { "x\($0)" }
    #expect(try Self.ids(database, order: .init(.title)) == expected)
    #expect(try Self.ids(database, order: .init(.title, isReversed: true)) == expected.reversed())
    for limit in 1...3 { #expect(try Self.paged(database, .init(.title), limit) == expected) }
  }

  @Test(
    "Symbols alone find nothing, space alone everything", arguments: [("*", 0), ("\u{1F600}", 0), (" \t", 2), ("", 2)])
  func symbols(text: String, expected: Int) throws {
    let database = try LibraryDatabase.inMemory()
    try database.write { tables in
      for number in 0..<2 {
        try tables.downloads.insert(
          try Sample.download("x\(number)", position: Int64(number), description: .init(title: "\u{1F600} * \(number)"))
        )
      }
    }
    #expect(try Self.ids(database, text: text).count == expected)
    let state = FiltersState(selection: .init(active: [], text: text), selectedGroup: nil, saved: [])
    let filters = try database.read { try $0.filters(state, at: Sample.conditionMoment) }
    let queued = filters.groups.flatMap(\.filters).first { $0.filter.meaning == .state(.queued) }
    #expect(queued?.count == expected)
    #expect(try Self.ids(database, .titleContains(["\u{1F600} *"])).count == 2)
  }

  @Test("A library of the former version is folded; a search gives the same result as in a new one")
  func migration() throws {
    let folder = try TemporaryFolder()
    var draw = RandomDownloads(seed: 14)
    let downloads = try (0..<300).map { try draw.download($0) }
    try FormerLibrary.make(in: folder, upTo: "8-spelled-out-checks", with: downloads) { db in
      try db.execute(
        sql: "UPDATE calendar SET day = \(RandomDownloads.today); INSERT INTO texts (texts) VALUES ('rebuild')")
    }
    let database = try LibraryDatabase.open(at: folder.databasePath)
    try database.withConnection { db in
      let (words, expected) = (try TextWords.indexed(db), try TextWords.expected(db))
      #expect(words == expected)
      #expect(words.count > 300)
      let differing = try Int.fetchOne(db, sql: "SELECT count(*) FROM downloads WHERE title_key IS NOT folded(title)")
      #expect(differing == 0)
      #expect(try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"])
    }
    let stored = try database.read { try $0.downloads(limit: 1000) }
    #expect(stored.map(\.description.title) == downloads.map { DownloadRow.text($0.description.title) })
    // Its indexed texts can be removed again.
    try database.write { tables in
      for download in stored.prefix(100) { try tables.downloads.delete(download.id) }
    }
    try database.withConnection { db in
      let (words, expected) = (try TextWords.indexed(db), try TextWords.expected(db))
      #expect(words == expected)
    }
    try database.close()
  }

  // MARK: Asking

  private static func ids(
    _ database: LibraryDatabase, _ condition: Condition = .everything, text: String = "", order: DownloadOrder = .init()
  ) throws -> [String] {
    let query = DownloadsQuery(condition: condition, order: order)
    let selection = FilterSelection(active: [], text: text)
    return try database.read { try $0.page(query, filters: selection, at: Sample.conditionMoment) }
      .downloads.map(\.id.description)
  }

  private static func paged(_ database: LibraryDatabase, _ order: DownloadOrder, _ limit: Int) throws -> [String] {
    var (found, query) = ([String](), DownloadsQuery(order: order, limit: limit))
    repeat {
      let page = try database.read { try $0.page(query, filters: .init(), at: Sample.conditionMoment) }
      found += page.downloads.map(\.id.description)
      query.after = page.next
    } while query.after != nil
    return found
  }
}
