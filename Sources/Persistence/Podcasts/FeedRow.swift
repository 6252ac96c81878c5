import Flux
import GRDB
import PodfluxCore
import Texts

/// Converts between a row of `feeds` and its value. It validates rows like any other input.
struct StoredFeed: StatementRow {
  let feed: Feed

  private static let columns = [
    "key", "id", "url", "title", "grouping", "headers", "user_agent", "network", "paused", "read", "own_title",
    "own_link", "own_image", "own_description", "own_language", "own_author", "own_guid", "refreshed_at", "next_at",
    "failures", "error_code", "error_message", "error_status", "entity_tag", "last_modified", "body_hash",
    "full_body_at", "distrusted", "notes", "former_urls", "interval_seconds", "quiet_hours", "quiet_days", "read_to",
    "ended", "asked", "rules", "filename_template", "rule_line", "allowance", "rules_at", "episodes", "added_at",
    "session", "read_from", "led",
  ]

  /// Reads the columns in the order of `init`.
  static let select = "SELECT " + columns.map { "feeds.\($0)" }.joined(separator: ", ")

  init(_ columns: inout ColumnReader) throws {
    let key = try columns.next(.log)
    let id = try Damaged.checked("feeds.id", FeedID(columns.next()))
    let address = try Damaged.checked("feeds.url", try? WebAddress(columns.next()))
    var wishes = try Feed.Wishes(
      title: columns.next(), group: columns.next(), headers: Self.headers(columns.next()),
      userAgent: columns.next(), network: Damaged.checked("feeds.network", NetworkPolicy(rowCode: columns.next())),
      isPaused: columns.next())
    let isRead: Bool = try columns.next()
    let podcast = try PodcastContent(
      title: columns.next(), link: columns.next(), image: columns.next(), description: columns.next(),
      language: columns.next(), author: columns.next(), guid: columns.next())
    var refreshes = try Self.refreshes(&columns)
    if let rules: String = try columns.next() {
      wishes.rules = try StoredRules.value(of: rules)
    }
    wishes.filenameTemplate = try (columns.next() as String?).map(Self.template)
    let standing = try Feed.Standing(
      line: columns.nextIfPresent(.log), allowance: columns.next(.log), due: columns.moment())
    let episodes = try columns.next(.count)
    let added = Timestamp(milliseconds: try columns.next(.moment))
    let session = try columns.nextIfPresent(.session)
    refreshes.readFrom = try Damaged.checked("feeds.read_from", AddressClass(rowCode: columns.next()))
    refreshes.isLed = try columns.next()
    feed = Feed(
      key: key, id: id, address: address, wishes: wishes, podcast: isRead ? podcast : nil, refreshes: refreshes,
      standing: standing, episodes: episodes, added: added, session: session)
  }

  private static func template(_ text: String) throws -> NameTemplate {
    try Damaged.checked("feeds.filename_template", text.isEmpty ? nil : try? NameTemplate(validating: text))
  }

  private static func refreshes(_ columns: inout ColumnReader) throws -> Feed.Refreshes {
    let last = try columns.moment()
    var refreshes = Feed.Refreshes(last: last, next: Timestamp(milliseconds: try columns.next(.moment)))
    refreshes.failures = Int(try columns.next(.failures))
    refreshes.error = try error(&columns)
    refreshes.validators = try FeedValidators(
      entityTag: columns.next(), lastModified: columns.next(), bodyHash: columns.next(), fullBodyAt: columns.moment(),
      isDistrusted: columns.next(), hasNotes: columns.next())
    let former: [String] = try list(columns.next(), "former_urls")
    refreshes.formerAddresses = try former.map { try Damaged.checked("feeds.former_urls", try? WebAddress($0)) }
    let interval: Int64? = try columns.next()
    let (hours, days): ([Int64], [Int64]) = try (
      list(columns.next(), "quiet_hours"), list(columns.next(), "quiet_days")
    )
    refreshes.rhythm = interval.map { FeedRhythm(intervalSeconds: $0, quietHours: hours, quietDays: days) }
    refreshes.readTo = try columns.next(.log)
    (refreshes.hasEnded, refreshes.isAsked) = try (columns.next(), columns.next())
    return refreshes
  }

  /// The elements of a list, of which an empty one is NULL.
  private static func list<Element: Decodable>(_ text: String?, _ column: String) throws -> [Element] {
    try text.map { try StoredJSON.value(of: $0, column: "feeds.\(column)") } ?? []
  }

  private static func headers(_ text: String?) throws -> [Header] {
    let headers: [Header] = try list(text, "headers")
    guard headers.areNamed else { throw DamagedRow(column: "feeds.headers") }
    return headers
  }

  private static func error(_ columns: inout ColumnReader) throws -> DownloadError? {
    let (code, message): (String?, String?) = try (columns.next(), columns.next())
    let status = try columns.status()
    guard let code else { return nil }
    return DownloadError(
      try Damaged.checked("feeds.error_code", DownloadError.Code(rawValue: code)), message ?? "", status: status)
  }
}

