import GRDB

/// Downloads of one address, told apart by their dates: migration 27.
extension Schema {
  /// A former file has its download's title and date; those of older rows are unknown.
  static func addDatesOfAddresses(to db: Database) throws {
    try db.execute(
      sql: """
        ALTER TABLE former_files ADD COLUMN title TEXT;
        ALTER TABLE former_files ADD COLUMN published INTEGER;
        DROP INDEX former_files_url;
        CREATE INDEX former_files_url ON former_files (url_hash, published);
        DROP INDEX downloads_url;
        CREATE INDEX downloads_url ON downloads (url_hash, published);
        """)
  }
}
