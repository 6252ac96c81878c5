import GRDB
import Texts

/// A search in titles and podcasts: finds rows in which each word of the query is a prefix of a word.
struct TextQuery {
  /// The words, split as the index splits text. A text of symbols alone has none, and matches nothing: the index has no
  /// symbols, and a search for one should not show everything.
  let words: [String]
  private let tokenizer: any FTS5Tokenizer

  /// Splits a text into words; nil if it is blank.
  init?(_ text: String, in db: Database) throws {
    guard !text.allSatisfy(\.isWhitespace) else { return nil }
    let tokenizer = try db.makeTokenizer(Schema.textTokenizer)
    self.init(try tokenizer.tokenize(document: FoldedText.of(text)).map(\.token), tokenizer)
  }

  private init(_ words: [String], _ tokenizer: any FTS5Tokenizer) {
    self.words = words
    self.tokenizer = tokenizer
  }

  /// The expression for the index. The words are quoted: FTS5 interprets no operator in them
  /// (https://www.sqlite.org/fts5.html section 3.1).
  var expression: String { words.map { "\"\($0)\"*" }.joined(separator: " AND ") }

  /// Whether these folded texts contain the words, without the index.
  func isMet(by texts: [String?]) throws -> Bool {
    try found(in: texts).allSatisfy(\.self)
  }

  /// Which of the words these folded texts contain, without the index.
  func found(in texts: [String?]) throws -> [Bool] {
    let tokens = try texts.compactMap(\.self).flatMap { try tokenizer.tokenize(document: $0).map(\.token) }
    return words.map { word in tokens.contains { $0.utf8.starts(with: word.utf8) } }
  }

  /// The rows that contain the words, if they are at most `limit`. It queries the index once: for a frequent prefix
  /// each query collects all rows again.
  func hits(atMost limit: Int, in db: Database) throws -> [Int64]? {
    let sql = "SELECT rowid FROM texts WHERE texts MATCH ? LIMIT ?"
    let hits = try Int64.fetchAll(db.cachedStatement(sql: sql), arguments: [expression, limit + 1])
    return hits.count <= limit ? hits : nil
  }

  /// A query for some of the words; nil if none is left.
  func only(_ isWanted: (Int) -> Bool) -> TextQuery? {
    let wanted = words.indices.filter(isWanted).map { words[$0] }
    return wanted.isEmpty ? nil : TextQuery(wanted, tokenizer)
  }
}
