import Flux
import GRDB
import PodfluxCore

/// The sessions in SQLite, inside one transaction.
struct SQLSessionTable: SessionTable {
  let db: Database

  private static let columns = [
    "key", "id", "hosts", "kind", "user", "token_url", "reference", "state", "cached", "renewal", "failures", "next_at",
    "error_code", "error_message", "error_status", "since", "expires", "token", "parameter", "own",
  ]

  private static let select = "SELECT \(columns.joined(separator: ", ")) FROM sessions ORDER BY key"
  private static let write = """
    INSERT INTO sessions (\(columns.joined(separator: ", "))) VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))
    ON CONFLICT (key) DO UPDATE SET \(columns.dropFirst().map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
    """

  func all() throws -> [Session] {
    try Session.fetchAll(db.cachedStatement(sql: Self.select))
  }

  func save(_ session: Session) throws {
    let statement = try db.cachedStatement(sql: Self.write)
    var arguments = ArgumentWriter(statement)
    try session.write(to: &arguments)
    try arguments.execute()
  }

  func delete(_ key: Session.Key) throws {
    try db.cachedStatement(sql: "DELETE FROM sessions WHERE key = ?").execute(arguments: [key])
  }

  func isReferredTo(_ key: Session.Key) throws -> Bool {
    let sql = """
      SELECT EXISTS (SELECT 1 FROM downloads WHERE session = ?1) OR EXISTS (SELECT 1 FROM feeds WHERE session = ?1)
        OR EXISTS (SELECT 1 FROM sidecars WHERE session = ?1)
      """
    return try Bool.fetchOne(db.cachedStatement(sql: sql), arguments: [key]) == true
  }
}

extension Session {
  fileprivate func write(to arguments: inout ArgumentWriter) throws {
    try arguments.write(key)
    try arguments.write(id.description)
    try arguments.write(try StoredJSON.text(wish.hosts))
    try arguments.write(wish.kind.rawValue)
    try arguments.write(DownloadRow.text(wish.user))
    try arguments.write(wish.tokenURL?.description)
    try arguments.write(wish.secret?.description)
    try arguments.write(state.kind.rawValue)
    var opening = SessionState.Opening(isRenewal: false, takesKept: false)
    switch state {
    case .created(let isCached): opening.takesKept = isCached
    case .opening(let present): opening = present
    case .open, .extended, .closed, .loginFailed: break
    }
    try arguments.write(opening.takesKept ? 1 : 0)
    try arguments.write(opening.isRenewal ? 1 : 0)
    try arguments.write(opening.failures)
    try arguments.write(opening.next?.milliseconds)
    try arguments.write(state.error?.code.rawValue)
    try arguments.write(DownloadRow.text(state.error?.message))
    try arguments.write(state.error?.status)
    try arguments.write(since.milliseconds)
    try arguments.write(expires?.milliseconds)
    try arguments.write(token)
    try arguments.write(wish.parameter)
    try arguments.write(isOwn ? 1 : 0)
  }
}

extension Session: StatementRow {
  init(_ columns: inout ColumnReader) throws {
    let key = try columns.next(.session)
    let id = try Damaged.checked("sessions.id", SessionID(columns.next()))
    let hosts: [String] = try StoredJSON.value(of: columns.next(), column: "sessions.hosts")
    guard !hosts.isEmpty else { throw DamagedRow(column: "sessions.hosts") }
    let kind = try Damaged.checked("sessions.kind", Kind(rawValue: columns.next()))
    let user: String? = try columns.next()
    let address = try (columns.next() as String?).map { try Damaged.checked("sessions.token_url", try? WebAddress($0)) }
    let secret = try (columns.next() as String?).map { try Damaged.checked("sessions.reference", SecretReference($0)) }
    let name = try Damaged.checked("sessions.state", SessionState.Kind(rawValue: columns.next()))
    let (takesKept, isRenewal): (Bool, Bool) = (try columns.next(), try columns.next())
    let opening = SessionState.Opening(
      isRenewal: isRenewal, takesKept: takesKept, failures: Int(try columns.next(.failures)),
      next: try columns.moment())
    let error = try Self.error(&columns)
    let state: SessionState =
      switch name {
      case .created: .created(isCached: takesKept)
      case .opening: .opening(opening)
      case .open: .open
      case .extended: .extended
      case .closed: .closed
      case .loginFailed: .loginFailed(try Damaged.checked("sessions.error_code", error))
      }
    var wish = Wish(hosts: hosts, kind: kind, user: user, tokenURL: address, secret: secret)
    let (since, expires, token) = (try columns.next(.moment), try columns.moment(), try columns.next(.log))
    wish.parameter = try (columns.next() as String?).map {
      try Damaged.checked("sessions.parameter", SecretParameter.isName($0) ? $0 : nil)
    }
    self.init(
      key: key, id: id, isOwn: try columns.next(), wish: wish, state: state, since: Timestamp(milliseconds: since),
      expires: expires, token: token)
  }

  private static func error(_ columns: inout ColumnReader) throws -> DownloadError? {
    let (code, message): (String?, String?) = try (columns.next(), columns.next())
    let status = try columns.status()
    guard let code else { return nil }
    return DownloadError(
      try Damaged.checked("sessions.error_code", DownloadError.Code(rawValue: code)), message ?? "", status: status)
  }
}

extension SQLTables {
  var sessions: any SessionTable { SQLSessionTable(db: db) }
}

extension TableReader {
  /// The sessions, in the order of their numbers.
  package func sessions() throws -> [Session] { try SQLSessionTable(db: db).all() }

  /// Whether a download, a feed or a sidecar has this session.
  package func isReferredTo(_ session: Session.Key) throws -> Bool {
    try SQLSessionTable(db: db).isReferredTo(session)
  }
}

extension SessionsStore {
  /// The store with what its table holds.
  init(from tables: TableReader) throws {
    self.init(sessions: try tables.sessions())
  }
}
