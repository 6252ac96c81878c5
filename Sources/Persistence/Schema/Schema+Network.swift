import GRDB
import PodfluxCore

/// What the network, its policies, quotas and budgets need: migration 7.
extension Schema {
  static func addNetwork(to db: Database) throws {
    try db.execute(sql: policies)
    try db.execute(sql: lanes)
    try db.execute(sql: numbers)
  }

  /// `network` is what the client said of the download, `podcast_network` what is said of its podcast, each as a
  /// `NetworkPolicy.rowCode`; `class` holds what counts of the two. `error_short` says how many bytes there is no room for.
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

  /// Downloads of a host that are alike to obstacles, by origin and policy, stand in a lane of their own: one that may not
  /// run holds up no other.
  private static let lanes = """
    DROP INDEX downloads_admissible;
    CREATE INDEX downloads_admissible ON downloads (host, \(QueueKey.kindColumn), priority, position)
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
    \(QueueKey.fill);
    """

  /// `class_counts` says how many rows there are of each class, whatever their podcasts and hosts; `TraitCounts` keeps it.
  /// `usage` says how many bytes the files of all downloads have; `Usage` keeps it.
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
    INSERT INTO usage SELECT 1, min(coalesce(sum(\(Usage.column)), 0), \(Usage.maximum)) FROM downloads;
    """
}
