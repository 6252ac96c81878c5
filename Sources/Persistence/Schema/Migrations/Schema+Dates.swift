import GRDB

/// The time zone of publication dates: migration 11.
extension Schema {
  /// `published_offset` is the offset of the publisher's clock from UTC in seconds; NULL for none, and for older
  /// downloads, whose offset was not stored. `published` stays the timestamp by which rows are selected and sorted.
  static func addPublishedOffset(to db: Database) throws {
    try db.execute(
      sql: """
        ALTER TABLE downloads ADD COLUMN published_offset INTEGER
          CHECK (published_offset IS NULL OR (published IS NOT NULL AND published_offset BETWEEN -86340 AND 86340));
        """)
  }
}
