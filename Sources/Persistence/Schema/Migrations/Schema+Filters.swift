import Flux
import GRDB
import PodfluxCore

/// Columns and tables for filters, orders and text search: migration 6.
extension Schema {
  static func addFilters(to db: Database) throws {
    try db.execute(sql: traits)
    try FormerRows.classify(in: db)
    try db.execute(sql: orders)
    try db.execute(sql: facets)
    try db.execute(sql: texts)
  }

  /// `class` is a row's `PackedTraits`, `length` the file's length if known. The calendar holds the day on which ages
  /// depend.
  private static let traits = """
    ALTER TABLE downloads ADD COLUMN class INTEGER NOT NULL DEFAULT 0 CHECK (class BETWEEN 0 AND (1 << 26) - 1);
    ALTER TABLE downloads ADD COLUMN length INTEGER CHECK (length >= 0);
    CREATE TABLE calendar (
      singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
      day INTEGER NOT NULL
    ) STRICT;
    INSERT INTO calendar SELECT 1, coalesce(max(added_at), 0) / 86400000 FROM downloads;
    CREATE TABLE filters (
      singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
      json TEXT NOT NULL CHECK (json_valid(json))
    ) STRICT;
    """

  /// Each index ends with the key, so that the rows of a class are in the order of their addition.
  private static let orders = """
    CREATE INDEX downloads_class ON downloads (class);
    CREATE INDEX downloads_podcast ON downloads (podcast);
    CREATE INDEX downloads_published ON downloads (published);
    CREATE INDEX downloads_undated ON downloads (added_at) WHERE published IS NULL;
    CREATE INDEX downloads_title ON downloads (title COLLATE NOCASE);
    CREATE INDEX downloads_length ON downloads (length);
    """

  /// The number of rows for each podcast, host and class; 0 means no podcast. `TraitCounts` maintains it. The classes
  /// of a podcast are adjacent: a row that changes its class touches one page.
  private static let facets = """
    CREATE TABLE facets (
      podcast ANY NOT NULL,
      host TEXT NOT NULL,
      class INTEGER NOT NULL,
      number INTEGER NOT NULL CHECK (number > 0),
      PRIMARY KEY (host, podcast, class)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO facets SELECT coalesce(podcast, 0), host, class, count(*) FROM downloads GROUP BY 1, 2, 3;
    """

  /// The words of titles and podcasts, without case and diacritics. Only `downloads` holds the texts; `TextIndex` keeps
  /// the index up to date.
  private static let texts = """
    CREATE VIRTUAL TABLE texts USING fts5 (
      title, podcast, content = 'downloads', content_rowid = 'key', detail = none, columnsize = 0,
      tokenize = 'unicode61 remove_diacritics 2');
    INSERT INTO texts (texts) VALUES ('rebuild');
    """
}

/// The rows of a library without classes, as migration 6 finds them. It has its own reader: the current code reads
/// later forms of the table.
private struct FormerRows: StatementRow {
  /// How many rows are in memory at once.
  private static let batch = 1000

  let key: Int64
  let length: Int64?
  private let traits: (Int64) -> Traits

  static func classify(in db: Database) throws {
    let today = try Int64.fetchOne(db, sql: "SELECT day FROM calendar") ?? 0
    let select = try db.makeStatement(
      sql: """
        SELECT key, state, held, reason, error_code, path, url, coalesce(file_length, total, expected_length), published,
          added_at, origin
        FROM downloads WHERE key > ? ORDER BY key LIMIT \(batch)
        """)
    let update = try db.makeStatement(sql: "UPDATE downloads SET class = ?, length = ? WHERE key = ?")
    var rows = try fetchAll(select, arguments: [Int64.min])
    while let last = rows.last {
      for row in rows { try update.execute(arguments: [PackedTraits(row.traits(today)).code, row.length, row.key]) }
      rows = try fetchAll(select, arguments: [last.key])
    }
  }

  init(_ columns: inout ColumnReader) throws {
    key = try columns.next()
    guard let kind = DownloadState.Kind(rawValue: try columns.next()) else { throw DamagedRow(column: "state") }
    let isHeld: Bool = try columns.next()
    let (reason, error): (String?, String?) = try (columns.next(), columns.next())
    let (path, url): (String?, String) = try (columns.next(), columns.next())
    let length: Int64? = try columns.next()
    let (published, added): (Timestamp?, Timestamp?) = try (columns.moment(), columns.moment())
    guard let origin = Origin(rawValue: try columns.next()), let moment = published ?? added else {
      throw DamagedRow(column: "origin")
    }
    self.length = length
    traits = { today in
      Traits(
        kind: kind, isHeld: isHeld, reason: reason.flatMap(WaitingReason.init(rawValue:)),
        error: error.flatMap(DownloadError.Code.init(rawValue:)),
        media: path.map { MediaKind(ofFileNamed: $0) } ?? MediaKind(ofURL: url), size: SizeClass(bytes: length),
        age: AgeClass(days: today - moment.day), origin: origin, network: .inherit)
    }
  }
}
