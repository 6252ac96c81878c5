import Flux
import Foundation
import GRDB
import PodfluxCore

/// Reads the tables, at one moment.
public struct TableReader {
  let db: Database

  /// Where the log stands.
  public func position() throws -> LogPosition {
    guard let row = try Row.fetchOne(db.cachedStatement(sql: "SELECT revision, sequence FROM log")) else {
      throw DamagedRow(column: "log")
    }
    return LogPosition(revision: row["revision"], sequence: row["sequence"])
  }

  /// The stores, with what their tables hold.
  public func stores() throws -> Stores {
    Stores(
      settings: SettingsStore(settings: try settings()),
      downloads: DownloadsStore(counts: try counts(), cooldowns: try cooldowns(), discarded: try discarded()),
      network: NetworkStore(state: try network()), cleanup: CleanupStore(runs: try cleanupRuns()),
      filters: FiltersStore(state: try filters()))
  }

  /// The settings; the defaults if none were ever set.
  public func settings() throws -> Settings {
    try SettingsRow.read(from: db)
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
    try StoredFilters.read(from: db)
  }

  private var table: SQLDownloadTable { SQLDownloadTable(db: db, upkeep: Upkeep()) }
}

/// The one row of settings.
enum SettingsRow {
  static func write(_ settings: Settings, to db: Database) throws {
    let sql = "INSERT INTO settings VALUES (1, ?) ON CONFLICT (singleton) DO UPDATE SET json = excluded.json"
    try db.cachedStatement(sql: sql).execute(arguments: [StoredJSON.text(settings)])
  }

  static func read(from db: Database) throws -> Settings {
    guard let json = try String.fetchOne(db.cachedStatement(sql: "SELECT json FROM settings")) else {
      return Settings()
    }
    let settings: Settings = try StoredJSON.value(of: json, column: "settings.json")
    guard settings.isWithinLimits else { throw DamagedRow(column: "settings.json") }
    return settings
  }
}
