import GRDB

/// Sessions: migrations 22, 23 and 25.
extension Schema {
  static func addSessions(to db: Database) throws {
    try db.execute(sql: sessions)
    try widenClasses(in: db)
    try db.execute(sql: lanes)
  }

  /// Migration 23: sessions whose secret is the value of a parameter, and an index of their lanes.
  static func addSecretParameters(to db: Database) throws {
    try changeText(ofTablesIn: db) {
      $0.replacing("OR kind = 'refreshing'),", with: "OR kind = 'refreshing' OR kind = 'parameter'),")
    }
    try db.execute(
      sql: """
        ALTER TABLE sessions ADD COLUMN parameter TEXT
          CHECK ((kind = 'parameter') = (parameter IS NOT NULL))
          CHECK (length(parameter) BETWEEN 1 AND 128 AND parameter NOT GLOB '*[^A-Za-z0-9._~-]*');
        CREATE INDEX lanes_session ON lanes (kind >> 26, priority, position) WHERE kind >> 26 <> 0;
        """)
  }

  /// Migration 25: whether `auth` made a session. Of those before it is not known, and they stay.
  static func addOwnSessions(to db: Database) throws {
    try db.execute(sql: "ALTER TABLE sessions ADD COLUMN own INTEGER NOT NULL DEFAULT 0 CHECK (own IN (0, 1))")
  }

  /// `reference` names the secret, which is in the vault. `cached` says of a session that is created or being opened
  /// whether a token of the vault will do, `renewal` of one that is being opened whether it was open before.
  private static let sessions = """
    CREATE TABLE sessions (
      key INTEGER PRIMARY KEY CHECK (key BETWEEN 1 AND 1000),
      id TEXT NOT NULL UNIQUE CHECK (length(id) BETWEEN 1 AND 128),
      hosts TEXT NOT NULL CHECK (json_valid(hosts)),
      kind TEXT NOT NULL CHECK (kind = 'none' OR kind = 'basic' OR kind = 'digest' OR kind = 'bearer'
        OR kind = 'refreshing'),
      user TEXT,
      token_url TEXT CHECK (length(token_url) BETWEEN 1 AND 8192),
      reference TEXT CHECK (length(reference) = 32 AND reference NOT GLOB '*[^0-9a-f]*'),
      state TEXT NOT NULL CHECK (state = 'created' OR state = 'opening' OR state = 'open' OR state = 'extended'
        OR state = 'closed' OR state = 'loginFailed'),
      cached INTEGER NOT NULL CHECK (cached = 0 OR cached = 1),
      renewal INTEGER NOT NULL CHECK (renewal = 0 OR renewal = 1),
      failures INTEGER NOT NULL CHECK (failures BETWEEN 0 AND 1 << 31),
      next_at INTEGER,
      error_code TEXT, error_message TEXT, error_status INTEGER,
      since INTEGER NOT NULL,
      expires INTEGER,
      token INTEGER NOT NULL CHECK (token BETWEEN 0 AND 1 << 62),
      CHECK (cached = 0 OR state = 'created' OR state = 'opening'),
      CHECK (state = 'opening' OR (renewal = 0 AND failures = 0 AND next_at IS NULL)),
      CHECK ((state = 'loginFailed') = (error_code IS NOT NULL)),
      CHECK ((error_code IS NULL) = (error_message IS NULL)),
      CHECK (error_code IS NOT NULL OR error_status IS NULL),
      CHECK ((kind = 'refreshing') = (token_url IS NOT NULL))
    ) STRICT;
    ALTER TABLE downloads ADD COLUMN session INTEGER CHECK (session BETWEEN 1 AND 1000);
    ALTER TABLE feeds ADD COLUMN session INTEGER CHECK (session BETWEEN 1 AND 1000);
    ALTER TABLE sidecars ADD COLUMN session INTEGER CHECK (session BETWEEN 1 AND 1000);
    CREATE INDEX downloads_session ON downloads (session) WHERE session IS NOT NULL;
    CREATE INDEX feeds_session ON feeds (session) WHERE session IS NOT NULL;
    CREATE INDEX sidecars_session ON sidecars (session) WHERE session IS NOT NULL;
    DROP INDEX feeds_due;
    CREATE INDEX feeds_due ON feeds (due_at, host, network, session, id) WHERE due_at IS NOT NULL;
    """

  /// A class holds the session too. A check can be changed only in the schema's text, as in migration 8.
  private static func widenClasses(in db: Database) throws {
    try changeText(ofTablesIn: db) {
      $0.replacing("class BETWEEN 0 AND (1 << 26) - 1", with: "class BETWEEN 0 AND (1 << 36) - 1")
    }
  }

  /// The downloads of a session form lanes of their own: while it is not open they hold up no other.
  private static let lanes = """
    DROP INDEX downloads_admissible;
    CREATE INDEX downloads_admissible ON downloads (host, class & 68652367887, priority, position)
      WHERE state = 'queued' AND held = 0;
    DROP TABLE lanes;
    CREATE TABLE lanes (
      host TEXT NOT NULL,
      kind INTEGER NOT NULL CHECK (kind & 68652367887 = kind),
      priority INTEGER NOT NULL,
      position INTEGER NOT NULL,
      PRIMARY KEY (host, kind)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX lanes_order ON lanes (priority, position);
    INSERT INTO lanes SELECT host, kind, priority, position FROM (
      SELECT host, class & 68652367887 AS kind, priority, position,
        row_number() OVER (PARTITION BY host, class & 68652367887 ORDER BY priority, position) AS place
      FROM downloads WHERE state = 'queued' AND held = 0)
    WHERE place = 1;
    """
}
