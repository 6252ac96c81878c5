import Flux
import GRDB
import Testing

@testable import Persistence
@testable import PodfluxCore

@Suite("A library from before network policies existed")
struct NetworkMigrationTests {
  private let folder: TemporaryFolder
  private let downloads: [Download]

  /// A library of version 6, with rows of all kinds.
  init() throws {
    folder = try TemporaryFolder()
    var draw = RandomDownloads(seed: 7)
    downloads = try (0..<500).map { number in
      var download = try draw.download(number)
      download.networks = .init()
      for _ in 0..<2 { try draw.change(&download) }
      download.networks = .init()
      return download
    }
    try FormerLibrary.make(
      in: folder, upTo: "6-filters", with: downloads, without: [.network], columns: ["error_short", "published_offset"]
    ) { db in
      try db.execute(
        sql: """
          UPDATE calendar SET day = \(RandomDownloads.today);
          INSERT INTO texts (texts) VALUES ('rebuild');
          INSERT INTO facets SELECT coalesce(podcast, 0), host, class, count(*) FROM downloads GROUP BY 1, 2, 3;
          INSERT INTO lanes SELECT host, min(priority), 0 FROM downloads WHERE state = 'queued' AND held = 0 GROUP BY host;
          """)
    }
  }

  @Test("Its rows have no network policies, and its errors no number of missing bytes")
  func rows() throws {
    let database = try LibraryDatabase.open(at: folder.databasePath)
    let stored = try database.read { try $0.downloads(limit: 1000) }
    #expect(stored.map(\.id) == downloads.map(\.id))
    for (stored, download) in zip(stored, downloads) {
      #expect(stored.networks == Download.Networks())
      #expect(stored.state.kind == download.state.kind)
      #expect(Traits(of: stored, on: RandomDownloads.today) == Traits(of: download, on: RandomDownloads.today))
      if case .waiting(let waiting) = stored.state { #expect(waiting.error.shortBytes == nil) }
    }
    #expect(try database.read { try $0.network() } == NetworkState())
    try database.close()
  }

  @Test("Lanes, counts and bytes are as if this version had added the rows")
  func tables() throws {
    let database = try LibraryDatabase.open(at: folder.databasePath)
    let other = try LibraryDatabase.inMemory()
    try other.write { tables in
      try tables.filters.turn(to: RandomDownloads.today)
      for download in downloads { try tables.downloads.insert(download) }
    }
    for table in ["lanes", "class_counts", "usage", "facets"] {
      let rows = { (db: Database) in try Row.fetchAll(db, sql: "SELECT * FROM \(table)") }
      let migrated = try database.withConnection(rows)
      #expect(migrated == (try other.withConnection(rows)), "\(table)")
      #expect(!migrated.isEmpty, "\(table)")
    }
    try database.close()
  }

  @Test("An empty library has no bytes, and its first download gets a lane")
  func empty() throws {
    let database = try LibraryDatabase.inMemory()
    try database.write { tables in
      #expect(try tables.downloads.storedBytes() == 0)
      try tables.downloads.insert(try Sample.download())
      #expect(try tables.downloads.nextAdmissible { _ in true }?.id == DownloadID("x"))
    }
  }
}
