import Flux
import GRDB
import PodfluxCore

/// Reads what rules look at of an episode.
struct StoredRuledEpisode: StatementRow {
  let episode: RuledEpisode

  /// Where an episode stands among others, over the columns of `episodes`.
  static let moment = "min(coalesce(published, added_at), added_at)"
  /// Whether it has a place among those that were there, but for the condition.
  static let isThere = "url IS NOT NULL AND missing = 0"

  /// Reads the columns in the order of `init`, over `chosen`: rows of `episodes` with `matches` and `moment`. Of
  /// rulings those alone count by which an episode was passed over.
  ///
  /// A download that another episode has too is no rule's to delete.
  static let select = """
    SELECT chosen.key, chosen.moment AS "episodes.published or added_at", chosen.added_at, chosen.bytes,
      chosen.has_file, chosen.matches AS "that was read", chosen.missing, chosen.archived, chosen.favorite,
      chosen.backdated, iif(chosen.ruled = 3, chosen.ruling, NULL), chosen.download IS NOT NULL,
      downloads.state, downloads.origin = 'auto' AND chosen.ruled IS 1 AND NOT EXISTS (
        SELECT 1 FROM episodes AS others WHERE others.download = chosen.download AND others.key <> chosen.key),
      iif(downloads.state = 'completed', downloads.file_length, coalesce(downloads.total, downloads.expected_length))
        AS "file_length, total or expected_length",
      downloads.finished_at, coalesce(downloads.durable, 0) > 0
    FROM chosen LEFT JOIN downloads ON downloads.id = chosen.download
    """

  init(_ columns: inout ColumnReader) throws {
    let id = EpisodeID(number: try columns.next(.episode))
    let place = RuledEpisode.Place(
      moment: Timestamp(milliseconds: try columns.next(.moment)),
      added: Timestamp(milliseconds: try columns.next(.moment)), id: id)
    let claimed = try columns.nextIfPresent(.length)
    let (hasFile, isMatching): (Bool, Bool) = try (columns.next(), columns.next())
    let (isMissing, isArchived): (Bool, Bool) = try (columns.next(), columns.next())
    let (isFavorite, isBackdated): (Bool, Bool) = try (columns.next(), columns.next())
    let ruling = try Episode.Ruling(stored: columns.next())
    let hadDownload: Bool = try columns.next()
    let kind = try (columns.next() as String?).map { try Damaged.checked("state", DownloadState.Kind(rawValue: $0)) }
    let isOfRule: Bool? = try columns.next()
    let length = try columns.nextIfPresent(.length)
    let finished = try columns.moment()
    let hasBytes: Bool = try columns.next()
    let presence: RuledEpisode.Presence =
      switch kind {
      case nil: hadDownload ? .gone : .never
      case _ where isOfRule != true: .requested
      case .failed: .ruled(.failed)
      case .completed:
        .ruled(.completed(bytes: length ?? 0, at: try Damaged.checked("finished_at", finished)))
      case .queued, .waiting: .ruled(hasBytes ? .pending : .untouched)
      case .running, .paused: .ruled(.pending)
      }
    var passedOver: RuleReason?
    if case .passedOver(let reason)? = ruling { passedOver = reason }
    episode = RuledEpisode(
      id: id, place: place, length: length ?? claimed, hasFile: hasFile, isMatching: isMatching,
      isMissingFromFeed: isMissing, isArchived: isArchived, isFavorite: isFavorite, isBackdated: isBackdated,
      passedOver: passedOver, download: presence)
  }
}

/// Reads what rules need to know of a feed that has some.
struct StoredRuledFeed: StatementRow {
  let key: Feed.Key
  /// As they are kept.
  let rules: String
  let standing: Feed.Standing

  /// Reads the columns in the order of `init`; binds a list of keys.
  static let select = """
    SELECT key, rules, rule_line, allowance, rules_at FROM feeds
    WHERE key IN (SELECT value FROM json_each(?)) AND rules IS NOT NULL ORDER BY key
    """

  init(_ columns: inout ColumnReader) throws {
    key = try columns.next(.log)
    rules = try columns.next()
    standing = try Feed.Standing(
      watermark: columns.nextIfPresent(.log), allowance: columns.next(.log), due: columns.moment())
  }
}

extension Episode.Ruling {
  /// Reads a column; nil for NULL.
  init?(stored text: String?) throws {
    guard let text else { return nil }
    let ruling: Self = try StoredJSON.value(of: text, column: "episodes.ruling")
    self = try Damaged.checked("episodes.ruling", ruling.isPlausible ? ruling : nil)
  }

  /// Whether its numbers count something: clients are shown them.
  private var isPlausible: Bool {
    switch self {
    case .downloaded(let reason), .deleted(let reason), .passedOver(let reason):
      reason.rank ?? 0 >= 0 && reason.limit ?? 0 >= 0
    }
  }

  /// The kind of deed, as the index knows it.
  var rowCode: Int64 {
    switch self {
    case .downloaded: 1
    case .deleted: 2
    case .passedOver: 3
    }
  }
}
