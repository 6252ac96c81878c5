import GRDB

@testable import Persistence
@testable import PodfluxCore

/// Libraries as earlier versions left them.
enum FormerLibrary {
  /// Creates one with the migrations up to this one, and rows for downloads.
  ///
  /// - Parameters:
  ///   - parts: The parts that rows did not have yet.
  ///   - columns: The columns of other parts that they did not have yet.
  ///   - finish: Adds further contents.
  static func make(
    in folder: TemporaryFolder, upTo migration: String, with downloads: [Download],
    without parts: Set<DownloadRow.Part> = [], columns: Set<String> = [],
    finish: (Database) throws -> Void = { _ in }
  ) throws {
    let present = DownloadRow.Part.allCases.filter { !parts.contains($0) }.flatMap(\.columns)
      .filter { !Self.columnsOfOthers.contains($0) }
    let queue = try DatabaseQueue(path: folder.databasePath)
    try Schema.migrator.migrate(queue, upTo: migration)
    try queue.write { db in
      // It lacks the columns of later migrations.
      let known = Set(try db.columns(in: "downloads").map(\.name))
      try insertRows(of: downloads, present.filter { !columns.contains($0) && known.contains($0) }, in: db)
      try finish(db)
    }
    try queue.close()
  }

  /// The columns of migration 9.
  static let columnsOfOthers: Set<String> = ["mtime", "modified_at"]

  private static func insertRows(of downloads: [Download], _ columns: [String], in db: Database) throws {
    let names = columns.joined(separator: ", ")
    let present = try LibraryDatabase.inMemory()
    try present.write { tables in
      try tables.filters.turn(to: RandomDownloads.today)
      for download in downloads { try tables.downloads.insert(download) }
    }
    let rows = try present.withConnection { try Row.fetchAll($0, sql: "SELECT \(names) FROM downloads ORDER BY key") }
    let marks = columns.map { _ in "?" }.joined(separator: ", ")
    for row in rows {
      try db.execute(
        sql: "INSERT INTO downloads (\(names)) VALUES (\(marks))", arguments: StatementArguments(row.databaseValues))
    }
  }
}
