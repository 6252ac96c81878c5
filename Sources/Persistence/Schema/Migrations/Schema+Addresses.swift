import GRDB

/// Downloads of one address, told apart by their dates: migration 27. What has become of attempts: migrations 29
/// and 30. Whose former files were: migration 31.
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

  /// `fresh_addresses` counts the addresses that refreshes have given a refused download since it last made progress.
  static func addFreshAddresses(to db: Database) throws {
    try db.execute(
      sql: "ALTER TABLE downloads ADD COLUMN fresh_addresses INTEGER NOT NULL DEFAULT 0 CHECK (fresh_addresses >= 0)")
  }

  /// `restarts` counts how often what was kept was thrown away since the file was last completed or its download
  /// ordered.
  static func addRestarts(to db: Database) throws {
    try db.execute(sql: "ALTER TABLE downloads ADD COLUMN restarts INTEGER NOT NULL DEFAULT 0 CHECK (restarts >= 0)")
  }

  /// `origin` of a former file is that of its download; NULL for older ones.
  static func addFormerOrigins(to db: Database) throws {
    try db.execute(
      sql: "ALTER TABLE former_files ADD COLUMN origin TEXT CHECK (origin = 'user' OR origin = 'auto')")
  }
}
