import Flux

/// The port of the sidecars' table. All calls belong to the turn's transaction.
package protocol SidecarTables {
  var sidecars: any SidecarTable { get }
}

/// The sidecars' rows, to read. Each call costs a bounded number of index look-ups unless it says otherwise.
package protocol SidecarTableReader {
  func find(_ key: Sidecar.Key) throws -> Sidecar?
  /// The sidecars of a download, in the order of their numbers.
  func sidecars(of owner: DownloadID) throws -> [Sidecar]
  /// The sidecars that have a session, after this one, in the order of their numbers.
  func sidecars(of session: Session.Key, after key: Sidecar.Key, limit: Int) throws -> [Sidecar]
  func cover(at stem: String) throws -> Sidecar?
  /// The covers after this one, in the order of their numbers.
  func covers(after key: Sidecar.Key, limit: Int) throws -> [Sidecar]
  /// The sidecars whose files are there, after this one, in the order of their numbers.
  func present(after key: Sidecar.Key, limit: Int) throws -> [Sidecar]
  /// Whether a row has a file with this path, or with this inode, length and time. What a person has changed or moved
  /// counts.
  func isKnown(_ file: FoundFile) throws -> Bool
  /// Whether a download's file lies in a folder, or is about to.
  func isUsed(_ folder: LibraryPath) throws -> Bool
  /// Whether a folder had a file that a client has kept when its download was removed. Cost: the former files of the
  /// folder.
  func hasKeptFile(in folder: LibraryPath) throws -> Bool

  /// The first sidecars that are to be fetched by now, or were about to be published, in the order of their times.
  /// Cost: linear in those of the spared sessions.
  func due(at now: Timestamp, _ need: SidecarNeed, limit: Int) throws -> [Sidecar]
  /// When the first one is to be fetched after this moment.
  func nextMoment(after now: Timestamp) throws -> Timestamp?
  /// The first sidecars that are owed a deletion or a move, but for those that were postponed.
  func owed(limit: Int) throws -> [Sidecar]
  /// Whether there is any row.
  func isEmpty() throws -> Bool
  /// The completed ones among the downloads whose rows follow this number, and where to go on; nil if there are no
  /// more.
  func completedDownloads(after key: Int64, limit: Int) throws -> (downloads: [DownloadID], next: Int64?)
}

/// The sidecars' rows, to read and to write. Each call costs a bounded number of index look-ups unless it says
/// otherwise.
///
/// When the downloads' table removes many downloads in one statement, it lets their sidecars leave, or keeps them, in
/// the same transaction.
package protocol SidecarTable: SidecarTableReader {
  /// Adds a sidecar; its number is given now.
  func insert(_ sidecar: Sidecar) throws
  /// Writes owner, address, stem, state and session, and ends a postponement.
  func update(_ sidecar: Sidecar) throws
  func delete(_ key: Sidecar.Key) throws
  /// Lets those that are to be fetched after one moment be fetched at another. Cost: linear in them.
  func bringForward(dueAfter latest: Timestamp, to moment: Timestamp) throws
  /// Postpones what a sidecar is owed until `oweAll`.
  func postpone(_ key: Sidecar.Key) throws
  /// Ends all postponements.
  func oweAll() throws
  /// Writes after which download, by the number of its row, the completed ones are asked for sidecars; nil if none is.
  func save(scanAfter key: Int64?) throws
}

/// What sidecars need to be fetched.
package enum SidecarNeed: Hashable, Sendable {
  /// Sidecars without an address: they are made of rows and need no network.
  case nothing
  /// Sidecars that have an address, and none of these sessions.
  case network(sparing: Set<Session.Key>)
  /// Sidecars that have an address, and one of these sessions.
  case sessions(Set<Session.Key>)
}
