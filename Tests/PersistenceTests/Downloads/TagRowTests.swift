import Flux
import GRDB
import Testing

@testable import Persistence
@testable import PodfluxCore

@Suite("Rows of files with tags")
struct TagRowTests {
  private static let taggings: [Download.Tagging?] = [
    nil, .tagged(.init(length: 0)), .tagged(.init(length: Sample.longest, sha256: String(repeating: "0f", count: 32))),
    .untagged(because: ""), .untagged(because: "the tagger died of it\u{301}"),
  ]

  @Test("What became of tags is read back unchanged, after an insertion and after a change", arguments: taggings)
  func roundTrip(tagging: Download.Tagging?) throws {
    let database = try LibraryDatabase.inMemory()
    try database.write { tables in
      var download = try Sample.download("a", state: .completed(Sample.file()))
      download.tagging = tagging
      try tables.downloads.insert(download)
      #expect(try tables.downloads.find(download.id) == download)
      for other in Self.taggings {
        download.tagging = other
        try tables.downloads.update(download)
        #expect(try tables.downloads.find(download.id) == download)
      }
    }
  }

  @Test("A library from before tags is migrated, and none of its files is a tagged copy")
  func migration() throws {
    let folder = try TemporaryFolder()
    var draw = RandomDownloads(seed: 21)
    let downloads = try (0..<200).map { try draw.download($0) }
    try FormerLibrary.make(in: folder, upTo: "19-episode-filters", with: downloads)
    let database = try LibraryDatabase.open(at: folder.databasePath)
    let stored = try database.read { try $0.downloads(limit: 1000) }
    #expect(stored.map(\.id) == downloads.map(\.id))
    #expect(stored.allSatisfy { $0.tagging == nil })
    try database.close()
  }

  @Test("What is said of an original without a file, or against a reason, is an illegal row")
  func constraints() throws {
    let database = try LibraryDatabase.inMemory()
    var tagged = try Sample.download("a", state: .completed(Sample.file()))
    tagged.tagging = .tagged(.init(length: 5))
    try database.write { tables in
      try tables.downloads.insert(tagged)
      try tables.downloads.insert(try Sample.download("b", position: 5))
    }
    try database.withConnection { db in
      for change in [
        "original_length = -1 WHERE id = 'a'", "original_length = 1 WHERE id = 'b'", "untagged = '' WHERE id = 'b'",
        "untagged = 'x' WHERE id = 'a'", "original_sha256 = 'x' WHERE id = 'a'",
        "original_length = NULL, original_sha256 = '\(String(repeating: "0", count: 64))' WHERE id = 'a'",
      ] {
        #expect(throws: DatabaseError.self, "\(change)") { try db.execute(sql: "UPDATE downloads SET \(change)") }
      }
    }
  }
}
