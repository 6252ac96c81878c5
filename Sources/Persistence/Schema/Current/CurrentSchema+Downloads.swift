extension CurrentSchema {
  /// Downloads, what is derived from them, and what is owed for them.
  ///
  /// - `downloads`: `class` is a row's `PackedTraits`. `length` is the file's length if known. `network` is the
  ///   client's policy, `podcast_network` its podcast's, each as a `NetworkPolicy.rowCode`; `class` holds the effective
  ///   one. `published` is a time in milliseconds, `published_offset` the offset of the publisher's clock from UTC in
  ///   seconds. `title_key` is the folded title. `mtime` is the time of the published file's last write, in nanoseconds
  ///   (see `PublishedFile.modifiedNanoseconds`), `modified_at` the time at which another program's edit was noticed,
  ///   in milliseconds. `original_length` and `original_sha256` describe what was downloaded, where the file is a
  ///   tagged copy of it; `untagged` says why a file has no tags that were asked for. `error_short` is the number of
  ///   missing bytes of storage. `fresh_addresses` counts the addresses that refreshes have given a refused download
  ///   since it last made progress, `restarts` how often kept bytes were thrown away since the file was last completed
  ///   or its download ordered. `named` says who has named the URL: 0 for a person, 1 for a feed, 2 for one at a public
  ///   address, 3 at a private one.
  /// - `texts`: the words of folded titles and podcasts, without the texts themselves; `TextIndex` maintains it.
  /// - `counts`, `class_counts`, `facets`: the number of rows of each state, class, and podcast, host and class
  ///   (podcast 0 is none); `TraitCounts` maintains the latter two. `usage` has the total size of all files and of the
  ///   complete ones.
  /// - `lanes`: the first admissible download of each host and kind (`QueueKey`): finding the next one to run costs one
  ///   look-up, independent of the queue's length, and a lane that is blocked holds up no other.
  /// - `deletions`: files that are to go. `mtime` is the time of a file that is spared if it was written to since; NULL
  ///   if its deletion was asked for.
  /// - `verifications`: a number is never reused, so that a late report on one cannot concern another.
  ///
  /// Each index ends with the key, so that the rows of a class are in the order of their addition.
  static let downloads = """
    CREATE TABLE downloads (
      key INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE CHECK (length(id) BETWEEN 1 AND 128),
      url TEXT NOT NULL CHECK (length(url) BETWEEN 1 AND 8192),
      url_hash INTEGER NOT NULL,
      host TEXT NOT NULL CHECK (length(host) > 0),
      podcast TEXT,
      title TEXT,
      published INTEGER,
      wanted_path TEXT,
      headers TEXT CHECK (headers IS NULL OR json_valid(headers)),
      mirrors TEXT CHECK (mirrors IS NULL OR json_valid(mirrors)),
      integrity TEXT,
      expected_length INTEGER CHECK (expected_length >= 0),
      priority INTEGER NOT NULL CHECK (priority BETWEEN 0 AND 2),
      position INTEGER NOT NULL CHECK (abs(position) < 1 << 62),
      origin TEXT NOT NULL CHECK (origin IN ('user', 'auto')),
      state TEXT NOT NULL CHECK ((state = 'queued' OR state = 'waiting' OR state = 'running' OR state = 'paused'
        OR state = 'completed' OR state = 'failed')),
      phase TEXT CHECK ((phase = 'connecting' OR phase = 'receiving' OR phase = 'verifying'
        OR phase = 'publishing')),
      reason TEXT CHECK ((reason = 'network' OR reason = 'policy' OR reason = 'retry' OR reason = 'host'
        OR reason = 'storage' OR reason = 'schedule' OR reason = 'budget' OR reason = 'auth')),
      retry_at INTEGER,
      error_code TEXT,
      error_message TEXT,
      error_status INTEGER,
      error_cause TEXT,
      path TEXT,
      file_length INTEGER CHECK (file_length >= 0),
      inode INTEGER,
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
      added_at INTEGER NOT NULL,
      started_at INTEGER,
      finished_at INTEGER,
      held INTEGER NOT NULL CHECK (held IN (0, 1)),
      class INTEGER NOT NULL DEFAULT 0 CHECK (class BETWEEN 0 AND (1 << 36) - 1),
      length INTEGER CHECK (length >= 0),
      network INTEGER NOT NULL DEFAULT 0 CHECK (network BETWEEN 0 AND 2),
      podcast_network INTEGER NOT NULL DEFAULT 0 CHECK (podcast_network BETWEEN 0 AND 2),
      error_short INTEGER CHECK (error_short IS NULL OR (error_short >= 0 AND error_code IS NOT NULL)),
      mtime INTEGER CHECK (mtime IS NULL OR path IS NOT NULL),
      modified_at INTEGER CHECK (modified_at IS NULL OR state = 'completed'),
      published_offset INTEGER CHECK (published_offset IS NULL OR (published IS NOT NULL
        AND published_offset BETWEEN -86340 AND 86340)),
      title_key TEXT,
      original_length INTEGER CHECK (original_length IS NULL OR (original_length >= 0 AND path IS NOT NULL)),
      original_sha256 TEXT CHECK (original_sha256 IS NULL OR (original_length IS NOT NULL
        AND length(original_sha256) = 64 AND original_sha256 NOT GLOB '*[^0-9a-f]*')),
      untagged TEXT CHECK (untagged IS NULL OR (original_length IS NULL AND path IS NOT NULL)),
      session INTEGER CHECK (session BETWEEN 1 AND 1000),
      fresh_addresses INTEGER NOT NULL DEFAULT 0 CHECK (fresh_addresses >= 0),
      restarts INTEGER NOT NULL DEFAULT 0 CHECK (restarts >= 0),
      named INTEGER NOT NULL DEFAULT 0 CHECK (named BETWEEN 0 AND 3),
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
    CREATE INDEX downloads_order ON downloads (priority, position);
    CREATE INDEX downloads_running ON downloads (key) WHERE state = 'running';
    CREATE INDEX downloads_retry ON downloads (retry_at) WHERE state = 'waiting' AND retry_at IS NOT NULL;
    CREATE INDEX downloads_held ON downloads (id) WHERE held = 1;
    CREATE INDEX downloads_path ON downloads (path) WHERE path IS NOT NULL;
    CREATE INDEX downloads_failed_wish ON downloads (wanted_path) WHERE state = 'failed'
      AND wanted_path IS NOT NULL;
    CREATE INDEX downloads_inode ON downloads (inode) WHERE inode IS NOT NULL;
    CREATE INDEX downloads_kept ON downloads (id) WHERE durable > 0 AND state <> 'completed';
    CREATE INDEX downloads_class ON downloads (class);
    CREATE INDEX downloads_podcast ON downloads (podcast);
    CREATE INDEX downloads_published ON downloads (published);
    CREATE INDEX downloads_undated ON downloads (added_at) WHERE published IS NULL;
    CREATE INDEX downloads_length ON downloads (length);
    CREATE INDEX downloads_roomless ON downloads (retry_at) WHERE reason = 'storage';
    CREATE INDEX downloads_title ON downloads (title_key);
    CREATE INDEX downloads_session ON downloads (session) WHERE session IS NOT NULL;
    CREATE INDEX downloads_admissible ON downloads (host, class & \(QueueKey.kindMask), priority, position)
      WHERE state = 'queued' AND held = 0;
    CREATE INDEX downloads_url ON downloads (url_hash, published);
    CREATE VIRTUAL TABLE texts USING fts5 (
      title, podcast, content = '', detail = none, columnsize = 0,
      tokenize = "unicode61 remove_diacritics 0 categories 'L* N* Co M*'");
    CREATE TABLE counts (
      state TEXT PRIMARY KEY CHECK ((state = 'queued' OR state = 'waiting' OR state = 'running' OR state = 'paused'
        OR state = 'completed' OR state = 'failed')),
      number INTEGER NOT NULL CHECK (number >= 0)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE class_counts (
      class INTEGER PRIMARY KEY,
      number INTEGER NOT NULL CHECK (number > 0)
    ) STRICT;
    CREATE TABLE facets (
      podcast ANY NOT NULL,
      host TEXT NOT NULL,
      class INTEGER NOT NULL,
      number INTEGER NOT NULL CHECK (number > 0),
      PRIMARY KEY (host, podcast, class)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE usage (
      singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
      bytes INTEGER NOT NULL CHECK (bytes >= 0),
      complete INTEGER NOT NULL DEFAULT 0 CHECK (complete >= 0)
    ) STRICT;
    CREATE TABLE lanes (
      host TEXT NOT NULL,
      kind INTEGER NOT NULL CHECK (kind & \(QueueKey.kindMask) = kind),
      priority INTEGER NOT NULL,
      position INTEGER NOT NULL,
      PRIMARY KEY (host, kind)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX lanes_order ON lanes (priority, position);
    CREATE INDEX lanes_session ON lanes (kind >> 26, priority, position) WHERE kind >> 26 <> 0;
    CREATE TABLE cooldowns (
      host TEXT PRIMARY KEY CHECK (length(host) > 0),
      until INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE discards (
      cause TEXT PRIMARY KEY,
      bytes INTEGER NOT NULL CHECK (bytes >= 0)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE deletions (
      key INTEGER PRIMARY KEY AUTOINCREMENT,
      download TEXT NOT NULL,
      path TEXT,
      file_length INTEGER,
      inode INTEGER,
      ready INTEGER NOT NULL CHECK (ready IN (0, 1)),
      quarantine INTEGER NOT NULL DEFAULT 0 CHECK (quarantine IN (0, 1)),
      mtime INTEGER,
      CHECK ((path IS NULL) = (file_length IS NULL) AND (path IS NULL) = (inode IS NULL))
    ) STRICT;
    CREATE INDEX deletions_download ON deletions (download);
    CREATE INDEX deletions_ready ON deletions (key) WHERE ready = 1;
    CREATE INDEX deletions_pending ON deletions (key) WHERE ready = 0;
    CREATE INDEX deletions_file ON deletions (inode) WHERE inode IS NOT NULL;
    CREATE TABLE verifications (
      key INTEGER PRIMARY KEY AUTOINCREMENT,
      download INTEGER NOT NULL UNIQUE REFERENCES downloads (key) ON DELETE CASCADE
    ) STRICT;
    """
}
