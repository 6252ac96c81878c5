import GRDB
import Testing

@testable import Persistence
@testable import PodfluxCore

@Suite("A library from before the engine distinguished its own files from others")
struct OthersMigrationTests {
  @Test("No file has a recorded time or edit, and no folder counts as the engine's")
  func former() throws {
    let folder = try TemporaryFolder()
    var draw = RandomDownloads(seed: 9)
    let downloads = try (0..<200).map { try draw.download($0) }
    try FormerLibrary.make(in: folder, upTo: "8-spelled-out-checks", with: downloads) { db in
      try db.execute(sql: "INSERT INTO folders VALUES ('Show')")
    }
    let database = try LibraryDatabase.open(at: folder.databasePath)
    let stored = try database.read { try $0.downloads(limit: 1000) }
    #expect(stored.map(\.id) == downloads.map(\.id))
    for (stored, download) in zip(stored, downloads) {
      #expect(stored.dates.modified == nil)
      guard case .completed(let file) = stored.state, case .completed(let former) = download.state else { continue }
      #expect(file.modifiedNanoseconds == nil)
      #expect(file.describesSameFile(as: former))
    }
    #expect(try !database.read { try $0.hasMade(EntryPath(bytes: Array("Show".utf8))) })
    try database.withConnection { db in
      for change in [
        "UPDATE downloads SET modified_at = 1 WHERE state = 'paused'",
        "UPDATE downloads SET mtime = 1 WHERE path IS NULL",
      ] {
        #expect(throws: DatabaseError.self, "\(change)") { try db.execute(sql: change) }
      }
    }
    try database.close()
  }

  @Test("A file's time and edit are stored, and deleted with the file")
  func roundTrip() throws {
    let database = try LibraryDatabase.inMemory()
    var file = try Sample.file()
    file.modifiedNanoseconds = -5
    var download = try Sample.download("a", state: .completed(file), position: 1, description: .init())
    download.dates.modified = Sample.moment
    try database.write { try $0.downloads.insert(download) }
    #expect(try database.read { try $0.download(download.id) } == download)
    file.modifiedNanoseconds = .max
    download.state = .completed(file)
    download.dates.modified = nil
    try database.write { try $0.downloads.update(download) }
    #expect(try database.read { try $0.download(download.id) } == download)
    #expect(try database.read { try $0.expectedFiles(after: .start, limit: 9).files.map(\.file) } == [file])
  }
}
