import CSQLite
import Flux
import GRDB
import Testing

@testable import Persistence
@testable import PodfluxCore

@Suite("The sessions' table")
struct SessionTableTests {
  @Test("Each state is read back as it was written, and written again in its place")
  func roundTrip() throws {
    let database = try LibraryDatabase.inMemory()
    let sessions = try Sample.sessions()
    try database.write { tables in
      for session in sessions { try tables.sessions.save(session) }
      #expect(try tables.sessions.all() == sessions)
      var last = try #require(sessions.last)
      (last.state, last.token, last.wish.secret, last.wish.user) = (.closed, 1 << 62, nil, nil)
      last.wish.parameter = "X-Token~1"
      try tables.sessions.save(last)
      #expect(try tables.sessions.all() == sessions.dropLast() + [last])
      try tables.sessions.delete(last.key)
    }
    #expect(try database.read { try $0.stores().sessions.view.sessions.count } == sessions.count - 1)
  }

  @Test("Downloads, feeds and sidecars keep their session, and it is known who refers to it")
  func references() throws {
    let database = try LibraryDatabase.inMemory()
    try database.write { tables in
      var download = try Sample.download("x")
      download.session = 1000
      try tables.downloads.insert(download)
      #expect(try tables.downloads.find(download.id)?.session == 1000)
      #expect(try tables.sessions.isReferredTo(1000))
      download.session = nil
      try tables.downloads.update(download)
      #expect(try !tables.sessions.isReferredTo(1000))
      let key = try tables.feeds.insert(
        try #require(FeedID("f")), at: try WebAddress("https://a.example/f"), wishes: .init(), session: 3,
        next: Sample.moment, added: Sample.moment)
      #expect(try tables.feeds.find(key)?.session == 3)
      #expect(try tables.sessions.isReferredTo(3))
      let sidecar = Sidecar(
        kind: .picture, owner: download.id, address: try WebAddress("https://a.example/p"), stem: "p",
        state: .wanted(failures: 0, next: Sample.moment), session: 4)
      try tables.sidecars.insert(sidecar)
      #expect(try tables.sidecars.find(1)?.session == 4)
      #expect(try tables.sessions.isReferredTo(4))
    }
  }

  @Test("A feed that was refused is due when its session is opened again; others stay")
  func refused() throws {
    let database = try LibraryDatabase.inMemory()
    try database.write { tables in
      for (name, code) in [("a", DownloadError.Code.unauthorized), ("b", .notFound)] {
        let key = try tables.feeds.insert(
          try #require(FeedID(name)), at: try WebAddress("https://\(name).example/f"), wishes: .init(), session: 1,
          next: Sample.moment.advanced(byDays: 9), added: Sample.moment)
        var feed = try #require(try tables.feeds.find(key))
        feed.refreshes.error = DownloadError(code, "no")
        try tables.feeds.update(feed)
      }
      try tables.feeds.makeRefusedDue(of: 2, at: Sample.moment)
      #expect(try tables.feeds.nextMoment(after: Sample.moment) == Sample.moment.advanced(byDays: 9))
      try tables.feeds.makeRefusedDue(of: 1, at: Sample.moment)
      var lanes: [QueueLane] = []
      let due = try tables.feeds.due(at: Sample.moment, on: .allBut([]), besides: []) { _, lane in
        lanes.append(lane)
        return .taken
      }
      #expect(due.map(\.id) == [FeedID("a")])
      #expect(lanes.map(\.session) == [1])
    }
  }

