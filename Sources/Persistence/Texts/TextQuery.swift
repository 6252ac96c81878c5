import GRDB

/// What is looked for in titles and podcasts: rows in which each of some words is the beginning of a word.
struct TextQuery {
  /// The words, as the index itself would make them of the text. A text of symbols alone has none, and is found nowhere:
  /// the index has no symbols, and whoever looks for one does not want to see everything.
  let words: [String]
  private let tokenizer: any FTS5Tokenizer

  /// Looks for the words of a text; nil if nothing but space stands in it.
  init?(_ text: String, in db: Database) throws {
    guard !text.allSatisfy(\.isWhitespace) else { return nil }
    let tokenizer = try db.makeTokenizer(Schema.textTokenizer)
    self.init(try tokenizer.tokenize(document: FoldedText.of(text)).map(\.token), tokenizer)
  }

  private init(_ words: [String], _ tokenizer: any FTS5Tokenizer) {
    self.words = words
    self.tokenizer = tokenizer
  }

  /// The expression that finds the rows in the index. The words stand in quotes: nothing in them is taken for a part of
  /// the expression (https://www.sqlite.org/fts5.html section 3.1).
  var expression: String { words.map { "\"\($0)\"*" }.joined(separator: " AND ") }

  /// Whether the words are found in these folded texts, without the index.
  func isMet(by texts: [String?]) throws -> Bool {
    try found(in: texts).allSatisfy(\.self)
  }

  /// Which of the words are found in these folded texts, without the index.
  func found(in texts: [String?]) throws -> [Bool] {
    let tokens = try texts.compactMap(\.self).flatMap { try tokenizer.tokenize(document: $0).map(\.token) }
    return words.map { word in tokens.contains { $0.utf8.starts(with: word.utf8) } }
  }

  /// The rows in which the words are found, if they are not more than so many. The index is asked once: the beginning of a
  /// word that stands in many rows is gathered anew each time.
  func hits(atMost limit: Int, in db: Database) throws -> [Int64]? {
    let sql = "SELECT rowid FROM texts WHERE texts MATCH ? LIMIT ?"
    let hits = try Int64.fetchAll(db.cachedStatement(sql: sql), arguments: [expression, limit + 1])
    return hits.count <= limit ? hits : nil
  }

  /// Looks for some of the words only; nil if it is none.
  func only(_ isWanted: (Int) -> Bool) -> TextQuery? {
    let wanted = words.indices.filter(isWanted).map { words[$0] }
    return wanted.isEmpty ? nil : TextQuery(wanted, tokenizer)
  }
}