extension StoredFeed {
  /// What refreshes change at least.
  private static let refreshColumns = [
    "refreshed_at", "next_at", "due_at", "failures", "error_code", "error_message", "error_status", "entity_tag",
    "last_modified", "body_hash", "full_body_at", "distrusted", "notes", "interval_seconds", "quiet_hours",
    "quiet_days", "read_to", "ended", "asked", "read_from", "episodes",
  ]

  private static let otherColumns = [
    "id", "url", "url_hash", "host", "title", "grouping", "headers", "user_agent", "network", "paused", "read",
    "own_title", "own_link", "own_image", "own_description", "own_language", "own_author", "own_guid", "title_key",
    "former_urls", "rules", "filename_template", "added_at", "session", "led",
  ]

  /// Inserts a row; binds what `write` writes.
  static let insertion = {
    let columns = refreshColumns + otherColumns
    let values = columns.map { _ in "?" }.joined(separator: ", ")
    return "INSERT INTO feeds (" + columns.joined(separator: ", ") + ") VALUES (" + values + ")"
  }()

  /// Updates a row; binds what `write` writes, then the key.
  static let update = updating(refreshColumns + otherColumns)

  /// Updates what refreshes change; binds what `writeRefreshes` writes, then the key. SQLite writes the indexes of all
  /// columns that a statement names, whether they have changed or not.
  static let refreshUpdate = updating(refreshColumns)

  private static func updating(_ columns: [String]) -> String {
    "UPDATE feeds SET " + columns.map { "\($0) = ?" }.joined(separator: ", ") + " WHERE key = ?"
  }

  static func writeRefreshes(_ feed: Feed, to arguments: inout ArgumentWriter) throws {
    let (refreshes, validators) = (feed.refreshes, feed.refreshes.validators)
    try arguments.write(refreshes.last?.milliseconds)
    try arguments.write(refreshes.next.milliseconds)
    try arguments.write(feed.due?.milliseconds)
    try arguments.write(refreshes.failures)
    try arguments.write(refreshes.error?.code.rawValue)
    try arguments.write(DownloadRow.text(refreshes.error?.message))
    try arguments.write(refreshes.error?.status)
    try arguments.write(DownloadRow.text(validators.entityTag))
    try arguments.write(DownloadRow.text(validators.lastModified))
    try arguments.write(DownloadRow.text(validators.bodyHash))
    try arguments.write(validators.fullBodyAt?.milliseconds)
    try arguments.write(validators.isDistrusted ? 1 : 0)
    try arguments.write(validators.hasNotes ? 1 : 0)
    try arguments.write(refreshes.rhythm?.intervalSeconds)
    try arguments.write(try list(refreshes.rhythm?.quietHours ?? []))
    try arguments.write(try list(refreshes.rhythm?.quietDays ?? []))
    try arguments.write(refreshes.readTo)
    try arguments.write(refreshes.hasEnded ? 1 : 0)
    try arguments.write(refreshes.isAsked ? 1 : 0)
    try arguments.write(refreshes.readFrom.rowCode)
    try arguments.write(feed.episodes)
  }

  static func write(_ feed: Feed, to arguments: inout ArgumentWriter) throws {
    let (wishes, podcast) = (feed.wishes, feed.podcast)
    try writeRefreshes(feed, to: &arguments)
    try arguments.write(feed.id.description)
    try arguments.write(feed.address.description)
    try arguments.write(DownloadRow.hash(feed.address))
    try arguments.write(feed.address.host)
    try arguments.write(DownloadRow.text(wishes.title))
    try arguments.write(DownloadRow.text(wishes.group))
    try arguments.write(try list(wishes.headers))
    try arguments.write(DownloadRow.text(wishes.userAgent))
    try arguments.write(wishes.network.rowCode)
    try arguments.write(wishes.isPaused ? 1 : 0)
    try arguments.write(podcast == nil ? 0 : 1)
    for text in [
      podcast?.title, podcast?.link, podcast?.image, podcast?.description, podcast?.language, podcast?.author,
      podcast?.guid,
    ] {
      try arguments.write(DownloadRow.text(text))
    }
    try arguments.write(FoldedText.of(DownloadRow.text(feed.shownTitle) ?? ""))
    try arguments.write(try list(feed.refreshes.formerAddresses.map(\.description)))
    try arguments.write(wishes.rules == .none ? nil : try StoredJSON.text(wishes.rules))
    try arguments.write(DownloadRow.text(wishes.filenameTemplate?.text))
    try arguments.write(feed.added.milliseconds)
    try arguments.write(feed.session)
    try arguments.write(feed.refreshes.isLed ? 1 : 0)
  }

  private static func list(_ elements: [some Encodable]) throws -> String? {
    elements.isEmpty ? nil : try StoredJSON.text(elements)
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
