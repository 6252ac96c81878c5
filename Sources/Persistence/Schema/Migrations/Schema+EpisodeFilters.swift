import GRDB

/// Filters over episodes: migration 19.
extension Schema {
  static func addEpisodeFilters(to db: Database) throws {
    try db.execute(sql: episodeFilters)
  }

  /// `episode_facets` has the number of episodes for each feed and class; a class is a `PackedEpisodeTraits`, with the
  /// ages on the calendar's day. `EpisodeCounts` maintains it; a feed that is gone has none. The rows of a feed are
  /// adjacent: a refresh of it touches a page or two.
  private static let episodeFilters = """
    CREATE TABLE episode_filters (
      singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
      json TEXT NOT NULL CHECK (json_valid(json))
    ) STRICT;
    CREATE INDEX episodes_undated ON episodes (added_at) WHERE published IS NULL;
    CREATE TABLE episode_facets (
      feed INTEGER NOT NULL,
      class INTEGER NOT NULL,
      number INTEGER NOT NULL CHECK (number > 0),
      PRIMARY KEY (feed, class)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO episode_facets
    WITH counted AS (
      SELECT feed, media, bytes, played, favorite, coalesce(published, added_at) AS moment,
        (SELECT state FROM downloads WHERE downloads.id = episodes.download) AS state,
        (SELECT day * 86400000 - seconds_east * 1000 FROM calendar) AS today
      FROM episodes WHERE feed NOT IN (SELECT key FROM left_feeds))
    SELECT feed,
      (CASE state
        WHEN 'queued' THEN 1 WHEN 'waiting' THEN 2 WHEN 'running' THEN 3 WHEN 'paused' THEN 4
        WHEN 'completed' THEN 5 WHEN 'failed' THEN 6 ELSE 0
      END << 10)
      | (media << 8)
      | (CASE
        WHEN bytes IS NULL THEN 0 WHEN bytes < 26214400 THEN 1 WHEN bytes < 104857600 THEN 2
        WHEN bytes < 524288000 THEN 3 ELSE 4
      END << 5)
      | (CASE
        WHEN moment >= today THEN 0 WHEN moment >= today - 6 * 86400000 THEN 1
        WHEN moment >= today - 29 * 86400000 THEN 2 WHEN moment >= today - 364 * 86400000 THEN 3 ELSE 4
      END << 2)
      | (played << 1)
      | favorite,
      count(*)
    FROM counted GROUP BY 1, 2;
    """
}
