import GRDB

/// What is looked after each day, and whose file a step of a cleanup was left for: migration 10.
extension Schema {
  static func addUpkeep(to db: Database) throws {
    try db.execute(sql: upkeep)
  }

  /// `upkeep` says on which day, counted from 1970-01-01, things were looked after last. `noted_at` says since when a former
  /// file is one, in milliseconds; of those that were there before nobody knows, and the first upkeep gives them its own time.
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
