import Flux
import GRDB
import Texts

/// The strategy of a text search: rare words through the index, frequent ones by reading the remaining rows.
///
/// The index collects all rows with a prefix before it returns the first: 140 ms if a million rows contain it. A sample
/// of the rows tells which words are frequent.
struct TextSearch {
  /// The words to search in the index; nil if all are frequent.
  let sought: TextQuery?
  /// The words to search in the rows' texts; nil if all are rare.
  let judged: TextQuery?
  /// The rarest of the frequent words, and the others: for a caller that cannot read all rows.
  private let rarest: TextQuery?
  private let others: TextQuery?

  /// Samples rows.
  ///
  /// - Parameters:
  ///   - sampled: How many rows to read.
  ///   - frequent: In how many of these a frequent word occurs.
  init(_ text: TextQuery, sampling sampled: Int, frequent: Int, in db: Database) throws {
    let numbers = try Self.numbers(of: text, in: Self.sample(of: sampled, in: db))
    sought = text.only { numbers[$0] < frequent }
    judged = text.only { numbers[$0] >= frequent }
    let first = text.words.indices.min { numbers[$0] < numbers[$1] }
    rarest = text.only { $0 == first }
    others = text.only { $0 != first }
  }

  /// A search with a given split of the words.
  init(sought: TextQuery?, judged: TextQuery? = nil) {
    (self.sought, self.judged) = (sought, judged)
    (rarest, others) = (nil, nil)
  }

  /// This search with at least one word that the index looks up.
  var withIndex: TextSearch { sought == nil ? TextSearch(sought: rarest, judged: others) : self }

  // MARK: Sampling

  private static func numbers(of text: TextQuery, in rows: [TextRow]) throws -> [Int] {
    var numbers = text.words.map { _ in 0 }
    for row in rows {
      for (index, isFound) in try text.found(in: row.texts).enumerated() where isFound { numbers[index] += 1 }
    }
    return numbers
  }

  /// Rows from all over the table, from a fixed pseudorandom sequence: rows at equal distances would alias with
  /// patterns in the table.
  private static func sample(of number: Int, in db: Database) throws -> [TextRow] {
    let sql = "SELECT (SELECT min(key) FROM downloads), (SELECT max(key) FROM downloads)"
    guard number > 0, let ends = try StoredEnds.fetchAll(db.cachedStatement(sql: sql)).first,
      let first = ends.first, let last = ends.last, first <= last
    else { return [] }
    var random = SeededGenerator(seed: 0, index: 0)
    let keys = (0..<number).map { _ in Int64.random(in: first...last, using: &random) }
    let statement = try db.cachedStatement(
      sql: "SELECT key, title_key, podcast, 1 FROM downloads WHERE key >= ? ORDER BY key LIMIT 1")
    // In the order of the file.
    return try keys.sorted().flatMap { try TextRow.fetchAll(statement, arguments: [$0]) }
  }
}

/// The first and the last key.
private struct StoredEnds: StatementRow {
  let first: Int64?
  let last: Int64?

  init(_ columns: inout ColumnReader) throws {
    first = try columns.next()
    last = try columns.next()
  }
}

/// A row to search.
struct TextRow: StatementRow {
  let key: Int64
  /// Title and podcast, folded.
  let texts: [String?]
  /// Whether it meets the other conditions.
  let fits: Bool

  init(_ columns: inout ColumnReader) throws {
    key = try columns.next()
    texts = [try columns.next(), (try columns.next() as String?).map(FoldedText.of)]
    fits = try columns.next()
  }
}
