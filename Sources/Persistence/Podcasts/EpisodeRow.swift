import Flux
import Foundation
import GRDB
import PodfluxCore
import Texts

/// Converts between a row of `episodes` and its value. It validates rows like any other input.
struct StoredEpisode: StatementRow {
  let episode: Episode

  /// The columns of what its feed says, and what follows from it.
  private static let content = ColumnList { columns in
    var content = EpisodeContent()
    content.exchange(with: &columns)
  }

  private static let columns =
    ["key", "feed"] + content.read
    + ["missing", "played", "favorite", "archived", "download", "added_at", "ruling", "backdated"]

  /// Whether the feed of an episode is subscribed to.
  static let isOfFeed = "feed NOT IN (SELECT key FROM left_feeds)"

  /// Reads the columns in the order of `init`.
  static let select = "SELECT " + columns.map { "episodes.\($0)" }.joined(separator: ", ")

  init(_ columns: inout ColumnReader) throws {
    let (key, feed) = try (columns.next(.episode), columns.next(.log))
    var content = EpisodeContent()
    try content.exchange(with: &columns)
    let isMissing: Bool = try columns.next()
    let marks = try Episode.Marks(isPlayed: columns.next(), isFavorite: columns.next(), isArchived: columns.next())
    let download = try columns.nextIfPresent { DownloadID($0) }
    let added = Timestamp(milliseconds: try columns.next(.moment))
    let (ruling, isBackdated) = try (Episode.Ruling(stored: columns.next()), columns.next() as Bool)
    episode = Episode(
      id: EpisodeID(number: key), feed: feed, content: content, isMissingFromFeed: isMissing, marks: marks,
      download: download, added: added, ruling: ruling, isBackdated: isBackdated)
  }
}

extension EpisodeContent {
  /// The form of what a feed says of an episode.
  fileprivate mutating func exchange<Coder: ColumnCoder>(with columns: inout Coder) throws(Coder.Fault) {
    try columns.text("guid", &guid)
    var (address, bytes, mediaType) = (enclosure?.address, enclosure?.length, enclosure?.mediaType)
    try columns.address("url", &address)
    try columns.integer("bytes", &bytes, in: .length)
    try columns.text("media_type", &mediaType)
    enclosure = address.map { Enclosure(address: $0, mediaType: mediaType, length: bytes) }
    try columns.text("title", &title)
    try columns.publicationDate(&published)
    try columns.integer("seconds", &seconds, in: .length)
    try columns.address("link", &link)
    try columns.integer("season", &season, in: .any)
    try columns.text("number", &number)
    try columns.choice("kind", &kind)
    try columns.address("chapters", &chapters)
    try columns.address("transcript", &transcript)
    try columns.list("alternates", &alternates, StoredAlternate.alternates, StoredAlternate.init)
    try columns.address("image", &image)
    try columns.derived("fingerprint", fingerprint)
    try columns.derived("title_key", DownloadRow.text(title).map(FoldedText.of))
    try columns.derived("media", mediaKind.rowCode)
  }
}

extension StoredEpisode {
  /// How many rows `insertions` inserts. A statement opens the table and each of its indexes once, which costs as much
  /// as to insert into three of them.
  static let rowsAtOnce = 8

  /// Inserts an episode without marks; binds the key, the feed, the moment of adding, whether it appears late, and what
  /// `write` writes.
  static let insertion = insertion(of: 1)

  /// The same for `rowsAtOnce` episodes, one after the other.
  static let insertions = insertion(of: rowsAtOnce)

  private static func insertion(of rows: Int) -> String {
    let row = "(?, ?, ?, ?, 0, 0, 0, 0, " + content.written.map { _ in "?" }.joined(separator: ", ") + ")"
    return "INSERT INTO episodes (key, feed, added_at, backdated, missing, played, favorite, archived, "
      + content.written.joined(separator: ", ") + ") VALUES "
      + Array(repeating: row, count: rows).joined(separator: ", ")
  }

  /// Replaces an episode's content, which its feed has, and returns its download; binds what `write` writes, the key,
  /// and the feed.
  static let update =
    "UPDATE episodes SET missing = 0, " + content.written.map { "\($0) = ?" }.joined(separator: ", ")
    + " WHERE key = ? AND feed = ? RETURNING download"

  /// Binds what a feed says of an episode, and leaves that as it is.
  static func write(_ content: inout EpisodeContent, to arguments: inout ArgumentWriter) throws {
    try content.exchange(with: &arguments)
  }
}

/// An alternate as the column holds it.
private struct StoredAlternate: Codable {
  var urls: [String]
  var type: String?
  var length: Int64?
  var title: String?
  var integrity: Integrity?
  var same: Bool

  init(_ alternate: EpisodeContent.Alternate) {
    urls = alternate.addresses.map(\.description)
    (type, length, title) = (alternate.mediaType, alternate.length, alternate.title)
    (integrity, same) = (alternate.integrity, alternate.isEnclosure)
  }

  /// The alternates that a column holds; nil for damage.
  static func alternates(_ stored: [Self]) -> [EpisodeContent.Alternate]? {
    let alternates = stored.compactMap(\.alternate)
    return alternates.count == stored.count && stored.count <= EpisodeContent.Limits.alternates ? alternates : nil
  }

  private var alternate: EpisodeContent.Alternate? {
    let addresses = urls.compactMap { try? WebAddress($0) }
    guard addresses.count == urls.count, (1...EpisodeContent.Limits.addresses).contains(urls.count),
      length.map(StoredNumber.length.range.contains) ?? true
    else { return nil }
    return EpisodeContent.Alternate(
      addresses: addresses, mediaType: type, length: length, title: title, integrity: integrity, isEnclosure: same)
  }
}

/// The columns that identify an episode (`EpisodeTraces`).
struct StoredTraces: StatementRow {
  let traces: EpisodeTraces

  /// Reads the columns in the order of `init`.
  static let select =
    "SELECT key, guid, url, title, published, seconds, bytes, fingerprint, missing FROM episodes WHERE feed = ? ORDER BY key"

  init(_ columns: inout ColumnReader) throws {
    let key = try columns.next(.episode)
    traces = EpisodeTraces(
      id: EpisodeID(number: key), guid: try columns.next(),
      enclosure: try columns.nextIfPresent { try? WebAddress($0) }, title: try columns.next(),
      published: try columns.moment(), seconds: try columns.nextIfPresent(.length),
      bytes: try columns.nextIfPresent(.length), formerNames: .init(), fingerprint: try columns.next(),
      isMissingFromFeed: try columns.next())
  }
}
