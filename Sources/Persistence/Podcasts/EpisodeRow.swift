import Flux
import Foundation
import GRDB
import PodfluxCore
import Texts

/// Converts between a row of `episodes` and its value. It validates rows like any other input.
struct StoredEpisode: StatementRow {
  let episode: Episode

  private static let columns = [
    "key", "feed", "guid", "url", "title", "published", "published_offset", "seconds", "bytes", "media_type", "link",
    "season", "number", "kind", "chapters", "transcript", "alternates", "missing", "played", "favorite", "archived",
    "download", "added_at", "ruling", "backdated", "image",
  ]

  /// Whether the feed of an episode is subscribed to.
  static let isOfFeed = "feed NOT IN (SELECT key FROM left_feeds)"

  /// Reads the columns in the order of `init`.
  static let select = "SELECT " + columns.map { "episodes.\($0)" }.joined(separator: ", ")

  init(_ columns: inout ColumnReader) throws {
    let (key, feed) = try (columns.next(.episode), columns.next(.log))
    let told = try Self.content(&columns)
    let isMissing: Bool = try columns.next()
    let marks = try Episode.Marks(isPlayed: columns.next(), isFavorite: columns.next(), isArchived: columns.next())
    let download = try (columns.next() as String?).map { try Damaged.checked("episodes.download", DownloadID($0)) }
    let added = Timestamp(milliseconds: try columns.next(.moment))
    let (ruling, isBackdated) = try (Episode.Ruling(stored: columns.next()), columns.next() as Bool)
    var content = told
    content.image = try Self.address(columns.next(), "image")
    episode = Episode(
      id: EpisodeID(number: key), feed: feed, content: content, isMissingFromFeed: isMissing, marks: marks,
      download: download, added: added, ruling: ruling, isBackdated: isBackdated)
  }

  private static func content(_ columns: inout ColumnReader) throws -> EpisodeContent {
    var content = EpisodeContent(guid: try columns.next())
    let url: String? = try columns.next()
    content.title = try columns.next()
    let (published, offset): (Timestamp?, Int64?) = try (columns.moment(), columns.next())
    content.published = try published.map {
      try Damaged.checked("episodes.published_offset", PublicationDate($0, offsetSeconds: offset ?? 0))
    }
    content.seconds = try columns.nextIfPresent(.length)
    let (bytes, mediaType): (Int64?, String?) = try (columns.nextIfPresent(.length), columns.next())
    content.enclosure = try address(url, "url").map {
      EpisodeContent.Enclosure(address: $0, mediaType: mediaType, length: bytes)
    }
    content.link = try address(columns.next(), "link")
    (content.season, content.number) = try (columns.next(), columns.next())
    content.kind = try (columns.next() as String?).map {
      try Damaged.checked("episodes.kind", EpisodeContent.Kind(rawValue: $0))
    }
    content.chapters = try address(columns.next(), "chapters")
    content.transcript = try address(columns.next(), "transcript")
    if let text: String = try columns.next() {
      let alternates: [StoredAlternate] = try StoredJSON.value(of: text, column: "episodes.alternates")
      guard alternates.count <= EpisodeContent.Limits.alternates else { throw StoredAlternate.damage }
      content.alternates = try alternates.map { try $0.alternate() }
    }
    return content
  }

  private static func address(_ text: String?, _ column: String) throws -> WebAddress? {
    try text.map { try Damaged.checked("episodes.\(column)", try? WebAddress($0)) }
  }
}

extension StoredEpisode {
  private static let contentColumns = [
    "guid", "url", "title", "published", "published_offset", "seconds", "bytes", "media_type", "link", "season",
    "number",
    "kind", "chapters", "transcript", "alternates", "fingerprint", "title_key", "media", "image",
  ]

  /// Inserts an episode without marks; binds the key, the feed, the moment of adding, whether it appears late, and what
  /// `write` writes.
  static let insertion =
    "INSERT INTO episodes (key, feed, added_at, backdated, missing, played, favorite, archived, "
    + contentColumns.joined(separator: ", ")
    + ") VALUES (?, ?, ?, ?, 0, 0, 0, 0, " + contentColumns.map { _ in "?" }.joined(separator: ", ") + ")"

  /// Replaces an episode's content, which its feed has, and returns its download; binds what `write` writes, the key,
  /// and the feed.
  static let update =
    "UPDATE episodes SET missing = 0, " + contentColumns.map { "\($0) = ?" }.joined(separator: ", ")
    + " WHERE key = ? AND feed = ? RETURNING download"

  static func write(_ content: EpisodeContent, to arguments: inout ArgumentWriter) throws {
    let title = DownloadRow.text(content.title)
    let enclosure = content.enclosure
    try arguments.write(DownloadRow.text(content.guid))
    try arguments.write(enclosure?.address.description)
    try arguments.write(title)
    try arguments.write(content.published?.moment.milliseconds)
    try arguments.write(content.published.flatMap { $0.offsetSeconds == 0 ? nil : $0.offsetSeconds })
    try arguments.write(content.seconds)
    try arguments.write(enclosure?.length)
    try arguments.write(DownloadRow.text(enclosure?.mediaType))
    try arguments.write(content.link?.description)
    try arguments.write(content.season)
    try arguments.write(DownloadRow.text(content.number))
    try arguments.write(content.kind?.rawValue)
    try arguments.write(content.chapters?.description)
    try arguments.write(content.transcript?.description)
    try arguments.write(
      content.alternates.isEmpty ? nil : try StoredJSON.text(content.alternates.map(StoredAlternate.init)))
    try arguments.write(content.fingerprint)
    try arguments.write(title.map(FoldedText.of))
    try arguments.write(content.mediaKind.rowCode)
    try arguments.write(content.image?.description)
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

  static let damage = DamagedRow(column: "episodes.alternates")

  func alternate() throws -> EpisodeContent.Alternate {
    let addresses = urls.compactMap { try? WebAddress($0) }
    guard addresses.count == urls.count, (1...EpisodeContent.Limits.addresses).contains(urls.count),
      length.map(StoredNumber.length.range.contains) ?? true
    else { throw Self.damage }
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
    let (guid, url, title): (String?, String?, String?) = try (columns.next(), columns.next(), columns.next())
    traces = EpisodeTraces(
      id: EpisodeID(number: key), guid: guid,
      enclosure: try url.map { try Damaged.checked("episodes.url", try? WebAddress($0)) }, title: title,
      published: try columns.moment(), seconds: try columns.nextIfPresent(.length),
      bytes: try columns.nextIfPresent(.length), formerNames: .init(), fingerprint: try columns.next(),
      isMissingFromFeed: try columns.next())
  }
}
