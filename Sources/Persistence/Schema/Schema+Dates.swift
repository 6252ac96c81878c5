import GRDB

/// What a publisher's clocks showed: migration 11.
extension Schema {
  /// `published_offset` is by how many seconds the publisher's clocks were ahead of UTC; NULL for none, and for all that was
  /// enqueued before: nobody has kept it. `published` stays the moment, by which rows are chosen and ordered.
  static func addPublishedOffset(to db: Database) throws {
    try db.execute(
      sql: """
        ALTER TABLE downloads ADD COLUMN published_offset INTEGER
          CHECK (published_offset IS NULL OR (published IS NOT NULL AND published_offset BETWEEN -86340 AND 86340));
        """)
  }
}
