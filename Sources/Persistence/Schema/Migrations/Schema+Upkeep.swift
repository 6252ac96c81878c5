import GRDB

/// The daily upkeep, and the owner for whose file a cleanup step was left: migration 10.
extension Schema {
  static func addUpkeep(to db: Database) throws {
    try db.execute(sql: upkeep)
  }

  /// `upkeep` holds the day of the last upkeep, counted from 1970-01-01. `noted_at` is the time since which a former
  /// file is one, in milliseconds; for older rows it is unknown, and the first upkeep sets it to its own time.
  private static let upkeep = """
    CREATE TABLE upkeep (
      singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
      day INTEGER NOT NULL
    ) STRICT;
    ALTER TABLE former_files ADD COLUMN noted_at INTEGER;
    CREATE INDEX former_files_undated ON former_files (key) WHERE noted_at IS NULL;
    ALTER TABLE cleanup_steps ADD COLUMN download TEXT CHECK (length(download) BETWEEN 1 AND 128);
    """
}