  @Test("The downloads of a session form a lane of their own, and count as waiting while it is not open")
  func lanes() throws {
    let database = try LibraryDatabase.inMemory()
    try database.write { tables in
      for (number, session) in [Session.Key?.some(1), 1, nil, 1000].enumerated() {
        var download = try Sample.download("x\(number)", position: Int64(number))
        download.session = session
        try tables.downloads.insert(download)
      }
      #expect(try tables.downloads.nextAdmissible { $0.session != 1 }?.id == DownloadID("x2"))
      #expect(try tables.downloads.nextAdmissible { $0.session == 1000 }?.id == DownloadID("x3"))
      #expect(try tables.downloads.nextAdmissible(of: 1)?.id == DownloadID("x0"))
      #expect(try tables.downloads.nextAdmissible(of: 1000)?.id == DownloadID("x3"))
      #expect(try tables.downloads.nextAdmissible(of: 2) == nil)
    }
    let obstacles = Obstacles(parked: [1])
    try database.read { tables in
      #expect(
        try tables.visibleStates(obstacles).filter { $0.value != 0 } == [
          VisibleState(kind: .waiting, reason: .auth): 2, VisibleState(kind: .queued): 2,
        ])
      let moment = ConditionMoment(now: Sample.moment, obstacles: obstacles)
      let query = DownloadsQuery(condition: .reasons([.auth]), isUnfiltered: true)
      let page = try tables.page(query, filters: .init(active: [], text: ""), at: moment)
      #expect(page.downloads.map(\.id.description) == ["x0", "x1"])
    }
  }

  @Test("A library whose sessions have no parameter yet keeps them, and takes one that has")
  func parameters() throws {
    let folder = try TemporaryFolder()
    try FormerLibrary.make(in: folder, upTo: "22-sessions", with: []) { db in
      try db.execute(
        sql: """
          INSERT INTO sessions (key, id, hosts, kind, user, reference, state, cached, renewal, failures, since, token)
          VALUES (1, 's', '["a.example"]', 'bearer', NULL, NULL, 'closed', 0, 0, 0, 5, 3)
          """)
    }
    let database = try LibraryDatabase.open(at: folder.databasePath)
    let kept = try #require(try database.read { try $0.sessions() }.first)
    #expect(kept.wish == Session.Wish(hosts: ["a.example"], kind: .bearer) && kept.token == 3)
    let sample = try #require(try Sample.sessions().last)
    try database.write { try $0.sessions.save(sample) }
    #expect(try database.read { try $0.sessions() } == [kept, sample])
    // A parameter belongs to its kind, and to no other.
    var wrong = sample
    wrong.wish.parameter = nil
    #expect(throws: (any Error).self) { try database.write { try $0.sessions.save(wrong) } }
    wrong = kept
    wrong.wish.parameter = "auth"
    #expect(throws: (any Error).self) { try database.write { try $0.sessions.save(wrong) } }
    try database.close()
  }

  @Test("The downloads of a session are found in as many steps, however many lanes others have", arguments: [10, 1000])
  func steps(lanes: Int) throws {
    let database = try LibraryDatabase.inMemory()
    try database.write { tables in
      for number in 0..<lanes {
        var download = try Sample.download("x\(number)", position: Int64(number))
        download.address = try WebAddress("https://host\(number).example/")
        download.session = number.isMultiple(of: 2) ? nil : 2
        try tables.downloads.insert(download)
      }
      #expect(try tables.downloads.nextAdmissible(of: 1) == nil)
    }
    try database.withConnection { db in
      let statement = try db.cachedStatement(sql: QueueKey.ofSession)
      _ = sqlite3_stmt_status(statement.sqliteStatement, SQLITE_STMTSTATUS_VM_STEP, 1)
      #expect(try QueueKey.fetchAll(statement, arguments: [1]).isEmpty)
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM lanes") == lanes)
      #expect(sqlite3_stmt_status(statement.sqliteStatement, SQLITE_STMTSTATUS_VM_STEP, 0) < 20)
    }
  }

  @Test("A library of the version before gets the table, and its downloads, lanes and classes stay as they are")
  func migrates() throws {
    let folder = try TemporaryFolder()
    var draw = RandomDownloads(seed: 22)
    let downloads = try (0..<50).map { try draw.download($0) }
    try FormerLibrary.make(in: folder, upTo: "21-tags", with: downloads)
    let database = try LibraryDatabase.open(at: folder.databasePath)
    #expect(try database.read { try $0.downloads(limit: 1000) }.map(\.id) == downloads.map(\.id))
    #expect(try database.read { try $0.sessions() }.isEmpty)
    try database.write { tables in
      let first = try tables.downloads.nextAdmissible { _ in true }
      let free = downloads.filter(\.isAdmissible)
      #expect(first?.rank.priority == free.map(\.rank.priority).min { $0.code < $1.code })
      var download = try #require(try tables.downloads.find(downloads[0].id))
      download.session = 1000
      // The class of a session of that number is larger than any before.
      try tables.downloads.update(download)
      #expect(try tables.downloads.find(download.id)?.session == 1000)
    }
    try database.close()
  }
}
