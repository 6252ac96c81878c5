import GRDB

/// Gaps in the episodes of feeds, and deletions that spare edited files: migration 28.
extension Schema {
  /// `read_to` is the newest episode of the library when the feed was last read without a gap. It is 0 for the feeds of
  /// older libraries, of which a divided one may have had its first document read only: its others are read with its
  /// next body.
  ///
  /// `mtime` of a deletion is the time of a file that is spared if it was written to since; NULL if its deletion was
  /// asked for.
  static func addGaps(to db: Database) throws {
    try db.execute(
      sql: """
        ALTER TABLE feeds ADD COLUMN read_to INTEGER NOT NULL DEFAULT 0 CHECK (read_to >= 0);
        ALTER TABLE deletions ADD COLUMN mtime INTEGER;
        """)
  }
}
