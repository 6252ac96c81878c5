/// The port of the sessions' table. All calls belong to the turn's transaction.
package protocol SessionTables {
  var sessions: any SessionTable { get }
}

/// The sessions' rows: at most `Session.Limits.sessions`.
package protocol SessionTable {
  /// All of them, in the order of their numbers.
  func all() throws -> [Session]
  /// Writes a session, new or not.
  func save(_ session: Session) throws
  func delete(_ key: Session.Key) throws
  /// Whether a download, a feed or a sidecar has this session. Cost: a look-up in three indexes.
  func isReferredTo(_ key: Session.Key) throws -> Bool
}
