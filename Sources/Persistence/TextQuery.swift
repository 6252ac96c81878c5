import GRDB

/// What is looked for in titles and podcasts: rows in which each of some words is the beginning of a word.
struct TextQuery {
  /// The words, as the index itself would make them of the text.
  private let words: [[UInt8]]
  private let tokenizer: any FTS5Tokenizer
  /// The expression that finds the rows in the index. The words stand in quotes: nothing in them is taken for a part of
  /// the expression (https://www.sqlite.org/fts5.html section 3.1).
  let expression: String

  /// Looks for the words of a text; nil if there is none in it.
  init?(_ text: String, in db: Database) throws {
    guard !text.isEmpty else { return nil }
    tokenizer = try db.makeTokenizer(.unicode61(diacritics: .remove))
    let tokens = try tokenizer.tokenize(document: text).map(\.token)
    guard !tokens.isEmpty else { return nil }
    words = tokens.map { Array($0.utf8) }
    expression = tokens.map { "\"\($0)\"*" }.joined(separator: " AND ")
  }

  /// Whether the words are found in these texts, without the index.
  func isMet(by texts: [String?]) throws -> Bool {
    let found = try texts.compactMap(\.self).flatMap { try tokenizer.tokenize(document: $0).map(\.token) }
    return words.allSatisfy { word in found.contains { $0.utf8.starts(with: word) } }
  }
}
