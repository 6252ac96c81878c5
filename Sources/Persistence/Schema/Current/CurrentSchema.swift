import GRDB

/// The schema as all migrations leave it, for a library that begins.
///
/// A new database is created in one transaction; the migrations, one after the other, cost it one each and as many
/// rewrites of the schema. A test compares the two: what a migration changes is changed here too.
enum CurrentSchema {
  /// Creates all tables in an empty database, with the rows that each library has, and records the migrations as done.
  ///
  /// - Precondition: This runs in a transaction, so that a crash leaves an empty database.
  static func create(in db: Database) throws {
    try db.execute(sql: "PRAGMA application_id = \(Schema.applicationID)")
    for tables in Schema.tables {
      try db.execute(sql: tables)
    }
    try db.execute(sql: firstRows)
    // The table in which `DatabaseMigrator` looks.
    try db.execute(sql: "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
    for migration in Schema.migrator.migrations {
      try db.execute(sql: "INSERT INTO grdb_migrations VALUES (?)", arguments: [migration])
    }
  }

  private static let firstRows = """
    INSERT INTO log VALUES (1, 0, 0);
    INSERT INTO calendar VALUES (1, 0, 0);
    INSERT INTO usage VALUES (1, 0, 0);
    INSERT INTO last_episode VALUES (1, 0);
    """

  /// What there is one of: each of these tables has at most one row.
  ///
  /// `calendar` has the local day on which ages depend, counted from 1970-01-01, and its offset from UTC in seconds;
  /// `upkeep` has the day of the last upkeep.
  static let library = """
    CREATE TABLE log (
      singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
      revision INTEGER NOT NULL CHECK (revision >= 0),
      sequence INTEGER NOT NULL CHECK (sequence >= 0)
    ) STRICT;
    CREATE TABLE settings (
      singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
      json TEXT NOT NULL CHECK (json_valid(json))
    ) STRICT;
    CREATE TABLE calendar (
      singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
      day INTEGER NOT NULL,
      seconds_east INTEGER NOT NULL DEFAULT 0 CHECK (seconds_east BETWEEN -86400 AND 86400)
    ) STRICT;
    CREATE TABLE upkeep (
      singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
      day INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE network (
      singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
      json TEXT NOT NULL CHECK (json_valid(json))
    ) STRICT;
    CREATE TABLE filters (
      singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
      json TEXT NOT NULL CHECK (json_valid(json))
    ) STRICT;
    CREATE TABLE episode_filters (
      singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
      json TEXT NOT NULL CHECK (json_valid(json))
    ) STRICT;
    """

  /// Logins. `reference` names the secret, which is in the vault.
  ///
  /// `cached` says of a session that is created or being opened whether a token of the vault will do, `renewal` of one
  /// that is being opened whether it was open before. `own` says whether `auth` made it.
  static let sessions = """
    CREATE TABLE sessions (
      key INTEGER PRIMARY KEY CHECK (key BETWEEN 1 AND 1000),
      id TEXT NOT NULL UNIQUE CHECK (length(id) BETWEEN 1 AND 128),
      hosts TEXT NOT NULL CHECK (json_valid(hosts)),
      kind TEXT NOT NULL CHECK (kind = 'none' OR kind = 'basic' OR kind = 'digest' OR kind = 'bearer'
        OR kind = 'refreshing' OR kind = 'parameter'),
      user TEXT,
      token_url TEXT CHECK (length(token_url) BETWEEN 1 AND 8192),
      reference TEXT CHECK (length(reference) = 32 AND reference NOT GLOB '*[^0-9a-f]*'),
      state TEXT NOT NULL CHECK (state = 'created' OR state = 'opening' OR state = 'open' OR state = 'extended'
        OR state = 'closed' OR state = 'loginFailed'),
      cached INTEGER NOT NULL CHECK (cached = 0 OR cached = 1),
      renewal INTEGER NOT NULL CHECK (renewal = 0 OR renewal = 1),
      failures INTEGER NOT NULL CHECK (failures BETWEEN 0 AND 1 << 31),
      next_at INTEGER,
      error_code TEXT,
      error_message TEXT,
      error_status INTEGER,
      since INTEGER NOT NULL,
      expires INTEGER,
      token INTEGER NOT NULL CHECK (token BETWEEN 0 AND 1 << 62),
      parameter TEXT CHECK ((kind = 'parameter') = (parameter IS NOT NULL))
        CHECK (length(parameter) BETWEEN 1 AND 128 AND parameter NOT GLOB '*[^A-Za-z0-9._~-]*'),
      own INTEGER NOT NULL DEFAULT 0 CHECK (own IN (0, 1)),
      CHECK (cached = 0 OR state = 'created' OR state = 'opening'),
      CHECK (state = 'opening' OR (renewal = 0 AND failures = 0 AND next_at IS NULL)),
      CHECK ((state = 'loginFailed') = (error_code IS NOT NULL)),
      CHECK ((error_code IS NULL) = (error_message IS NULL)),
      CHECK (error_code IS NOT NULL OR error_status IS NULL),
      CHECK ((kind = 'refreshing') = (token_url IS NOT NULL))
    ) STRICT;
    """
}
