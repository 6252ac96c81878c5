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
    // Turns ask for the day first: a damaged library fails when it is opened.
    _ = try CalendarDay().today(in: db)
    return try Stores(
      settings: SettingsStore(from: self), downloads: DownloadsStore(from: self), network: NetworkStore(from: self),
      cleanup: CleanupStore(from: self), filters: FiltersStore(from: self), upkeep: UpkeepStore(from: self))
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
