import GRDB

/// The notes of episodes: migration 24.
extension Schema {
  static func addNotes(to db: Database) throws {
    try db.execute(sql: notes)
  }

  /// Texts have a table of their own: the rows of episodes are read in great numbers. `hash` tells a refresh whether
  /// notes have changed. `notes` of a feed says whether the notes of its last body were read.
  private static let notes = """
    CREATE TABLE episode_notes (
      episode INTEGER PRIMARY KEY REFERENCES episodes (key) ON DELETE CASCADE,
      hash INTEGER NOT NULL,
      html TEXT NOT NULL CHECK (html <> '')
    ) STRICT;
    ALTER TABLE feeds ADD COLUMN notes INTEGER NOT NULL DEFAULT 0 CHECK (notes = 0 OR notes = 1);
    """
}
