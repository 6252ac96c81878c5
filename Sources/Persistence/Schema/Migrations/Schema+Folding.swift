import GRDB
import Texts

/// One folding for word search, substring search and the order of titles, and local days: migration 14.
extension Schema {
  /// `title_key` is the folded title, for order and search; `texts` indexes the words of folded titles and podcasts,
  /// and stores no text. The migration reads and writes each row once. The calendar's day becomes a local day, with its
  /// offset from UTC in seconds; it was UTC's.
  static func foldTexts(in db: Database) throws {
    // Every connection that migrates needs it.
    db.add(function: FoldedText.folding())
    try db.execute(
      sql: """
        ALTER TABLE downloads ADD COLUMN title_key TEXT;
        DROP INDEX downloads_title;
        UPDATE downloads SET title_key = folded(title) WHERE title IS NOT NULL;
        CREATE INDEX downloads_title ON downloads (title_key);
        DROP TABLE texts;
        CREATE VIRTUAL TABLE texts USING fts5 (
          title, podcast, content = '', detail = none, columnsize = 0,
          tokenize = "\(tokenizer)");
        INSERT INTO texts (rowid, title, podcast) SELECT key, title_key, folded(podcast) FROM downloads;
        ALTER TABLE calendar ADD COLUMN seconds_east INTEGER NOT NULL DEFAULT 0
          CHECK (seconds_east BETWEEN -86400 AND 86400);
        """)
  }

  /// Splits folded text into words of letters, numbers and the remaining marks.
  static let textTokenizer = FTS5TokenizerDescriptor.unicode61(diacritics: .keep, categories: "L* N* Co M*")

  private static let tokenizer = "unicode61 remove_diacritics 0 categories 'L* N* Co M*'"
}
