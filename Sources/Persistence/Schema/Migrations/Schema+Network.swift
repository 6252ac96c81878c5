import GRDB
import PodfluxCore

/// Columns and tables for the network, its policies, quotas and budgets: migration 7.
extension Schema {
  static func addNetwork(to db: Database) throws {
    try db.execute(sql: policies)
    try db.execute(sql: lanes)
    try db.execute(sql: numbers)
  }

  /// `network` is the client's policy for the download, `podcast_network` its podcast's, each as a
  /// `NetworkPolicy.rowCode`; `class` holds the effective one. `error_short` is the number of missing bytes of storage.
  private static let policies = """
    ALTER TABLE downloads ADD COLUMN network INTEGER NOT NULL DEFAULT 0 CHECK (network BETWEEN 0 AND 2);
    ALTER TABLE downloads ADD COLUMN podcast_network INTEGER NOT NULL DEFAULT 0 CHECK (podcast_network BETWEEN 0 AND 2);
    ALTER TABLE downloads ADD COLUMN error_short INTEGER
      CHECK (error_short IS NULL OR (error_short >= 0 AND error_code IS NOT NULL));
    CREATE INDEX downloads_roomless ON downloads (retry_at) WHERE reason = 'storage';
    CREATE TABLE network (
      singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
      json TEXT NOT NULL CHECK (json_valid(json))
    ) STRICT;
    """

  /// The admissible downloads of a host with the same origin and policy form a lane: a blocked lane holds up no other.
  private static let lanes = """
    DROP INDEX downloads_admissible;
    CREATE INDEX downloads_admissible ON downloads (host, class & 15, priority, position)
      WHERE state = 'queued' AND held = 0;
    DROP TABLE lanes;
    CREATE TABLE lanes (
      host TEXT NOT NULL,
      kind INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 15),
      priority INTEGER NOT NULL,
      position INTEGER NOT NULL,
      PRIMARY KEY (host, kind)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX lanes_order ON lanes (priority, position);
    INSERT INTO lanes SELECT host, kind, priority, position FROM (
      SELECT host, class & 15 AS kind, priority, position,
        row_number() OVER (PARTITION BY host, class & 15 ORDER BY priority, position) AS place
      FROM downloads WHERE state = 'queued' AND held = 0)
    WHERE place = 1;
    """

  /// Migration 26: the total size of the complete files, beside that of all.
  static func addCompletedBytes(to db: Database) throws {
    try db.execute(
      sql: """
        ALTER TABLE usage ADD COLUMN complete INTEGER NOT NULL DEFAULT 0 CHECK (complete >= 0);
        UPDATE usage SET complete = (
          SELECT \(Usage.sum) FROM downloads WHERE state = 'completed');
        """)
  }

  /// `class_counts` holds the number of rows of each class; `TraitCounts` maintains it. `usage` holds the total size of
  /// all downloads' files; `Usage` maintains it.
  private static let numbers = """
    CREATE TABLE class_counts (
      class INTEGER PRIMARY KEY,
      number INTEGER NOT NULL CHECK (number > 0)
    ) STRICT;
    INSERT INTO class_counts SELECT class, count(*) FROM downloads GROUP BY class;
    CREATE TABLE usage (
      singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
      bytes INTEGER NOT NULL CHECK (bytes >= 0)
    ) STRICT;
    INSERT INTO usage SELECT 1, \(Usage.sum) FROM downloads;
    """
}
