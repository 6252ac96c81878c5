import GRDB

/// The names of feeds' files: migration 17.
extension Schema {
  /// `filename_template` is the feed's own template; NULL leaves its files to that of the settings.
  static func addNames(to db: Database) throws {
    try db.execute(
      sql: "ALTER TABLE feeds ADD COLUMN filename_template TEXT CHECK (length(filename_template) BETWEEN 1 AND 512)")
  }
}
