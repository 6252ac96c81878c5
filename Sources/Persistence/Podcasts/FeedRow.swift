import Flux
import Foundation
import GRDB
import PodfluxCore
import Texts

/// Converts between a row of `feeds` and its value. It validates rows like any other input.
struct StoredFeed: StatementRow {
  let feed: Feed

  private static let columns = [
    "key", "id", "url", "title", "grouping", "headers", "user_agent", "network", "paused", "podcast", "refreshed_at",
    "next_at", "failures", "error_code", "error_message", "error_status", "validators", "former_urls", "rhythm",
    "ended",
    "asked", "episodes", "added_at",
  ]

  /// Reads the columns in the order of `init`.
  static let select = "SELECT " + columns.map { "feeds.\($0)" }.joined(separator: ", ")

  init(_ columns: inout ColumnReader) throws {
    let key = try columns.next(.log)
    let id = try Damaged.checked("feeds.id", FeedID(columns.next()))
    let address = try Damaged.checked("feeds.url", try? WebAddress(columns.next()))
    let wishes = try Feed.Wishes(
      title: columns.next(), group: columns.next(),
      headers: (columns.next() as String?).map { try StoredJSON.value(of: $0, column: "feeds.headers") } ?? [],
      userAgent: columns.next(), network: Damaged.checked("feeds.network", NetworkPolicy(rowCode: columns.next())),
      isPaused: columns.next())
    let podcast: PodcastContent? = try (columns.next() as String?).map {
      try StoredJSON.value(of: $0, column: "feeds.podcast")
    }
    let refreshes = try Self.refreshes(&columns)
    feed = Feed(
      key: key, id: id, address: address, wishes: wishes, podcast: podcast, refreshes: refreshes,
      episodes: try columns.next(.count), added: Timestamp(milliseconds: try columns.next(.moment)))
  }

  private static func refreshes(_ columns: inout ColumnReader) throws -> Feed.Refreshes {
    let last = try columns.moment()
    var refreshes = Feed.Refreshes(last: last, next: Timestamp(milliseconds: try columns.next(.moment)))
    refreshes.failures = Int(try columns.next(.failures))
    refreshes.error = try error(&columns)
    refreshes.validators = try StoredJSON.value(of: columns.next(), column: "feeds.validators")
    let former: [String] =
      try (columns.next() as String?).map { try StoredJSON.value(of: $0, column: "feeds.former_urls") } ?? []
    refreshes.formerAddresses = try former.map { try Damaged.checked("feeds.former_urls", try? WebAddress($0)) }
    refreshes.rhythm = try (columns.next() as String?).map { try StoredJSON.value(of: $0, column: "feeds.rhythm") }
    (refreshes.hasEnded, refreshes.isAsked) = try (columns.next(), columns.next())
    return refreshes
  }

  private static func error(_ columns: inout ColumnReader) throws -> DownloadError? {
    let (code, message): (String?, String?) = try (columns.next(), columns.next())
    let status: Int? = try columns.next()
    guard let code else { return nil }
    return DownloadError(
      try Damaged.checked("feeds.error_code", DownloadError.Code(rawValue: code)), message ?? "", status: status)
  }
}

extension StoredFeed {
  private static let written = [
    "id", "url", "url_hash", "host", "title", "grouping", "headers", "user_agent", "network", "paused", "podcast",
    "title_key", "refreshed_at", "next_at", "due_at", "failures", "error_code", "error_message", "error_status",
    "validators", "former_urls", "rhythm", "ended", "asked", "episodes", "added_at",
  ]

  /// Inserts a row; binds what `write` writes.
  static let insertion =
    "INSERT INTO feeds (" + written.joined(separator: ", ") + ") VALUES ("
    + written.map { _ in "?" }.joined(separator: ", ") + ")"

  /// Updates a row; binds what `write` writes, then the key.
  static let update = "UPDATE feeds SET " + written.map { "\($0) = ?" }.joined(separator: ", ") + " WHERE key = ?"

  static func write(_ feed: Feed, to arguments: inout ArgumentWriter) throws {
    let (wishes, refreshes) = (feed.wishes, feed.refreshes)
    try arguments.write(feed.id.description)
    try arguments.write(feed.address.description)
    try arguments.write(DownloadRow.hash(feed.address))
    try arguments.write(feed.address.host)
    try arguments.write(DownloadRow.text(wishes.title))
    try arguments.write(DownloadRow.text(wishes.group))
    try arguments.write(wishes.headers.isEmpty ? nil : try StoredJSON.text(wishes.headers))
    try arguments.write(DownloadRow.text(wishes.userAgent))
    try arguments.write(wishes.network.rowCode)
    try arguments.write(wishes.isPaused ? 1 : 0)
    try arguments.write(try feed.podcast.map { try StoredJSON.text($0) })
    try arguments.write(FoldedText.of(DownloadRow.text(feed.shownTitle) ?? ""))
    try arguments.write(refreshes.last?.milliseconds)
    try arguments.write(refreshes.next.milliseconds)
    try arguments.write(feed.due?.milliseconds)
    try arguments.write(refreshes.failures)
    try arguments.write(refreshes.error?.code.rawValue)
    try arguments.write(DownloadRow.text(refreshes.error?.message))
    try arguments.write(refreshes.error?.status)
    try arguments.write(try StoredJSON.text(refreshes.validators))
    try arguments.write(
      refreshes.formerAddresses.isEmpty ? nil : try StoredJSON.text(refreshes.formerAddresses.map(\.description)))
    try arguments.write(try refreshes.rhythm.map { try StoredJSON.text($0) })
    try arguments.write(refreshes.hasEnded ? 1 : 0)
    try arguments.write(refreshes.isAsked ? 1 : 0)
    try arguments.write(feed.episodes)
    try arguments.write(feed.added.milliseconds)
  }
}

/// What no version of this code writes.
enum Damaged {
  /// The value of a column.
  ///
  /// - Throws: `DamagedRow` if the column holds none that can be.
  static func checked<Value>(_ column: String, _ value: Value?) throws -> Value {
    guard let value else { throw DamagedRow(column: column) }
    return value
  }
}
