import Flux
import GRDB
import Testing

@testable import Persistence
@testable import PodfluxCore

@Suite("The sidecars' table")
struct SidecarTableTests {
  private static func file(_ name: String, inode: UInt64) throws -> PublishedFile {
    PublishedFile(path: try LibraryPath(validating: name), length: 5, inode: inode, modifiedNanoseconds: 9)
  }

  private static func states() throws -> [Sidecar.State] {
    let file = try file("Show/a.info.json", inode: .max)
    return [
      .wanted(failures: 2, next: Sample.moment), .publishing(file, failures: 1), .present(file),
      .moving(file, to: try LibraryPath(validating: "Show/b.info.json")), .leaving(file, or: nil),
      .leaving(file, or: try LibraryPath(validating: "Show/b.info.json")), .disowned(file), .failed("it is gone"),
      .publishing(file, failures: 2, next: Sample.moment),
    ]
  }

  @Test("Each state is read back as it was written")
  func roundTrip() throws {
    let database = try LibraryDatabase.inMemory()
    let id = try #require(DownloadID("x"))
    try database.write { tables in
      for state in try Self.states() {
        try tables.sidecars.insert(
          Sidecar(kind: .info, owner: id, address: nil, stem: "Show/a.info", state: state))
      }
      #expect(try tables.sidecars.sidecars(of: id).map(\.state) == Self.states())
      var sidecar = try #require(try tables.sidecars.find(3))
      (sidecar.owner, sidecar.address) = (nil, try WebAddress("https://a.example/"))
      try tables.sidecars.update(sidecar)
      #expect(try tables.sidecars.find(3) == sidecar)
      #expect(try tables.sidecars.owed(limit: 9).map(\.key) == [4, 5, 6])
      try tables.sidecars.postpone(5)
      #expect(try tables.sidecars.owed(limit: 9).map(\.key) == [4, 6])
      try tables.sidecars.oweAll()
      #expect(try tables.sidecars.owed(limit: 2).map(\.key) == [4, 5])
      #expect(try tables.sidecars.due(at: Sample.moment, .nothing, limit: 9).map(\.key) == [2, 1, 9])
      #expect(try tables.sidecars.nextMoment(after: Timestamp(milliseconds: 0)) == Sample.moment)
      #expect(try tables.sidecars.nextMoment(after: Sample.moment) == nil)
      let (zero, early) = (Timestamp(milliseconds: 0), Timestamp(milliseconds: 7))
      try tables.sidecars.bringForward(dueAfter: Sample.moment, to: early)
      #expect(try tables.sidecars.nextMoment(after: zero) == Sample.moment)
      try tables.sidecars.bringForward(dueAfter: early, to: early)
      #expect(try tables.sidecars.nextMoment(after: zero) == early)
      #expect(try tables.sidecars.nextMoment(after: early) == nil)
    }
  }

  @Test("What waits for a session stands in the way of nothing else")
  func sessions() throws {
    let database = try LibraryDatabase.inMemory()
    try database.write { tables in
      for (number, session) in [Session.Key?.some(1), 1, 2, nil].enumerated() {
        var sidecar = Sidecar(
          kind: .chapters, owner: DownloadID("x\(number)"), address: try WebAddress("https://a.example/"),
          stem: "Show/\(number)", state: .wanted(failures: 0, next: Sample.moment))
        sidecar.session = session
        try tables.sidecars.insert(sidecar)
      }
      func due(_ need: SidecarNeed) throws -> [Sidecar.Key] {
        try tables.sidecars.due(at: Sample.moment, need, limit: 2).map(\.key)
      }
      #expect(try due(.network(sparing: [])) == [1, 2])
      #expect(try due(.network(sparing: [1])) == [3, 4])
      #expect(try due(.network(sparing: [1, 2])) == [4])
      #expect(try tables.sidecars.sidecars(of: 1, after: 0, limit: 9).map(\.key) == [1, 2])
      #expect(try tables.sidecars.sidecars(of: 1, after: 1, limit: 9).map(\.key) == [2])
      #expect(try due(.sessions([1])) == [1, 2] && due(.sessions([2])) == [3] && due(.nothing) == [])
    }
  }

  @Test("A file is known by its place, and by its inode, length and time; not where a download's file has the place")
  func known() throws {
    let database = try LibraryDatabase.inMemory()
    let file = try Self.file("Show/a.info.json", inode: 70)
    try database.write { tables in
      try tables.sidecars.insert(
        Sidecar(kind: .info, owner: nil, address: nil, stem: "Show/a.info", state: .disowned(file)))
    }
    func isKnown(_ place: String, inode: UInt64, modified: Int64 = 9) throws -> Bool {
      try database.read {
        try $0.isSidecar(
          FoundFile(place: EntryPath(bytes: Array(place.utf8)), length: 5, inode: inode, modifiedNanoseconds: modified))
      }
    }
    #expect(try isKnown("Show/a.info.json", inode: 71, modified: 1))
    #expect(try isKnown("elsewhere", inode: 70))
    #expect(try !isKnown("elsewhere", inode: 70, modified: 1))
    #expect(try !isKnown("elsewhere", inode: 71))
    try database.write { tables in
      var download = try Sample.download("x")
      download.state = .completed(try Self.file("Show/a.mp3", inode: 72))
      download.dates.finished = Sample.moment
      try tables.downloads.insert(download)
      #expect(try tables.sidecars.isUsed(LibraryPath(validating: "Show")))
      #expect(try !tables.sidecars.isUsed(LibraryPath(validating: "Sho")))
    }
    #expect(try !isKnown("Show/a.info.json", inode: 72))
  }

  @Test("A library of the version before gets the table, and its downloads stay as they are")
  func migrates() throws {
    let folder = try TemporaryFolder()
    var draw = RandomDownloads(seed: 20)
    let downloads = try (0..<50).map { try draw.download($0) }
    try FormerLibrary.make(in: folder, upTo: "19-episode-filters", with: downloads)
    let database = try LibraryDatabase.open(at: folder.databasePath)
    #expect(try database.read { try $0.downloads(limit: 1000) }.map(\.id) == downloads.map(\.id))
    #expect(try database.read { try $0.sidecars(limit: 9) }.isEmpty)
    try database.write { try $0.sidecars.save(scanAfter: 7) }
    #expect(try database.read { try $0.stores().sidecars.scanAfter } == 7)
    try database.write { try $0.sidecars.save(scanAfter: nil) }
    #expect(try database.read { try $0.stores().sidecars.scanAfter } == nil)
    try database.close()
  }
}
