extension CurrentSchema {
  /// Cleanups, and what the engine remembers of files and folders.
  ///
  /// A step's number is never reused, so that a late report on one cannot concern another. `former_files` are those
  /// that downloads had; `noted_at`, in milliseconds, is when one became former. `folders` are those that the engine
  /// created.
  static let cleanup = """
    CREATE TABLE cleanup_runs (
      key INTEGER PRIMARY KEY,
      json TEXT NOT NULL CHECK (json_valid(json))
    ) STRICT;
    CREATE TABLE cleanup_steps (
      key INTEGER PRIMARY KEY AUTOINCREMENT,
      status TEXT NOT NULL CHECK ((status = 'planned' OR status = 'done' OR status = 'left')),
      decision TEXT NOT NULL,
      because TEXT NOT NULL,
      matter TEXT NOT NULL CHECK (json_valid(matter)),
      download TEXT CHECK (length(download) BETWEEN 1 AND 128)
    ) STRICT;
    CREATE INDEX cleanup_steps_planned ON cleanup_steps (key) WHERE status = 'planned';
    CREATE TABLE former_files (
      key INTEGER PRIMARY KEY,
      download TEXT NOT NULL,
      url TEXT NOT NULL,
      url_hash INTEGER NOT NULL,
      path TEXT NOT NULL,
      file_length INTEGER NOT NULL CHECK (file_length >= 0),
      inode INTEGER NOT NULL,
      sha256 TEXT CHECK (length(sha256) = 64 AND sha256 NOT GLOB '*[^0-9a-f]*'),
      cause TEXT NOT NULL CHECK ((cause = 'missing' OR cause = 'corrupt' OR cause = 'kept')),
      noted_at INTEGER,
      title TEXT,
      published INTEGER,
      origin TEXT CHECK (origin = 'user' OR origin = 'auto'),
      UNIQUE (download, path, inode)
    ) STRICT;
    CREATE INDEX former_files_path ON former_files (path);
    CREATE INDEX former_files_content ON former_files (file_length) WHERE sha256 IS NOT NULL;
    CREATE INDEX former_files_lost ON former_files (file_length) WHERE cause = 'missing' AND sha256 IS NULL;
    CREATE INDEX former_files_undated ON former_files (key) WHERE noted_at IS NULL;
    CREATE INDEX former_files_url ON former_files (url_hash, published);
    CREATE TABLE folders (
      path TEXT PRIMARY KEY
    ) STRICT, WITHOUT ROWID;
    """

  /// Files beside episodes.
  ///
  /// A sidecar's number is never reused, so that a late report on one cannot concern another. `next_at` is when one
  /// that is wanted is fetched, in milliseconds; 0 for one that is being published. `sidecar_scan` holds the number of
  /// the last download that was asked for sidecars, while completed ones are asked.
  static let sidecars = """
    CREATE TABLE sidecars (
      key INTEGER PRIMARY KEY AUTOINCREMENT,
      kind TEXT NOT NULL CHECK (kind = 'cover' OR kind = 'picture' OR kind = 'chapters' OR kind = 'transcript'
        OR kind = 'notes' OR kind = 'info'),
      owner TEXT CHECK (length(owner) BETWEEN 1 AND 128),
      url TEXT CHECK (length(url) BETWEEN 1 AND 8192),
      stem TEXT NOT NULL CHECK (length(stem) > 0),
      state TEXT NOT NULL CHECK (state = 'wanted' OR state = 'publishing' OR state = 'present' OR state = 'moving'
        OR state = 'leaving' OR state = 'disowned' OR state = 'failed'),
      failures INTEGER NOT NULL CHECK (failures BETWEEN 0 AND 1 << 31),
      next_at INTEGER,
      path TEXT,
      file_length INTEGER CHECK (file_length >= 0),
      inode INTEGER,
      mtime INTEGER,
      target TEXT,
      message TEXT,
      postponed INTEGER NOT NULL CHECK (postponed = 0 OR postponed = 1),
      session INTEGER CHECK (session BETWEEN 1 AND 1000),
      feed_read_from INTEGER NOT NULL DEFAULT 0 CHECK (feed_read_from BETWEEN 0 AND 2),
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
    CREATE INDEX sidecars_session ON sidecars (session) WHERE session IS NOT NULL;
    CREATE TABLE sidecar_scan (
      singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
      after INTEGER NOT NULL CHECK (after >= 0)
    ) STRICT;
    """
}
