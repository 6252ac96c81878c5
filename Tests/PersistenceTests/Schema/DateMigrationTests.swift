import Flux
import GRDB
import Testing

@testable import Persistence
@testable import PodfluxCore

@Suite("A library from before publication dates had offsets")
struct DateMigrationTests {
  @Test("Its dates count as UTC; their order stays, and new ones keep their offset")
  func migration() throws {
    let folder = try TemporaryFolder()
    var draw = RandomDownloads(seed: 11)
    let downloads = try (0..<300).map { try draw.download($0) }
    try FormerLibrary.make(
      in: folder, upTo: "8-spelled-out-checks", with: downloads, columns: ["published_offset"]
    ) { db in
      try db.execute(sql: "INSERT INTO texts (texts) VALUES ('rebuild')")
    }
    let database = try LibraryDatabase.open(at: folder.databasePath)
    let stored = try database.read { try $0.downloads(limit: 1000) }
    #expect(stored.map(\.description.published) == downloads.map(\.description.published))
    #expect(stored.contains { $0.description.published != nil })
    var dated = try #require(stored.first { $0.description.published != nil })
    dated.description.published = InternetDate.parsePublication("2026-03-01T01:30:00+05:00")
    try database.write { try $0.downloads.update(dated) }
    #expect(try database.write { try $0.downloads.find(dated.id) }?.description == dated.description)
    try database.close()
  }

  @Test("An offset without a date, or beyond a day, is an illegal row")
  func constraints() throws {
    let database = try LibraryDatabase.inMemory()
    var download = try Sample.download()
    download.description.published = PublicationDate(Timestamp(milliseconds: 0), offsetSeconds: -86_340)
    try database.write { try $0.downloads.insert(download) }
    try database.withConnection { db in
      for change in ["published = NULL", "published_offset = 86341", "published_offset = -86400"] {
        #expect(throws: DatabaseError.self, "\(change)") { try db.execute(sql: "UPDATE downloads SET \(change)") }
      }
      try db.execute(sql: "UPDATE downloads SET published_offset = 59")
    }
    #expect(throws: DamagedRow.self) { try database.write { try $0.downloads.find(download.id) } }
  }
}
