import GRDB

/// Who has named the addresses of downloads, and where feeds were read: migration 32.
extension Schema {
  /// `read_from` of a feed is 0, unknown, until its next refresh; what an older library knows of an episode's download
  /// was named by a feed. `led` of feeds that have moved before is not known, and 0.
  static func addNamers(to db: Database) throws {
    try db.execute(
      sql: """
        ALTER TABLE feeds ADD COLUMN read_from INTEGER NOT NULL DEFAULT 0 CHECK (read_from BETWEEN 0 AND 2);
        ALTER TABLE feeds ADD COLUMN led INTEGER NOT NULL DEFAULT 0 CHECK (led = 0 OR led = 1);
        ALTER TABLE downloads ADD COLUMN named INTEGER NOT NULL DEFAULT 0 CHECK (named BETWEEN 0 AND 3);
        ALTER TABLE sidecars ADD COLUMN feed_read_from INTEGER NOT NULL DEFAULT 0 CHECK (feed_read_from BETWEEN 0 AND 2);
        UPDATE downloads SET named = 1 WHERE id IN (SELECT download FROM episodes WHERE download IS NOT NULL);
        """)
  }
}
