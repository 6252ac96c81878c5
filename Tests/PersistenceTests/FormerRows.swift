import GRDB

@testable import Persistence
@testable import PodfluxCore

extension Database {
  /// Adds downloads to a library of an earlier version, which had these columns.
  func insertFormerRows(of downloads: [Download], _ columns: [String]) throws {
    let names = columns.joined(separator: ", ")
    let present = try LibraryDatabase.inMemory()
    try present.write { tables in
      try tables.filters.turn(to: RandomDownloads.today)
      for download in downloads { try tables.downloads.insert(download) }
    }
    let rows = try present.withConnection { try Row.fetchAll($0, sql: "SELECT \(names) FROM downloads ORDER BY key") }
    let marks = columns.map { _ in "?" }.joined(separator: ", ")
    for row in rows {
      try execute(
        sql: "INSERT INTO downloads (\(names)) VALUES (\(marks))", arguments: StatementArguments(row.databaseValues))
    }
  }
}
