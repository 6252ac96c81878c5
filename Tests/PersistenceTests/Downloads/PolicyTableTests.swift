import Flux
import GRDB
import Testing

@testable import Persistence
@testable import PodfluxCore

@Suite("Policies and bytes in the tables")
struct PolicyTableTests {
  private let database: LibraryDatabase

  init() throws {
    database = try LibraryDatabase.inMemory()
  }

  private func insert(_ name: String, podcast: String?, own: NetworkPolicy = .inherit) throws {
    var download = try Sample.download(name, description: .init(podcast: podcast))
    download.networks.own = own
    try database.write { try $0.downloads.insert(download) }
  }

  private func networks(_ name: String) throws -> Download.Networks? {
    try database.read { try $0.download(try #require(DownloadID(name))) }?.networks
  }

  @Test("A podcast's policy applies to its downloads in every spelling, and to no others")
  func spellings() throws {
    try insert("composed", podcast: "Zo\u{E9}")
    try insert("decomposed", podcast: "Zoe\u{301}", own: .unmetered)
    try insert("other", podcast: "Zoe")
    try insert("none", podcast: nil)
    try database.write { try $0.downloads.setNetwork(.any, ofPodcast: "Zo\u{E9}") }
    #expect(try networks("composed") == .init(own: .inherit, podcast: .any))
    #expect(try networks("decomposed") == .init(own: .unmetered, podcast: .any))
    #expect(try networks("other") == .init())
    #expect(try networks("none") == .init())
  }

  @Test("A turn sees the policy that it has set, also in rows that it has read before")
  func remembered() throws {
    try insert("a", podcast: "Show")
    let id = try #require(DownloadID("a"))
    try database.write { tables in
      #expect(try tables.downloads.find(id)?.networks.effective == .inherit)
      try tables.downloads.setNetwork(.any, ofPodcast: "Show")
      #expect(try tables.downloads.find(id)?.networks.effective == .any)
      let next = try tables.downloads.nextAdmissible { $0.policy == .any }
      #expect(next?.id == id)
    }
  }

  @Test("A download that may not run does not hold up others of its host")
  func lanes() throws {
    for number in 0..<50 {
      var download = try Sample.download("auto\(number)", position: Int64(number))
      download.origin = .auto
      try database.write { try $0.downloads.insert(download) }
    }
    try database.write { try $0.downloads.insert(try Sample.download("user", position: 99)) }
    var asked = 0
    let next = try database.write { tables in
      try tables.downloads.nextAdmissible { lane in
        asked += 1
        return lane.origin == .user
      }
    }
    #expect(next?.id == DownloadID("user"))
    #expect(asked == 2)
  }

  /// Lengths beyond any disk would overflow a sum.
  @Test("Bytes are counted up to a sum's maximum, and subtracted as they were added")
  func hugeFiles() throws {
    let names = (0..<20).map { "x\($0)" }
    try database.write { tables in
      for name in names {
        var download = try Sample.download(name, state: .completed(try Sample.file()))
        download.progress.durable = Sample.longest
        try tables.downloads.insert(download)
      }
      #expect(try tables.downloads.storedBytes() == 20 << 50)
      for name in names { try tables.downloads.delete(try #require(DownloadID(name))) }
      #expect(try tables.downloads.storedBytes() == 0)
    }
  }

  @Test("A rollback leaves the bytes unchanged")
  func undone() throws {
    struct Stop: Error {}
    var download = try Sample.download()
    download.progress.durable = 7
    try database.write { try $0.downloads.insert(download) }
    let ledger = database.ledger()
    #expect(throws: Stop.self) {
      try ledger.transaction { tables in
        try tables.downloads.delete(download.id)
        throw Stop()
      }
    }
    #expect(try ledger.transaction { try $0.downloads.storedBytes() } == 7)
  }

  @Test("Readers without an engine see the obstacles in the tables")
  func obstacles() throws {
    var settings = Settings()
    settings.network.auto = .any
    settings.schedule = [ScheduleWindow(days: [.mon], from: 0, to: 1)]
    // A Friday.
    let now = Sample.moment
    let later = now.advanced(byMilliseconds: 1)
    try database.write { tables in
      try tables.save(settings)
      try tables.save(Sample.network)
      try tables.save(cooldownOf: "past.example", until: now)
      try tables.save(cooldownOf: "cool.example", until: later)
    }
    let seen = try database.read { try $0.obstacles(now: now) }
    #expect(seen.unmetered == .policy)
    #expect(seen.any == nil)
    guard case .schedule(let until) = seen.all else {
      Issue.record("\(seen)")
      return
    }
    #expect(until.map { $0 > now } == true)
    #expect(seen.classes == settings.network)
    #expect(seen.cooldowns == ["cool.example": later])
    #expect(seen.departing.isEmpty)
  }

  @Test("If many downloads wait for storage, all others wait too, for the smallest need")
  func lackOfRoom() throws {
    let count = Obstacle.roomlessLimit
    for number in 0..<count {
      let error = DownloadError(.noSpace, "full", shortBytes: Int64(count - number))
      let state = DownloadState.waiting(.storage(until: Sample.moment, after: error))
      try database.write { try $0.downloads.insert(try Sample.download("x\(number)", state: state)) }
      let all = try database.read { try $0.obstacles(now: Sample.moment) }.all
      #expect(all == (number + 1 < count ? nil : .storage(shortBytes: 1)))
    }
  }
}
