import Flux
import Foundation
import GRDB
import PodfluxCore

/// Reads the tables, at one moment.
public struct TableReader {
  let db: Database

  /// Where the log stands.
  public func position() throws -> LogPosition {
    let sql = "SELECT revision, sequence FROM log"
    guard let stored = try StoredPosition.fetchAll(db.cachedStatement(sql: sql)).first else {
      throw DamagedRow(column: "log")
    }
    return stored.position
  }

  /// The stores, with what their tables hold.
  ///
  /// - Throws: `DamagedRow` where one holds what no store can go on with.
  public func stores() throws -> Stores {
    // Turns ask for these first: whoever opens the library wants to know before.
    _ = try CalendarDay().today(in: db)
    _ = try Usage().bytes(in: db)
    return Stores(
      settings: SettingsStore(settings: try settings()),
      downloads: DownloadsStore(counts: try counts(), cooldowns: try cooldowns(), discarded: try discarded()),
      network: NetworkStore(state: try network()), cleanup: CleanupStore(runs: try cleanupRuns()),
      filters: FiltersStore(state: try filters()),
      upkeep: UpkeepStore(lastDay: try SQLUpkeepTable.lastDay(in: db)))
  }

  /// The settings; the defaults if none were ever set.
  public func settings() throws -> Settings {
    try SingleRow.settings.read(from: db) ?? Settings()
  }

  /// How many downloads are in each state.
  public func counts() throws -> [DownloadState.Kind: Int] {
    try table.counts()
  }

  /// Until when hosts are left alone.
  public func cooldowns() throws -> [String: Timestamp] {
    try SQLHosts.cooldowns(in: db)
  }

  /// What all downloads that there ever were have thrown away.
  public func discarded() throws -> Download.Discarded {
    try SQLHosts.discarded(in: db)
  }

  /// The download of this name.
  public func download(_ id: DownloadID) throws -> Download? {
    try table.find(id)
  }

  /// What was running when the last engine ended.
  public func running() throws -> [Download] {
    try table.running()
  }

  /// The first downloads in the order in which they were added, whatever the filters show.
  public func downloads(limit: Int) throws -> [Download] {
    let sql = DownloadRow.select + "ORDER BY key LIMIT ?"
    return try StoredDownload.fetchAll(db.cachedStatement(sql: sql), arguments: [limit]).map(\.download)
  }

  /// What is kept of the filters.
  public func filters() throws -> FiltersState {
    try SingleRow.filters.read(from: db)?.state ?? FiltersState()
  }

  var table: SQLDownloadTable { SQLDownloadTable(db: db, derived: DerivedTables()) }
}

/// The row of the log.
private struct StoredPosition: StatementRow {
  let position: LogPosition

  init(_ columns: inout ColumnReader) throws {
    position = LogPosition(revision: try columns.next(.log), sequence: try columns.next(.log))
  }
}
