import GRDB

/// The schema, as a series of migrations. A released migration never changes; `CurrentSchema` has what all of them lead
/// to.
enum Schema {
  /// Identifies the file as Podflux's ("PodF"), so that no other database is taken for a library.
  static let applicationID: Int32 = 0x506F_6446

  /// The tables to which the migrations lead, in the order in which a new library gets them.
  static let tables = [
    CurrentSchema.library, CurrentSchema.downloads, CurrentSchema.cleanup, CurrentSchema.podcasts,
    CurrentSchema.sidecars, CurrentSchema.sessions,
  ]

  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1-downloads") { db in
      try db.execute(sql: "PRAGMA application_id = \(applicationID)")
      try db.execute(sql: log)
      try db.execute(sql: settings)
      try db.execute(sql: downloads)
      try db.execute(sql: deletions)
    }
    migrator.registerMigration("2-deletions-by-file") { db in
      try db.execute(sql: "CREATE INDEX deletions_file ON deletions (inode) WHERE inode IS NOT NULL")
    }
    migrator.registerMigration("3-sources-and-digests") { db in
      try db.execute(sql: sourcesAndDigests)
      try db.execute(sql: hosts)
    }
    migrator.registerMigration("4-verifications") { db in
      try db.execute(sql: verifications)
    }
    migrator.registerMigration("5-cleanup") { db in
      try db.execute(sql: cleanup)
    }
    migrator.registerMigration("6-filters", migrate: addFilters)
    migrator.registerMigration("7-network", migrate: addNetwork)
    migrator.registerMigration("8-spelled-out-checks", migrate: spellOutChecks)
    migrator.registerMigration("9-files-of-others", migrate: tellFilesOfOthers)
    migrator.registerMigration("10-upkeep", migrate: addUpkeep)
    migrator.registerMigration("11-published-offset", migrate: addPublishedOffset)
    migrator.registerMigration("14-folded-texts", migrate: foldTexts)
    migrator.registerMigration("15-podcasts", migrate: addPodcasts)
    migrator.registerMigration("17-names", migrate: addNames)
    migrator.registerMigration("18-rules", migrate: addRules)
    migrator.registerMigration("19-episode-filters", migrate: addEpisodeFilters)
    migrator.registerMigration("20-sidecars", migrate: addSidecars)
    migrator.registerMigration("21-tags", migrate: addTags)
    migrator.registerMigration("22-sessions", migrate: addSessions)
    migrator.registerMigration("23-secret-parameters", migrate: addSecretParameters)
    migrator.registerMigration("24-notes", migrate: addNotes)
    migrator.registerMigration("25-own-sessions", migrate: addOwnSessions)
    migrator.registerMigration("26-completed-bytes", migrate: addCompletedBytes)
    migrator.registerMigration("27-dates-of-addresses", migrate: addDatesOfAddresses)
    migrator.registerMigration("28-gaps-and-edits", migrate: addGaps)
    migrator.registerMigration("29-fresh-addresses", migrate: addFreshAddresses)
    migrator.registerMigration("30-restarts", migrate: addRestarts)
    migrator.registerMigration("31-former-origins", migrate: addFormerOrigins)
    migrator.registerMigration("32-namers", migrate: addNamers)
    return migrator
  }

  private static let log = """
    CREATE TABLE log (
      singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
      revision INTEGER NOT NULL CHECK (revision >= 0),
      sequence INTEGER NOT NULL CHECK (sequence >= 0)
    ) STRICT;
    INSERT INTO log VALUES (1, 0, 0);
    """

  private static let settings = """
    CREATE TABLE settings (
      singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
      json TEXT NOT NULL CHECK (json_valid(json))
    ) STRICT;
    """

  /// `lanes` holds the first admissible download of each host: finding the next one to run costs one look-up,
  /// independent of the queue's length and of the downloads of busy hosts before it.
  private static let downloads = """
    CREATE TABLE downloads (
      key INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE CHECK (length(id) BETWEEN 1 AND 128),
      url TEXT NOT NULL CHECK (length(url) BETWEEN 1 AND 8192),
      url_hash INTEGER NOT NULL,
      host TEXT NOT NULL CHECK (length(host) > 0),
      podcast TEXT, title TEXT, published INTEGER, wanted_path TEXT,
      headers TEXT CHECK (headers IS NULL OR json_valid(headers)),
      expected_length INTEGER CHECK (expected_length >= 0),
      priority INTEGER NOT NULL CHECK (priority BETWEEN 0 AND 2),
      position INTEGER NOT NULL CHECK (abs(position) < 1 << 62),
      origin TEXT NOT NULL CHECK (origin IN ('user', 'auto')),
      state TEXT NOT NULL CHECK (state IN ('queued', 'waiting', 'running', 'paused', 'completed', 'failed')),
      phase TEXT CHECK (phase IN ('connecting', 'receiving', 'verifying', 'publishing')),
      reason TEXT CHECK (reason IN
        ('network', 'policy', 'retry', 'host', 'storage', 'schedule', 'budget', 'auth')),
      retry_at INTEGER,
      error_code TEXT, error_message TEXT, error_status INTEGER, error_cause TEXT,
      path TEXT, file_length INTEGER CHECK (file_length >= 0), inode INTEGER,
      durable INTEGER NOT NULL CHECK (durable >= 0),
      total INTEGER CHECK (total >= 0),
      discarded INTEGER NOT NULL CHECK (discarded BETWEEN 0 AND 1 << 62),
      resume TEXT CHECK (resume IS NULL OR json_valid(resume)),
      failures INTEGER NOT NULL CHECK (failures BETWEEN 0 AND 1 << 31),
      added_at INTEGER NOT NULL, started_at INTEGER, finished_at INTEGER,
      held INTEGER NOT NULL CHECK (held IN (0, 1)),
      CHECK ((state = 'running') = (phase IS NOT NULL)),
      CHECK ((state = 'waiting') = (reason IS NOT NULL)),
      CHECK ((reason IS 'retry') = (retry_at IS NOT NULL)),
      CHECK ((state = 'failed' OR reason IS 'retry') = (error_code IS NOT NULL)),
      CHECK ((error_code IS NULL) = (error_message IS NULL)),
      CHECK (error_code IS NOT NULL OR (error_status IS NULL AND error_cause IS NULL)),
      CHECK ((state = 'completed' OR phase IS 'publishing') = (path IS NOT NULL)),
      CHECK ((path IS NULL) = (file_length IS NULL) AND (path IS NULL) = (inode IS NULL)),
      CHECK ((state = 'completed') = (finished_at IS NOT NULL))
    ) STRICT;
    CREATE INDEX downloads_url ON downloads (url_hash);
    CREATE INDEX downloads_order ON downloads (priority, position);
    CREATE INDEX downloads_admissible ON downloads (host, priority, position) WHERE state = 'queued' AND held = 0;
    CREATE INDEX downloads_running ON downloads (key) WHERE state = 'running';
    CREATE INDEX downloads_retry ON downloads (retry_at) WHERE state = 'waiting' AND retry_at IS NOT NULL;
    CREATE INDEX downloads_held ON downloads (id) WHERE held = 1;

    CREATE TABLE lanes (
      host TEXT PRIMARY KEY,
      priority INTEGER NOT NULL,
      position INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX lanes_order ON lanes (priority, position);

    CREATE TABLE counts (
      state TEXT PRIMARY KEY CHECK (state IN ('queued', 'waiting', 'running', 'paused', 'completed', 'failed')),
      number INTEGER NOT NULL CHECK (number >= 0)
    ) STRICT, WITHOUT ROWID;
    """

  private static let deletions = """
    CREATE TABLE deletions (
      key INTEGER PRIMARY KEY AUTOINCREMENT,
      download TEXT NOT NULL,
      path TEXT, file_length INTEGER, inode INTEGER,
      ready INTEGER NOT NULL CHECK (ready IN (0, 1)),
      CHECK ((path IS NULL) = (file_length IS NULL) AND (path IS NULL) = (inode IS NULL))
    ) STRICT;
    CREATE INDEX deletions_download ON deletions (download);
    CREATE INDEX deletions_ready ON deletions (key) WHERE ready = 1;
    CREATE INDEX deletions_pending ON deletions (key) WHERE ready = 0;
    """

  /// SQLite cannot change a constraint of an existing table: this creates a new one and copies the rows.
  private static let sourcesAndDigests = """
    CREATE TABLE new_downloads (
      key INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE CHECK (length(id) BETWEEN 1 AND 128),
      url TEXT NOT NULL CHECK (length(url) BETWEEN 1 AND 8192),
      url_hash INTEGER NOT NULL,
      host TEXT NOT NULL CHECK (length(host) > 0),
      podcast TEXT, title TEXT, published INTEGER, wanted_path TEXT,
      headers TEXT CHECK (headers IS NULL OR json_valid(headers)),
      mirrors TEXT CHECK (mirrors IS NULL OR json_valid(mirrors)),
      integrity TEXT,
      expected_length INTEGER CHECK (expected_length >= 0),
      priority INTEGER NOT NULL CHECK (priority BETWEEN 0 AND 2),
      position INTEGER NOT NULL CHECK (abs(position) < 1 << 62),
      origin TEXT NOT NULL CHECK (origin IN ('user', 'auto')),
      state TEXT NOT NULL CHECK (state IN ('queued', 'waiting', 'running', 'paused', 'completed', 'failed')),
      phase TEXT CHECK (phase IN ('connecting', 'receiving', 'verifying', 'publishing')),
      reason TEXT CHECK (reason IN
        ('network', 'policy', 'retry', 'host', 'storage', 'schedule', 'budget', 'auth')),
      retry_at INTEGER,
      error_code TEXT, error_message TEXT, error_status INTEGER, error_cause TEXT,
      path TEXT, file_length INTEGER CHECK (file_length >= 0), inode INTEGER,
      sha256 TEXT CHECK (length(sha256) = 64 AND sha256 NOT GLOB '*[^0-9a-f]*'),
      durable INTEGER NOT NULL CHECK (durable >= 0),
      total INTEGER CHECK (total >= 0),
      discarded INTEGER NOT NULL CHECK (discarded BETWEEN 0 AND 1 << 62),
      discards TEXT CHECK (discards IS NULL OR json_valid(discards)),
      resume TEXT CHECK (resume IS NULL OR json_valid(resume)),
      failures INTEGER NOT NULL CHECK (failures BETWEEN 0 AND 1 << 31),
      home_host TEXT,
      source INTEGER NOT NULL DEFAULT 0 CHECK (source >= 0),
      may_pass INTEGER NOT NULL DEFAULT 0 CHECK (may_pass IN (0, 1)),
      added_at INTEGER NOT NULL, started_at INTEGER, finished_at INTEGER,
      held INTEGER NOT NULL CHECK (held IN (0, 1)),
      CHECK ((state = 'running') = (phase IS NOT NULL)),
      CHECK ((state = 'waiting') = (reason IS NOT NULL)),
      CHECK ((reason IS 'retry' OR reason IS 'storage') = (retry_at IS NOT NULL)),
      CHECK ((state = 'failed' OR reason IS 'retry' OR reason IS 'storage') = (error_code IS NOT NULL)),
      CHECK ((error_code IS NULL) = (error_message IS NULL)),
      CHECK (error_code IS NOT NULL OR (error_status IS NULL AND error_cause IS NULL)),
      CHECK ((state = 'completed' OR phase IS 'publishing') = (path IS NOT NULL)),
      CHECK ((path IS NULL) = (file_length IS NULL) AND (path IS NULL) = (inode IS NULL)),
      CHECK (path IS NOT NULL OR sha256 IS NULL),
      CHECK ((state = 'completed') = (finished_at IS NOT NULL)),
      CHECK ((discarded = 0) = (discards IS NULL)),
      CHECK (source = 0 OR mirrors IS NOT NULL),
      CHECK ((source = 0) = (home_host IS NULL))
    ) STRICT;
    INSERT INTO new_downloads (
      key, id, url, url_hash, host, podcast, title, published, wanted_path, headers, expected_length, priority,
      position, origin, state, phase, reason, retry_at, error_code, error_message, error_status, error_cause, path,
      file_length, inode, durable, total, discarded, discards, resume, failures, added_at, started_at, finished_at,
      held)
    SELECT
      key, id, url, url_hash, host, podcast, title, published, wanted_path, headers, expected_length, priority,
      position, origin, state, phase, reason, retry_at, error_code, error_message, error_status, error_cause, path,
      file_length, inode, durable, total, discarded,
      CASE WHEN discarded > 0 THEN json_object('content_changed', discarded) END,
      resume, failures, added_at, started_at, finished_at, held
    FROM downloads;
    UPDATE sqlite_sequence
      SET seq = max(seq, (SELECT old.seq FROM sqlite_sequence AS old WHERE old.name = 'downloads'))
      WHERE name = 'new_downloads' AND EXISTS (SELECT 1 FROM sqlite_sequence AS old WHERE old.name = 'downloads');
    DROP TABLE downloads;
    ALTER TABLE new_downloads RENAME TO downloads;
    CREATE INDEX downloads_url ON downloads (url_hash);
    CREATE INDEX downloads_order ON downloads (priority, position);
    CREATE INDEX downloads_admissible ON downloads (host, priority, position) WHERE state = 'queued' AND held = 0;
    CREATE INDEX downloads_running ON downloads (key) WHERE state = 'running';
    CREATE INDEX downloads_retry ON downloads (retry_at) WHERE state = 'waiting' AND retry_at IS NOT NULL;
    CREATE INDEX downloads_held ON downloads (id) WHERE held = 1;
    """

  private static let hosts = """
    CREATE TABLE cooldowns (
      host TEXT PRIMARY KEY CHECK (length(host) > 0),
      until INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE discards (
      cause TEXT PRIMARY KEY,
      bytes INTEGER NOT NULL CHECK (bytes >= 0)
    ) STRICT, WITHOUT ROWID;
    """

  /// The index on the path is for damaged files; all of them may be damaged.
  ///
  /// A verification's number is never reused, so that a late report on one cannot concern another.
  private static let verifications = """
    CREATE TABLE verifications (
      key INTEGER PRIMARY KEY AUTOINCREMENT,
      download INTEGER NOT NULL UNIQUE REFERENCES downloads (key) ON DELETE CASCADE
    ) STRICT;
    CREATE INDEX downloads_path ON downloads (path) WHERE path IS NOT NULL;
    ALTER TABLE deletions ADD COLUMN quarantine INTEGER NOT NULL DEFAULT 0 CHECK (quarantine IN (0, 1));
    """

  /// A step's number is never reused, so that a late report on one cannot concern another.
  ///
  /// `folders` held the folders of published files; since migration 9 it holds those that the engine created.
  private static let cleanup = """
    CREATE TABLE cleanup_runs (
      key INTEGER PRIMARY KEY,
      json TEXT NOT NULL CHECK (json_valid(json))
    ) STRICT;
    CREATE TABLE cleanup_steps (
      key INTEGER PRIMARY KEY AUTOINCREMENT,
      status TEXT NOT NULL CHECK (status IN ('planned', 'done', 'left')),
      decision TEXT NOT NULL,
      because TEXT NOT NULL,
      matter TEXT NOT NULL CHECK (json_valid(matter))
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
      cause TEXT NOT NULL CHECK (cause IN ('missing', 'corrupt', 'kept')),
      UNIQUE (download, path, inode)
    ) STRICT;
    CREATE INDEX former_files_path ON former_files (path);
    CREATE INDEX former_files_content ON former_files (file_length) WHERE sha256 IS NOT NULL;
    CREATE INDEX former_files_url ON former_files (url_hash);
    CREATE TABLE folders (
      path TEXT PRIMARY KEY
    ) STRICT, WITHOUT ROWID;
    INSERT OR IGNORE INTO folders
      WITH RECURSIVE above (path) AS (
        SELECT rtrim(rtrim(path, replace(path, '/', '')), '/') FROM downloads WHERE instr(path, '/') > 0
        UNION
        SELECT rtrim(rtrim(path, replace(path, '/', '')), '/') FROM above WHERE instr(path, '/') > 0)
      SELECT path FROM above;
    CREATE INDEX downloads_failed_wish ON downloads (wanted_path) WHERE state = 'failed' AND wanted_path IS NOT NULL;
    CREATE INDEX downloads_inode ON downloads (inode) WHERE inode IS NOT NULL;
    CREATE INDEX downloads_kept ON downloads (id) WHERE durable > 0 AND state <> 'completed';
    """
}
