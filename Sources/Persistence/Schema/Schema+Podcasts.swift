import GRDB

/// Feeds and their episodes: migration 15.
extension Schema {
  static func addPodcasts(to db: Database) throws {
    try db.execute(sql: podcasts)
  }

  /// `due_at` is NULL for a feed that the engine does not refresh by itself; its index has what the scheduler looks at.
  /// `podcast`, `validators`, `headers`, `former_urls`, `rhythm` and `alternates` are JSON. `title_key` is the folded title.
  ///
  /// An episode belongs to its feed by the feed's key, and to its download by the download's id, which may be gone:
  /// downloads come and go without a write here. `episode_names` has the guids and enclosures that episodes had before.
  private static let podcasts = """
    CREATE TABLE feeds (
      key INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE CHECK (length(id) BETWEEN 1 AND 128),
      url TEXT NOT NULL CHECK (length(url) BETWEEN 1 AND 8192),
      url_hash INTEGER NOT NULL,
      host TEXT NOT NULL CHECK (length(host) > 0),
      title TEXT, grouping TEXT, headers TEXT CHECK (headers IS NULL OR json_valid(headers)), user_agent TEXT,
      network INTEGER NOT NULL CHECK (network BETWEEN 0 AND 2),
      paused INTEGER NOT NULL CHECK (paused IN (0, 1)),
      podcast TEXT CHECK (podcast IS NULL OR json_valid(podcast)),
      title_key TEXT NOT NULL,
      refreshed_at INTEGER, next_at INTEGER NOT NULL, due_at INTEGER,
      failures INTEGER NOT NULL CHECK (failures BETWEEN 0 AND 1000000),
      error_code TEXT, error_message TEXT, error_status INTEGER,
      validators TEXT NOT NULL CHECK (json_valid(validators)),
      former_urls TEXT CHECK (former_urls IS NULL OR json_valid(former_urls)),
      rhythm TEXT CHECK (rhythm IS NULL OR json_valid(rhythm)),
      ended INTEGER NOT NULL CHECK (ended IN (0, 1)),
      asked INTEGER NOT NULL CHECK (asked IN (0, 1)),
      episodes INTEGER NOT NULL CHECK (episodes >= 0),
      added_at INTEGER NOT NULL,
      CHECK ((error_code IS NULL) = (error_message IS NULL))
    ) STRICT;
    CREATE INDEX feeds_url ON feeds (url_hash);
    CREATE INDEX feeds_due ON feeds (due_at, host, network, id) WHERE due_at IS NOT NULL;
    CREATE INDEX feeds_due_on_host ON feeds (host, due_at) WHERE due_at IS NOT NULL;
    CREATE INDEX feeds_title ON feeds (title_key);
    CREATE TABLE feed_urls (
      url_hash INTEGER NOT NULL,
      feed INTEGER NOT NULL REFERENCES feeds (key) ON DELETE CASCADE,
      PRIMARY KEY (url_hash, feed)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX feed_urls_feed ON feed_urls (feed);

    CREATE TABLE episodes (
      key INTEGER PRIMARY KEY AUTOINCREMENT,
      feed INTEGER NOT NULL REFERENCES feeds (key) ON DELETE CASCADE,
      guid TEXT, url TEXT, title TEXT, published INTEGER, published_offset INTEGER,
      seconds INTEGER, bytes INTEGER, media_type TEXT,
      link TEXT, season INTEGER, number TEXT, kind TEXT CHECK (kind = 'full' OR kind = 'trailer' OR kind = 'bonus'),
      chapters TEXT, transcript TEXT, alternates TEXT CHECK (alternates IS NULL OR json_valid(alternates)),
      fingerprint INTEGER NOT NULL,
      title_key TEXT,
      media INTEGER NOT NULL CHECK (media BETWEEN 0 AND 2),
      missing INTEGER NOT NULL CHECK (missing IN (0, 1)),
      played INTEGER NOT NULL CHECK (played IN (0, 1)),
      favorite INTEGER NOT NULL CHECK (favorite IN (0, 1)),
      archived INTEGER NOT NULL CHECK (archived IN (0, 1)),
      download TEXT CHECK (download IS NULL OR length(download) BETWEEN 1 AND 128),
      added_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX episodes_feed ON episodes (feed, published);
    CREATE INDEX episodes_published ON episodes (published);
    CREATE INDEX episodes_title ON episodes (title_key);
    CREATE INDEX episodes_bytes ON episodes (bytes);
    CREATE INDEX episodes_seconds ON episodes (seconds);
    CREATE INDEX episodes_download ON episodes (feed, download) WHERE download IS NOT NULL;
    CREATE INDEX episodes_of_download ON episodes (download) WHERE download IS NOT NULL;
    CREATE TABLE episode_names (
      episode INTEGER NOT NULL REFERENCES episodes (key) ON DELETE CASCADE,
      place INTEGER NOT NULL,
      kind TEXT NOT NULL CHECK (kind IN ('guid', 'url')),
      name TEXT NOT NULL,
      PRIMARY KEY (episode, place)
    ) STRICT, WITHOUT ROWID;
    """
}
