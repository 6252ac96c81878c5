import Flux
import GRDB
import PodfluxCore
import Texts

/// Converts between a row of `feeds` and its value. It validates rows like any other input.
struct StoredFeed: StatementRow {
  let feed: Feed

  /// The columns of what refreshes change at least.
  private static let refreshes = ColumnList { columns in
    var feed = Feed.template(key: 0)
    feed.exchangeRefreshes(with: &columns)
  }

  /// All others that are written together.
  private static let others = ColumnList { columns in
    var feed = Feed.template(key: 0)
    feed.exchangeOthers(with: &columns)
  }

  /// Reads the columns in the order of `init`.
  static let select =
    "SELECT "
    + (["key"] + refreshes.read + others.read + ["rule_line", "allowance", "rules_at"]).map { "feeds.\($0)" }
    .joined(separator: ", ")

  init(_ columns: inout ColumnReader) throws {
    var feed = Feed.template(key: try columns.next(.log))
    try feed.exchangeRefreshes(with: &columns)
    try feed.exchangeOthers(with: &columns)
    feed.standing = try Feed.Standing(
      watermark: columns.nextIfPresent(.log), allowance: columns.next(.log), due: columns.moment())
    self.feed = feed
  }
}

extension StoredFeed {
  /// Inserts a row; binds what `write` writes.
  static let insertion = {
    let columns = refreshes.written + others.written
    let values = columns.map { _ in "?" }.joined(separator: ", ")
    return "INSERT INTO feeds (" + columns.joined(separator: ", ") + ") VALUES (" + values + ")"
  }()

  /// Updates a row; binds what `write` writes, then the key.
  static let update = updating(refreshes.written + others.written)

  /// Updates what refreshes change; binds what `writeRefreshes` writes, then the key. SQLite writes the indexes of all
  /// columns that a statement names, whether they have changed or not.
  static let refreshUpdate = updating(refreshes.written)

  private static func updating(_ columns: [String]) -> String {
    "UPDATE feeds SET " + columns.map { "\($0) = ?" }.joined(separator: ", ") + " WHERE key = ?"
  }

  static func writeRefreshes(_ feed: Feed, to arguments: inout ArgumentWriter) throws {
    var feed = feed
    try feed.exchangeRefreshes(with: &arguments)
  }

  static func write(_ feed: Feed, to arguments: inout ArgumentWriter) throws {
    var feed = feed
    try feed.exchangeRefreshes(with: &arguments)
    try feed.exchangeOthers(with: &arguments)
  }
}

/// The form of a feed's row.
extension Feed {
  /// Any feed; a reader replaces all of it but the key.
  fileprivate static func template(key: Key) -> Feed {
    let start = Timestamp(milliseconds: 0)
    return Feed(
      key: key, id: .any, address: .anywhere, wishes: .init(), refreshes: .init(next: start), added: start)
  }

  /// What refreshes change at least.
  fileprivate mutating func exchangeRefreshes<Coder: ColumnCoder>(with columns: inout Coder) throws(Coder.Fault) {
    try columns.moment("refreshed_at", &refreshes.last)
    try columns.moment("next_at", &refreshes.next)
    try columns.derived("due_at", due?.milliseconds)
    try columns.integer("failures", &refreshes.failures, in: .failures)
    var (code, message, status) = (refreshes.error?.code, refreshes.error?.message, refreshes.error?.status)
    try columns.choice("error_code", &code)
    try columns.text("error_message", &message)
    try columns.integer("error_status", &status, in: .status)
    refreshes.error = code.map { DownloadError($0, message ?? "", status: status) }
    try refreshes.validators.exchange(with: &columns)
    var rhythm = refreshes.rhythm ?? FeedRhythm(intervalSeconds: 0)
    var interval = refreshes.rhythm?.intervalSeconds
    try columns.integer("interval_seconds", &interval, in: .any)
    try columns.list("quiet_hours", &rhythm.quietHours, { $0 }, { $0 })
    try columns.list("quiet_days", &rhythm.quietDays, { $0 }, { $0 })
    if let interval { rhythm.intervalSeconds = interval }
    refreshes.rhythm = interval == nil ? nil : rhythm
    try columns.integer("read_to", &refreshes.readTo, in: .log)
    try columns.boolean("ended", &refreshes.hasEnded)
    try columns.boolean("asked", &refreshes.isAsked)
    try columns.integer("read_from", &refreshes.readFrom, { AddressClass(rowCode: Int($0)) }, { Int64($0.rowCode) })
    try columns.integer("episodes", &episodes, in: .count)
  }

  fileprivate mutating func exchangeOthers<Coder: ColumnCoder>(with columns: inout Coder) throws(Coder.Fault) {
    try columns.text("id", &id, { FeedID($0) }, \.description)
    try columns.text("url", &address, { try? WebAddress($0) }, \.description)
    try columns.derived("url_hash", DownloadRow.hash(address))
    try columns.derived("host", address.host)
    try wishes.exchange(with: &columns)
    try columns.list("former_urls", &refreshes.formerAddresses, WebAddress.all(of:), \.description)
    var (isRead, content) = (podcast != nil, podcast ?? PodcastContent())
    try columns.boolean("read", &isRead)
    try content.exchange(with: &columns)
    podcast = isRead ? content : nil
    try columns.derived("title_key", FoldedText.of(DownloadRow.text(shownTitle)))
    try columns.moment("added_at", &added)
    try columns.integer("session", &session, in: .session)
    try columns.boolean("led", &refreshes.isLed)
  }
}

extension FeedValidators {
  fileprivate mutating func exchange<Coder: ColumnCoder>(with columns: inout Coder) throws(Coder.Fault) {
    try columns.text("entity_tag", &entityTag)
    try columns.text("last_modified", &lastModified)
    try columns.text("body_hash", &bodyHash)
    try columns.moment("full_body_at", &fullBodyAt)
    try columns.boolean("distrusted", &isDistrusted)
    try columns.boolean("notes", &hasNotes)
  }
}

extension Feed.Wishes {
  fileprivate mutating func exchange<Coder: ColumnCoder>(with columns: inout Coder) throws(Coder.Fault) {
    try columns.text("title", &title)
    try columns.text("grouping", &group)
    try columns.list("headers", &headers, { $0.areNamed ? $0 : nil }, { $0 })
    try columns.text("user_agent", &userAgent)
    try columns.integer("network", &network, { NetworkPolicy(rowCode: $0) }, \.rowCode)
    try columns.boolean("paused", &isPaused)
    var stored = rules == .none ? nil : rules
    try columns.text("rules", &stored, { try StoredRules.value(of: $0) }, { try StoredJSON.text($0) })
    rules = stored ?? .none
    try columns.text(
      "filename_template", &filenameTemplate, { $0.isEmpty ? nil : try? NameTemplate(validating: $0) },
      { DownloadRow.text($0.text) })
  }
}

extension PodcastContent {
  fileprivate mutating func exchange<Coder: ColumnCoder>(with columns: inout Coder) throws(Coder.Fault) {
    try columns.text("own_title", &title)
    try columns.text("own_link", &link)
    try columns.text("own_image", &image)
    try columns.text("own_description", &description)
    try columns.text("own_language", &language)
    try columns.text("own_author", &author)
    try columns.text("own_guid", &guid)
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
