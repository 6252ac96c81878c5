import GRDB

/// The sidecars, and the pictures of episodes: migration 20.
extension Schema {
  static func addSidecars(to db: Database) throws {
    try db.execute(sql: sidecars)
  }

  /// A sidecar's number is never reused, so that a late report on one cannot concern another. `next_at` is when one
  /// that is wanted is fetched, in milliseconds; 0 for one that is being published.
  ///
  /// `sidecar_scan` holds the number of the last download that was asked for sidecars, while completed ones are asked.
  private static let sidecars = """
    CREATE TABLE sidecars (
      key INTEGER PRIMARY KEY AUTOINCREMENT,
      kind TEXT NOT NULL CHECK (kind = 'cover' OR kind = 'picture' OR kind = 'chapters'
        OR kind = 'transcript' OR kind = 'notes' OR kind = 'info'),
      owner TEXT CHECK (length(owner) BETWEEN 1 AND 128),
      url TEXT CHECK (length(url) BETWEEN 1 AND 8192),
      stem TEXT NOT NULL CHECK (length(stem) > 0),
      state TEXT NOT NULL CHECK (state = 'wanted' OR state = 'publishing' OR state = 'present'
        OR state = 'moving' OR state = 'leaving' OR state = 'disowned' OR state = 'failed'),
      failures INTEGER NOT NULL CHECK (failures BETWEEN 0 AND 1 << 31),
      next_at INTEGER,
      path TEXT, file_length INTEGER CHECK (file_length >= 0), inode INTEGER, mtime INTEGER,
      target TEXT,
      message TEXT,
      postponed INTEGER NOT NULL CHECK (postponed = 0 OR postponed = 1),
      CHECK ((state = 'wanted' OR state = 'publishing') = (next_at IS NOT NULL)),
      CHECK ((state = 'wanted' OR state = 'failed') = (path IS NULL)),
      CHECK ((path IS NULL) = (file_length IS NULL) AND (path IS NULL) = (inode IS NULL)),
      CHECK (path IS NOT NULL OR mtime IS NULL),
      CHECK (state = 'leaving' OR (state = 'moving') = (target IS NOT NULL)),
      CHECK ((state = 'failed') = (message IS NOT NULL))
    ) STRICT;
    CREATE INDEX sidecars_owner ON sidecars (owner) WHERE owner IS NOT NULL;
    CREATE INDEX sidecars_cover ON sidecars (stem) WHERE kind = 'cover';
    CREATE INDEX sidecars_covers ON sidecars (key) WHERE kind = 'cover';
    CREATE INDEX sidecars_path ON sidecars (path) WHERE path IS NOT NULL;
    CREATE INDEX sidecars_target ON sidecars (target) WHERE target IS NOT NULL;
    CREATE INDEX sidecars_inode ON sidecars (inode) WHERE inode IS NOT NULL;
    CREATE INDEX sidecars_due ON sidecars (next_at, key) WHERE next_at IS NOT NULL AND url IS NOT NULL;
    CREATE INDEX sidecars_due_here ON sidecars (next_at, key) WHERE next_at IS NOT NULL AND url IS NULL;
    CREATE INDEX sidecars_present ON sidecars (key) WHERE state = 'present';
    CREATE INDEX sidecars_owed ON sidecars (key) WHERE (state = 'moving' OR state = 'leaving') AND postponed = 0;
    CREATE INDEX sidecars_postponed ON sidecars (key) WHERE postponed = 1;
    CREATE TABLE sidecar_scan (
      singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
      after INTEGER NOT NULL CHECK (after >= 0)
    ) STRICT;
    ALTER TABLE episodes ADD COLUMN image TEXT;
    """
}
