import Flux
import GRDB
import Testing

@testable import Persistence
@testable import PodfluxCore

@Suite("Rows know who has named an address")
struct NamerTests {
  private let namers = [AddressNamer.person] + AddressClass.allCases.map(AddressNamer.feed)

  @Test("of a download, new or not")
  func downloads() throws {
    let database = try LibraryDatabase.inMemory()
    try database.write { tables in
      for (number, namer) in namers.enumerated() {
        var download = try Sample.download("d\(number)", position: Int64(number))
        download.namer = namer
        try tables.downloads.insert(download)
        #expect(try tables.downloads.find(download.id) == download)
        for other in namers {
          download.namer = other
          try tables.downloads.update(download)
          #expect(try tables.downloads.find(download.id) == download)
        }
      }
    }
    #expect(AddressNamer(rowCode: -1) == nil && AddressNamer(rowCode: 4) == nil)
  }

  @Test("of a feed and of a sidecar: where the feed was read")
  func feeds() throws {
    let database = try LibraryDatabase.inMemory()
    let id = try #require(FeedID("a"))
    try database.write { tables in
      let key = try tables.feeds.insert(
        id, at: try WebAddress("https://a.example/f"), wishes: .init(), session: nil, next: Sample.moment,
        added: Sample.moment)
      for place in AddressClass.allCases {
        var feed = try #require(try tables.feeds.find(key))
        (feed.refreshes.readFrom, feed.refreshes.isLed) = (place, place == .public)
        try tables.feeds.update(feed)
        #expect(try tables.feeds.find(key) == feed)
        feed.refreshes.readFrom = .unknown
        try tables.feeds.updateRefreshes(of: feed)
        #expect(try tables.feeds.find(key) == feed)
        let address = try WebAddress("https://a.example/\(place)")
        try tables.sidecars.insert(
          Sidecar(
            kind: .cover, owner: nil, address: address, stem: "\(place)/cover",
            state: .wanted(failures: 0, next: Sample.moment), feedReadFrom: place))
        #expect(try tables.sidecars.cover(at: "\(place)/cover")?.feedReadFrom == place)
      }
    }
  }

  @Test("In a library of the version before, downloads of episodes are feeds', and where these were read is not known")
  func migration() throws {
    let folder = try TemporaryFolder()
    let (mine, its) = (try Sample.download("mine"), try Sample.download("its", position: 5))
    try FormerLibrary.make(in: folder, upTo: "31-former-origins", with: [mine, its]) { db in
      try db.execute(
        sql: """
          INSERT INTO feeds (key, id, url, url_hash, host, network, paused, title_key, next_at, failures, distrusted, ended,
            asked, read, episodes, added_at)
          VALUES (1, 'a', 'https://a.example/f', 1, 'a.example', 0, 0, 'a', 0, 0, 0, 0, 0, 0, 1, 0);
          INSERT INTO episodes (key, feed, fingerprint, media, missing, played, favorite, archived, download, added_at)
          VALUES (1, 1, 1, 0, 0, 0, 0, 0, 'its', 0);
          """)
    }
    let database = try LibraryDatabase.open(at: folder.databasePath)
    let id = try #require(FeedID("a"))
    try database.write { tables in
      #expect(try tables.downloads.find(mine.id)?.namer == .person)
      #expect(try tables.downloads.find(its.id)?.namer == .feed(.unknown))
      let refreshes = try #require(try tables.feeds.find(id)).refreshes
      #expect(refreshes.readFrom == .unknown && !refreshes.isLed)
    }
    try database.close()
  }
}
