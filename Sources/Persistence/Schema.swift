import GRDB

/// The tables' form, as a series of migrations. A migration that has been released is never changed.
enum Schema {
  /// Marks the file as Podflux's ("PodF"), so that no other database is taken for a library.
  static let applicationID: Int32 = 0x506F_6446

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

  /// `lanes` names the first admissible download of each host, so that finding the next one to run costs one look-up
  /// however long the queue is and however many downloads of a busy host stand before it.
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
}
