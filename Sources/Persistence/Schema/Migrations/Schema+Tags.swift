import GRDB

/// Tagged copies: migration 21.
extension Schema {
  /// `original_length` and `original_sha256` describe what was downloaded, where the file of the row is a tagged copy
  /// of it; `untagged` says why a file has no tags that were asked for. Both are NULL where no tags were asked for, and
  /// without a file.
  static func addTags(to db: Database) throws {
    try db.execute(
      sql: """
        ALTER TABLE downloads ADD COLUMN original_length INTEGER
          CHECK (original_length IS NULL OR (original_length >= 0 AND path IS NOT NULL));
        ALTER TABLE downloads ADD COLUMN original_sha256 TEXT
          CHECK (original_sha256 IS NULL OR (original_length IS NOT NULL
            AND length(original_sha256) = 64 AND original_sha256 NOT GLOB '*[^0-9a-f]*'));
        ALTER TABLE downloads ADD COLUMN untagged TEXT
          CHECK (untagged IS NULL OR (original_length IS NULL AND path IS NOT NULL));
        """)
  }
}
