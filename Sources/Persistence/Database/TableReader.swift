import Flux
import Foundation
import GRDB
import PodfluxCore

/// Reads one snapshot of the tables.
package struct TableReader {
  let db: Database

  /// How far the log has been committed. Throws `DamagedRow` if its row is missing.
  package func position() throws -> LogPosition {
    let sql = "SELECT revision, sequence FROM log"
    guard let stored = try StoredPosition.fetchAll(db.cachedStatement(sql: sql)).first else {
      throw DamagedRow(column: "log")
    }
    return stored.position
  }

  /// The stores with the state from their tables.
  ///
  /// - Throws: `DamagedRow` for a value that no store can handle.
  package func stores() throws -> Stores {
    // Turns ask for the day first: a damaged library fails when it is opened.
    _ = try CalendarDay().today(in: db)
    return try Stores(
      settings: SettingsStore(from: self), downloads: DownloadsStore(from: self), network: NetworkStore(from: self),
      cleanup: CleanupStore(from: self), filters: FiltersStore(from: self), upkeep: UpkeepStore(from: self),
      sidecars: SidecarsStore(from: self), sessions: SessionsStore(from: self))
  }

  /// Shows the stores of which a snapshot has the whole state: as they are, or else as the tables have them.
  package func show(_ names: Set<StoreName>, of stores: Stores?, in snapshot: inout Snapshot) throws {
    if names.contains(.settings) { snapshot.settings = try stores?.settings.settings ?? settings() }
    if names.contains(.network) { snapshot.network = try stores?.network.state ?? network() }
    if names.contains(.sessions) {
      let sessions = try stores?.sessions.view.sessions.values.map(\.self) ?? sessions()
      snapshot.sessions = sessions.sorted { $0.id < $1.id }
    }
  }

  /// How many downloads are in each state.
  package func counts() throws -> [DownloadState.Kind: Int] {
    try table.counts()
  }

  /// The end of each host's cooldown.
  package func cooldowns() throws -> [String: Timestamp] {
    try SQLHosts.cooldowns(in: db)
  }

  /// The bytes that all downloads ever discarded.
  package func discarded() throws -> Download.Discarded {
    try SQLHosts.discarded(in: db)
  }

  package func download(_ id: DownloadID) throws -> Download? {
    try table.find(id)
  }

  /// The downloads that were running when the last engine ended.
  package func running() throws -> [Download] {
    try table.running()
  }

  /// The first downloads in the order of their addition, independent of filters.
  package func downloads(limit: Int) throws -> [Download] {
    let sql = DownloadRow.select + "ORDER BY key LIMIT ?"
    return try StoredDownload.fetchAll(db.cachedStatement(sql: sql), arguments: [limit]).map(\.download)
  }

  /// The stored state of the filters.
  package func filters() throws -> FilterStates {
    var states = FilterStates()
    for subject in FilterSubject.allCases {
      states[subject] = try SingleRow.filters(over: subject).read(from: db)?.state ?? FiltersState()
    }
    return states
  }

  var table: SQLDownloadTable { SQLDownloadTable(db: db, derived: DerivedTables()) }
  var feedTable: SQLFeedTable { SQLFeedTable(db: db, derived: DerivedTables()) }
  var episodeTable: SQLEpisodeTable { SQLEpisodeTable(db: db, derived: DerivedTables()) }
}

/// The row of the log.
private struct StoredPosition: StatementRow {
  let position: LogPosition

  init(_ columns: inout ColumnReader) throws {
    position = LogPosition(revision: try columns.next(.log), sequence: try columns.next(.log))
  }
}
