extension CurrentSchema {
  /// Feeds and their episodes.
  ///
  /// `due_at` is NULL for a feed that the engine does not refresh by itself; its index has what the scheduler looks at.
  /// The columns `own_` have what the feed says of its podcast, once it was `read`. `filename_template` NULL leaves a
  /// feed's files to the template of the settings. `rule_line` and `allowance` say how far a feed's rules have come,
  /// `rules_at` when they are due; `read_to` is the newest episode of the library when the feed was last read without a
  /// gap. `read_from` is the class of the address where the feed was read: 0 for unknown, 1 for public, 2 for private;
  /// `led` says that the feed has moved to its address from a public one by itself.
  ///
  /// An episode belongs to its feed by the feed's key, and to its download by the download's id, which may be gone:
  /// downloads come and go without a write here. `ruled` is the kind of `ruling`, what a rule has last done about an
  /// episode: 1 for downloaded, 2 for deleted, 3 for passed over; `episodes_ruled` has what rules have downloaded in
  /// the order in which the storage quota deletes it. `episode_names` has the guids and enclosures that episodes had
  /// before, `episode_notes` their texts, and `left_feeds` the keys of feeds that are gone and have episodes still.
  /// `episode_facets` has the number of episodes for each feed and class; `EpisodeCounts` maintains it.
  ///
  /// The orders of episodes have an index within each eight feeds, and none over all: the episodes of a feed come
  /// together, so that adding them changes a few pages of each index; a page in order merges the eights
  /// (`TableReader`). Keys are given by `last_episode`: AUTOINCREMENT would write its own counter once for each row.
  static let podcasts = """
    CREATE TABLE feeds (
      key INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE CHECK (length(id) BETWEEN 1 AND 128),
      url TEXT NOT NULL CHECK (length(url) BETWEEN 1 AND 8192),
      url_hash INTEGER NOT NULL,
      host TEXT NOT NULL CHECK (length(host) > 0),
      title TEXT,
      grouping TEXT,
      headers TEXT CHECK (headers IS NULL OR json_valid(headers)),
      user_agent TEXT,
      network INTEGER NOT NULL CHECK (network BETWEEN 0 AND 2),
      paused INTEGER NOT NULL CHECK (paused IN (0, 1)),
      own_title TEXT,
      own_link TEXT,
      own_image TEXT,
      own_description TEXT,
      own_language TEXT,
      own_author TEXT,
      own_guid TEXT,
      title_key TEXT NOT NULL,
      refreshed_at INTEGER,
      next_at INTEGER NOT NULL,
      due_at INTEGER,
      failures INTEGER NOT NULL CHECK (failures BETWEEN 0 AND 1000000),
      error_code TEXT,
      error_message TEXT,
      error_status INTEGER,
      entity_tag TEXT,
      last_modified TEXT,
      body_hash TEXT,
      full_body_at INTEGER,
      distrusted INTEGER NOT NULL CHECK (distrusted IN (0, 1)),
      former_urls TEXT CHECK (former_urls IS NULL OR json_valid(former_urls)),
      interval_seconds INTEGER,
      quiet_hours TEXT CHECK (quiet_hours IS NULL OR json_valid(quiet_hours)),
      quiet_days TEXT CHECK (quiet_days IS NULL OR json_valid(quiet_days)),
      ended INTEGER NOT NULL CHECK (ended IN (0, 1)),
      asked INTEGER NOT NULL CHECK (asked IN (0, 1)),
      read INTEGER NOT NULL CHECK (read IN (0, 1)),
      episodes INTEGER NOT NULL CHECK (episodes >= 0),
      added_at INTEGER NOT NULL,
      filename_template TEXT CHECK (length(filename_template) BETWEEN 1 AND 512),
      rules TEXT CHECK (rules IS NULL OR json_valid(rules)),
      rule_line INTEGER CHECK (rule_line >= 0),
      allowance INTEGER NOT NULL DEFAULT 0 CHECK (allowance >= 0),
      rules_at INTEGER,
      session INTEGER CHECK (session BETWEEN 1 AND 1000),
      notes INTEGER NOT NULL DEFAULT 0 CHECK (notes = 0 OR notes = 1),
      read_to INTEGER NOT NULL DEFAULT 0 CHECK (read_to >= 0),
      read_from INTEGER NOT NULL DEFAULT 0 CHECK (read_from BETWEEN 0 AND 2),
      led INTEGER NOT NULL DEFAULT 0 CHECK (led = 0 OR led = 1),
      CHECK ((error_code IS NULL) = (error_message IS NULL))
    ) STRICT;
    CREATE INDEX feeds_url ON feeds (url_hash);
    CREATE INDEX feeds_due_on_host ON feeds (host, due_at) WHERE due_at IS NOT NULL;
    CREATE INDEX feeds_title ON feeds (title_key);
    CREATE INDEX feeds_rules_due ON feeds (rules_at) WHERE rules_at IS NOT NULL;
    CREATE INDEX feeds_session ON feeds (session) WHERE session IS NOT NULL;
    CREATE INDEX feeds_due ON feeds (due_at, host, network, session, id) WHERE due_at IS NOT NULL;
    CREATE TABLE feed_urls (
      url_hash INTEGER NOT NULL,
      feed INTEGER NOT NULL REFERENCES feeds (key) ON DELETE CASCADE,
      PRIMARY KEY (url_hash, feed)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX feed_urls_feed ON feed_urls (feed);
    CREATE TABLE left_feeds (
      key INTEGER PRIMARY KEY
    ) STRICT;
    CREATE TABLE episodes (
      key INTEGER PRIMARY KEY,
      feed INTEGER NOT NULL,
      guid TEXT,
      url TEXT,
      title TEXT,
      published INTEGER,
      published_offset INTEGER,
      seconds INTEGER,
      bytes INTEGER,
      media_type TEXT,
      link TEXT,
      season INTEGER,
      number TEXT,
      kind TEXT CHECK (kind = 'full' OR kind = 'trailer' OR kind = 'bonus'),
      chapters TEXT,
      transcript TEXT,
      alternates TEXT CHECK (alternates IS NULL OR json_valid(alternates)),
      fingerprint INTEGER NOT NULL,
      title_key TEXT,
      media INTEGER NOT NULL CHECK (media BETWEEN 0 AND 2),
      missing INTEGER NOT NULL CHECK (missing IN (0, 1)),
      played INTEGER NOT NULL CHECK (played IN (0, 1)),
      favorite INTEGER NOT NULL CHECK (favorite IN (0, 1)),
      archived INTEGER NOT NULL CHECK (archived IN (0, 1)),
      download TEXT CHECK (download IS NULL OR length(download) BETWEEN 1 AND 128),
      added_at INTEGER NOT NULL,
      backdated INTEGER NOT NULL DEFAULT 0 CHECK (backdated IN (0, 1)),
      ruled INTEGER CHECK (ruled BETWEEN 1 AND 3),
      ruling TEXT CHECK ((ruling IS NULL) = (ruled IS NULL) AND (ruling IS NULL OR json_valid(ruling))),
      image TEXT
    ) STRICT;
    CREATE INDEX episodes_feed ON episodes (feed);
    CREATE INDEX episodes_published ON episodes (feed >> 3, published);
    CREATE INDEX episodes_title ON episodes (feed >> 3, title_key);
    CREATE INDEX episodes_bytes ON episodes (feed >> 3, bytes);
    CREATE INDEX episodes_seconds ON episodes (feed >> 3, seconds);
    CREATE INDEX episodes_published_unknown ON episodes (key) WHERE published IS NULL;
    CREATE INDEX episodes_title_unknown ON episodes (key) WHERE title_key IS NULL;
    CREATE INDEX episodes_bytes_unknown ON episodes (key) WHERE bytes IS NULL;
    CREATE INDEX episodes_seconds_unknown ON episodes (key) WHERE seconds IS NULL;
    CREATE INDEX episodes_download ON episodes (feed, download) WHERE download IS NOT NULL;
    CREATE INDEX episodes_of_download ON episodes (download) WHERE download IS NOT NULL;
    CREATE INDEX episodes_ruled ON episodes (min(coalesce(published, added_at), added_at), added_at, key DESC)
      WHERE ruled = 1;
    CREATE INDEX episodes_undated ON episodes (added_at) WHERE published IS NULL;
    CREATE TABLE last_episode (
      singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
      key INTEGER NOT NULL CHECK (key >= 0)
    ) STRICT;
    CREATE TABLE episode_names (
      episode INTEGER NOT NULL REFERENCES episodes (key) ON DELETE CASCADE,
      place INTEGER NOT NULL,
      kind TEXT NOT NULL CHECK (kind IN ('guid', 'url')),
      name TEXT NOT NULL,
      PRIMARY KEY (episode, place)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE episode_notes (
      episode INTEGER PRIMARY KEY REFERENCES episodes (key) ON DELETE CASCADE,
      hash INTEGER NOT NULL,
      html TEXT NOT NULL CHECK (html <> '')
    ) STRICT;
    CREATE TABLE episode_facets (
      feed INTEGER NOT NULL,
      class INTEGER NOT NULL,
      number INTEGER NOT NULL CHECK (number > 0),
      PRIMARY KEY (feed, class)
    ) STRICT, WITHOUT ROWID;
    """
}
