import Flux
import GRDB

/// How the words of a text are looked for: rare ones in the index, frequent ones in the texts of the rows that are left.
///
/// The index gathers all rows with the beginning of a word before it tells the first: 140 ms where a million rows have it.
/// Which words are frequent is told from a sample of the rows.
struct TextSearch {
  /// The words that the index is asked for; nil if all are frequent.
  let sought: TextQuery?
  /// The words that are looked for in the texts of rows; nil if all are rare.
  let judged: TextQuery?
  /// The rarest word of frequent ones, and the others: for whoever cannot look at all rows.
  private let rarest: TextQuery?
  private let others: TextQuery?

  /// Samples rows.
  ///
  /// - Parameters:
  ///   - sampled: How many rows are looked at.
  ///   - frequent: In how many of these a frequent word is found.
  init(_ text: TextQuery, sampling sampled: Int, frequent: Int, in db: Database) throws {
    let numbers = try Self.numbers(of: text, in: Self.sample(of: sampled, in: db))
    sought = text.only { numbers[$0] < frequent }
    judged = text.only { numbers[$0] >= frequent }
    let first = text.words.indices.min { numbers[$0] < numbers[$1] }
    rarest = text.only { $0 == first }
    others = text.only { $0 != first }
  }

  /// Looks for words where it is said.
  init(sought: TextQuery?, judged: TextQuery? = nil) {
    (self.sought, self.judged) = (sought, judged)
    (rarest, others) = (nil, nil)
  }

  /// The same, with one word at least that the index is asked for.
  var withIndex: TextSearch { sought == nil ? TextSearch(sought: rarest, judged: others) : self }

  // MARK: Sampling

  private static func numbers(of text: TextQuery, in rows: [TextRow]) throws -> [Int] {
    var numbers = text.words.map { _ in 0 }
    for row in rows {
      for (index, isFound) in try text.found(in: row.texts).enumerated() where isFound { numbers[index] += 1 }
    }
    return numbers
  }

  /// Rows from all over the table. Chance decides which, always the same: what repeats in the table would repeat in rows
  /// at equal distances.
  private static func sample(of number: Int, in db: Database) throws -> [TextRow] {
    let sql = "SELECT (SELECT min(key) FROM downloads), (SELECT max(key) FROM downloads)"
    guard number > 0, let ends = try StoredEnds.fetchAll(db.cachedStatement(sql: sql)).first,
      let first = ends.first, let last = ends.last, first <= last
    else { return [] }
    var random = SeededGenerator(seed: 0, index: 0)
    let keys = (0..<number).map { _ in Int64.random(in: first...last, using: &random) }
    let statement = try db.cachedStatement(
      sql: "SELECT key, title_key, podcast, 1 FROM downloads WHERE key >= ? ORDER BY key LIMIT 1")
    // In the order in which they stand in the file.
    return try keys.sorted().flatMap { try TextRow.fetchAll(statement, arguments: [$0]) }
  }
}

/// The keys of the first row and of the last.
private struct StoredEnds: StatementRow {
  let first: Int64?
  let last: Int64?

  init(_ columns: inout ColumnReader) throws {
    first = try columns.next()
    last = try columns.next()
  }
}

/// A row in which a text is looked for.
struct TextRow: StatementRow {
  let key: Int64
  /// Title and podcast, folded.
  let texts: [String?]
  /// Whether it meets what else it has to.
  let fits: Bool

  init(_ columns: inout ColumnReader) throws {
    key = try columns.next()
    texts = [try columns.next(), (try columns.next() as String?).map(FoldedText.of)]
    fits = try columns.next()
  }
}
