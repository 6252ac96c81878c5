import Flux
import GRDB
import Testing

@testable import Persistence
@testable import PodfluxCore

@Suite("The cleanup store's tables return what was written")
struct CleanupTableTests {
  private let database: LibraryDatabase
  private let id: DownloadID

  init() throws {
    database = try LibraryDatabase.inMemory()
    id = try #require(DownloadID("x"))
  }

  private func wish(_ id: DownloadID?, _ address: WebAddress) -> DownloadIntent.Enqueue {
    DownloadIntent.Enqueue(id: id, address: address)
  }

  // MARK: Runs

  static let stages: [CleanupRun.Stage] = [.waiting, .looking, .acting, .done, .cancelled, .refused, .failed]

  @Test("A run with all its fields, in each stage", arguments: stages)
  func runs(stage: CleanupRun.Stage) throws {
    var run = CleanupRun(
      key: 1 << 62, options: .init(mode: .plan, missing: .mark, orphans: .report, isDeep: true), cause: .client,
      askedAt: Sample.moment)
    try database.write { try $0.cleanup.save(run) }
    #expect(try database.read { try $0.cleanupRuns() } == [run])
    run.stage = stage
    run.endedAt = stage.isEnd ? Timestamp(milliseconds: -(1 << 53)) : nil
    run.reason = "nul\u{0} \"quote\" \u{1F600}"
    run.freedBytes = .max
    run.usage = CleanupRun.Usage(media: .max, partial: 1, quarantine: 2, database: 3, other: 4)
    for (number, kind) in CleanupStep.Finding.Kind.allCases.enumerated() {
      run.tallies[kind] = CleanupRun.Tally()
      run.tallies[kind]?.found = 1 << 40
      run.tallies[kind]?.bytes = .max - Int64(number)
      run.tallies[kind]?.done = number
      run.tallies[kind]?.left = 1
    }
    let changed = run
    try database.write { try $0.cleanup.save(changed) }
    #expect(try database.read { try $0.cleanupRuns() } == [changed])
    try database.write { try $0.cleanup.forget(changed.key) }
    #expect(try database.read { try $0.cleanupRuns() }.isEmpty)
  }

  @Test("Runs come in the order of their numbers, and the store gets each in its role")
  func stores() throws {
    let keys: [(CleanupRun.Key, CleanupRun.Stage)] = [(3, .waiting), (1, .cancelled), (2, .acting)]
    try database.write { tables in
      for (key, stage) in keys {
        var run = CleanupRun(key: key, options: .init(), cause: .start, askedAt: Sample.moment)
        run.stage = stage
        run.endedAt = stage.isEnd ? Sample.moment : nil
        try tables.cleanup.save(run)
      }
    }
    #expect(try database.read { try $0.cleanupRuns() }.map(\.key) == [1, 2, 3])
    let store = try database.read { try $0.stores() }.cleanup
    #expect(store.last?.key == 1)
    #expect(store.active?.key == 2)
    #expect(store.waiting?.key == 3)
    #expect(store.owesWork)
  }

  // MARK: Steps

  /// One of each kind, with names that are not UTF-8 where possible.
  static func findings(of id: DownloadID) throws -> [CleanupStep.Finding] {
    let file = try Sample.file()
    let bare = PublishedFile(path: try LibraryPath(validating: "a"), length: 0, inode: 0)
    let place = EntryPath(bytes: [0xFF, 0x00, 0x2F, 0xC3, 0x28, 0x0A, 0x22])
    let found = FoundFile(place: place, length: .max, inode: .max)
    return [
      .missing(id, file), .missing(id, bare), .missing(id, file, instead: found), .moved(id, from: file, to: bare),
      .modified(id, from: file, to: bare), .corrupt(id, file, found: found), .misnamed(id, file, to: bare.path),
      .orphan(found), .orphan(FoundFile(place: EntryPath(bytes: []), length: 0, inode: 0)),
      .adoptable(found, owner: id, sha256: file.sha256), .adoptable(found, owner: id, sha256: nil),
      .episodeFile(
        found,
        EpisodePairing(
          episodes: [EpisodeID(number: 7)], evidence: EpisodePairing.Evidence.allCases, confidence: .likely)),
      .orphanPartial(FoundPartial(download: id, length: .max)),
      .partial(id, planned: Sample.record, length: .max, tailHash: String(repeating: "a", count: 64)),
      .strayPartial(found), .emptyFolder(place), .foreign(place), .expiredQuarantine(before: .min, bytes: .max),
    ]
  }

  @Test("A step of each kind, decision and status, also for a name that is not UTF-8")
  func steps() throws {
    let findings = try Self.findings(of: id)
    #expect(Set(findings.map(\.kind)) == Set(CleanupStep.Finding.Kind.allCases))
    let decisions = CleanupStep.Decision.allCases
    let written = findings.enumerated().map { index, finding in
      CleanupStep(
        finding: finding, decision: decisions[index % decisions.count], because: "\(index) \"\u{0}\u{1F600}",
        status: CleanupStep.Status.allCases[index % 3], holder: index % 2 == 0 ? nil : id)
    }
    try database.write { tables in try written.forEach(tables.cleanup.insert) }
    let read = try database.read { try $0.cleanupSteps(PageRequest()) }
    #expect(read.next == nil)
    #expect(read.steps.map(\.key) == (1...Int64(written.count)).map { $0 })
    for (written, read) in zip(written, read.steps) {
      #expect(read.finding == written.finding)
      #expect(read.decision == written.decision)
      #expect(read.status == written.status)
      #expect(read.holder == written.holder)
      #expect(read.because == written.because.replacing("\u{0}", with: "\u{FFFD}"))
    }
  }

  @Test("Planned steps in order after one; the result of a step, and its reason")
  func planned() throws {
    try database.write { tables in
      let table = tables.cleanup
      for number in 0..<6 {
        let decision: CleanupStep.Decision = number == 2 ? .leave : .delete
        try table.insert(
          CleanupStep(
            finding: .emptyFolder(EntryPath(bytes: [UInt8(number)])), decision: decision, because: "\(number)"))
      }
      #expect(try table.planned(after: 0, limit: 10).map(\.key) == [1, 2, 4, 5, 6])
      #expect(try table.planned(after: 2, limit: 2).map(\.key) == [4, 5])
      try table.finish(4, as: .done, because: nil, holder: nil)
      try table.finish(5, as: .left, because: "It is too dark.", holder: nil)
      #expect(try table.planned(after: 2, limit: 2).map(\.key) == [6])
      #expect(try table.planned(after: 6, limit: 2).isEmpty)
    }
    let steps = try database.read { try $0.cleanupSteps(PageRequest()).steps }
    #expect(steps.map(\.status) == [.planned, .planned, .left, .done, .left, .planned])
    #expect(steps.map(\.because) == ["0", "1", "2", "3", "It is too dark.", "5"])
  }

  @Test("Pages of steps follow their numbers; a number is never reused")
  func pages() throws {
    let step = CleanupStep(finding: .foreign(EntryPath(bytes: [1])), decision: .leave, because: "")
    try database.write { tables in for _ in 0..<5 { try tables.cleanup.insert(step) } }
    let first = try database.read { try $0.cleanupSteps(PageRequest(limit: 3)) }
    #expect(first.steps.map(\.key) == [1, 2, 3])
    let second = try database.read { try $0.cleanupSteps(PageRequest(limit: 3, after: first.next)) }
    #expect(second.steps.map(\.key) == [4, 5])
    #expect(first.next != nil && second.next == nil)
    try database.write { tables in
      try tables.cleanup.removeSteps()
      try tables.cleanup.insert(step)
    }
    #expect(try database.read { try $0.cleanupSteps(PageRequest()).steps.map(\.key) } == [6])
  }

  // MARK: Former files

  @Test("A former file, for each cause; by its path, and by its length if its content is known")
  func formerFiles() throws {
    let written = try FormerFile.Cause.allCases.enumerated().map { index, cause in
      var former = try Sample.formerFile(cause, of: "x\(index)")
      former.file.path = try LibraryPath(validating: "Süß/\(index).mp3")
      former.file.sha256 = index == 2 ? nil : former.file.sha256
      return former
    }
    try database.write { tables in
      for former in written { try tables.formerFiles.insert(former, at: Sample.moment) }
    }
    func found(_ path: String, _ length: Int64) throws -> [FormerFile] {
      let file = FoundFile(place: EntryPath(bytes: Array(path.utf8)), length: length, inode: 5)
      return try database.read { try $0.formerFiles(like: file) }
    }
    for former in written { #expect(try found(former.file.path.description, 1) == [former]) }
    #expect(try found("elsewhere", Sample.longest) == Array(written.prefix(2)))
    #expect(try found("elsewhere", 1).isEmpty)
    // The one with the path comes first, even if it occurs twice.
    let order = [written[1], written[0], written[1]]
    #expect(try found("Süß/1.mp3", Sample.longest).map(\.download) == order.map(\.download))
  }

  @Test("The same former file is stored once, with its last cause; it is deleted when the download has it again")
  func formerFileOnce() throws {
    let missing = try Sample.formerFile(.missing)
    let kept = try Sample.formerFile(.kept)
    let file = FoundFile(place: EntryPath(kept.file.path), length: 1, inode: 1)
    try database.write { tables in
      try tables.formerFiles.insert(missing, at: Sample.moment)
      try tables.formerFiles.insert(kept, at: Sample.moment)
    }
    #expect(try database.read { try $0.formerFiles(like: file) } == [kept])
    try database.write { tables in
      #expect(try tables.formerFiles.formerFile(of: kept.download, at: kept.file.path)?.address == kept.address)
      try tables.formerFiles.forgetFormerFiles(of: kept.download, having: kept.file)
      #expect(try tables.formerFiles.formerFile(of: kept.download, at: kept.file.path) == nil)
      #expect(try tables.formerFiles.removedDownload(for: wish(kept.download, kept.address)) { _ in true } == nil)
    }
    #expect(try database.read { try $0.formerFiles(like: file) }.isEmpty)
  }

  @Test("A download that has a file again has lost no record of its others: only of this one, at any path")
  func othersStay() throws {
    let id = try #require(DownloadID("x"))
    func former(_ path: String, _ cause: FormerFile.Cause, inode: UInt64, sha256: String? = nil) throws -> FormerFile {
      var former = try Sample.formerFile(cause)
      former.file = PublishedFile(
        path: try LibraryPath(validating: path), length: 9, inode: inode, sha256: sha256)
      return former
    }
    let (mine, other) = (String(repeating: "a", count: 64), String(repeating: "b", count: 64))
    let stay = [
      try former("a", .kept, inode: 1), try former("b", .kept, inode: 2, sha256: mine),
      try former("c", .missing, inode: 3), try former("d", .missing, inode: 4, sha256: other),
      try former("e", .corrupt, inode: 7, sha256: mine), try former("f", .kept, inode: 0),
    ]
    let go = [
      try former("here", .corrupt, inode: 5), try former("here", .kept, inode: 6),
      try former("moved", .kept, inode: 7), try former("away", .missing, inode: 8, sha256: mine),
    ]
    let file = PublishedFile(path: try LibraryPath(validating: "here"), length: 9, inode: 7, sha256: mine)
    try database.write { tables in
      for former in stay + go { try tables.formerFiles.insert(former, at: Sample.moment) }
      try tables.formerFiles.forgetFormerFiles(of: id, having: file)
    }
    let found = try database.read { reader in
      try (stay + go).filter { former in
        try reader.formerFiles(like: FoundFile(place: EntryPath(former.file.path), length: 1, inode: 1))
          .contains(former)
      }
    }
    #expect(found == stay)
  }

  @Test("Of several former files of a download the one at the path is read, or else any")
  func formerFileAtPath() throws {
    let places = try ["a", "b", "c"].map { try LibraryPath(validating: $0) }
    try database.write { tables in
      for place in places.prefix(2) {
        var former = try Sample.formerFile(.kept)
        former.file.path = place
        try tables.formerFiles.insert(former, at: Sample.moment)
      }
      let id = try #require(DownloadID("x"))
      let read = try places.map { try tables.formerFiles.formerFile(of: id, at: $0)?.file.path }
      #expect(Array(read.prefix(2)) == places.prefix(2).map(Optional.some) && read[2] != nil)
    }
  }

  @Test(
    "A removed download is found by its id or its address, unless it was damaged",
    arguments: FormerFile.Cause.allCases)
  func removed(cause: FormerFile.Cause) throws {
    let former = try Sample.formerFile(cause)
    let other = try #require(DownloadID("other"))
    let elsewhere = try WebAddress("https://b.example/")
    let expected = cause == .corrupt ? nil : former.download
    try database.write { tables in
      let table = tables.formerFiles
      try table.insert(former, at: Sample.moment)
      let removed = { id, address in try table.removedDownload(for: wish(id, address)) { _ in true } }
      #expect(try removed(former.download, elsewhere) == expected)
      #expect(try removed(nil, former.address) == expected)
      #expect(try removed(other, former.address) == expected)
      #expect(try removed(other, elsewhere) == nil)
      #expect(try removed(nil, elsewhere) == nil)
    }
  }

  @Test("A former file keeps the title and the date of its download, removed alone or with all")
  func descriptions() throws {
    let published = try #require(PublicationDate(Sample.moment, offsetSeconds: 0))
    let file = try Sample.file(inode: 1)
    let download = try Sample.download(
      state: .completed(file), description: .init(title: "Episode", published: published))
    let expected = FormerFile(of: download, file, .kept)
    #expect(expected.title == "Episode" && expected.published == Sample.moment)
    let found = FoundFile(place: EntryPath(file.path), length: 1, inode: 1)
    try database.write { try $0.formerFiles.insert(expected, at: Sample.moment) }
    #expect(try database.read { try $0.formerFiles(like: found) } == [expected])
    try database.write { tables in
      try tables.formerFiles.forgetFormerFiles(of: download.id, having: file)
      try tables.downloads.insert(download)
      _ = try tables.downloads.apply(
        .remove(deletingFiles: false), to: .everything, at: Sample.conditionMoment, sparing: [])
    }
    #expect(try database.read { try $0.formerFiles(like: found) } == [expected])
  }

  @Test(
    "A bulk removal without files leaves former files; with files, none", arguments: [false, true])
  func bulk(deletingFiles: Bool) throws {
    try database.write { tables in
      for (index, state) in try Sample.states().enumerated() {
        try tables.downloads.insert(try Sample.download("x\(index)", state: state, position: Int64(index)))
      }
      _ = try tables.downloads.apply(
        .remove(deletingFiles: deletingFiles), to: .everything, at: Sample.conditionMoment, sparing: [])
    }
    let file = FoundFile(place: EntryPath(try Sample.file().path), length: 1, inode: 1)
    let formers = try database.read { try $0.formerFiles(like: file) }
    // The eighth is the completed one.
    let expected = FormerFile(
      download: try #require(DownloadID("x8")), address: try WebAddress("https://a.example/x8"),
      file: try Sample.file(inode: 1), cause: .kept, origin: .user)
    #expect(formers == (deletingFiles ? [] : [expected]))
  }

  // MARK: Rows and files

  @Test("Of two rows with one inode, a file is the row's whose length and time it has, at any path")
  func reusedInode() throws {
    let file = { (path: String, time: Int64) throws in
      PublishedFile(
        path: try LibraryPath(validating: path), length: 3, inode: 7, sha256: nil, modifiedNanoseconds: time)
    }
    let (first, second) = (try file("a", 1), try file("b", 2))
    try database.write { tables in
      try tables.downloads.insert(try Sample.download("x", state: .completed(first)))
      try tables.downloads.insert(try Sample.download("y", state: .completed(second)))
    }
    let (x, y) = (DownloadID("x"), DownloadID("y"))
    var found = FoundFile(try file("a", 2))
    #expect(try database.read { try $0.name(of: found) { $0 == second.path } } == .second)
    #expect(try database.read { try $0.name(of: found) { $0 == first.path } } == .free)
    #expect(try database.isNeeded(found, otherThanBy: x) { _ in false })
    #expect(try !database.isNeeded(found, otherThanBy: y) { _ in false })
    found.modifiedNanoseconds = 9
    #expect(try database.read { try $0.name(of: found) { _ in false } } == .own)
    #expect(try !database.isNeeded(found, otherThanBy: nil) { _ in false })
  }

  @Test("Expected files come in the byte order of their paths, page by page, also several of one path")
  func expectedFiles() throws {
    let paths = ["b/x", "a", "b", "b-", "é", "z", "b/x", "B"]
    try database.write { tables in
      for (index, path) in paths.enumerated() {
        let file = PublishedFile(path: try LibraryPath(validating: path), length: 1, inode: UInt64(index))
        let state: DownloadState = index == 3 ? .running(.publishing(file)) : .completed(file)
        try tables.downloads.insert(try Sample.download("x\(index)", state: state, position: Int64(index)))
      }
      try tables.downloads.insert(try Sample.download("queued", position: 99))
    }
    for limit in 1...9 {
      var files: [ExpectedFile] = []
      var cursor: TableReader.ExpectedCursor? = .start
      while let after = cursor {
        let page = try database.read { try $0.expectedFiles(after: after, limit: limit) }
        #expect(page.files.count <= limit)
        files += page.files
        cursor = page.next
      }
      #expect(files.map(\.file.inode) == [7, 1, 2, 3, 0, 6, 5, 4])
      #expect(files.map(\.place) == files.map(\.place).sorted())
      #expect(files.map(\.isCompleted) == files.map { $0.file.inode != 3 })
    }
  }

  @Test("Downloads with durable bytes that are not completed, in the order of their ids")
  func downloadsWithBytes() throws {
    try database.write { tables in
      for (index, state) in try Sample.states().enumerated() {
        var download = try Sample.download("x\(index + 10)", state: state, position: Int64(index))
        download.progress.durable = index.isMultiple(of: 2) ? 5 : 0
        try tables.downloads.insert(download)
      }
    }
    let names = { (after: String?, limit: Int) in
      try database.read {
        try $0.downloadsWithBytes(after: after.flatMap(DownloadID.init), limit: limit).map(\.id.description)
      }
    }
    // x18 is completed.
    #expect(try names(nil, 10) == ["x10", "x12", "x14", "x16", "x20"])
    #expect(try names("x12", 2) == ["x14", "x16"])
  }

  @Test("A failed download is found by the path that it wants, one in another state is not")
  func failedDownload() throws {
    let path = try LibraryPath(validating: "Süß/ep.mp3")
    try database.write { tables in
      for (index, state) in [DownloadState.queued, .paused, .failed(Sample.error)].enumerated() {
        let description = Download.Description(path: path)
        try tables.downloads.insert(
          try Sample.download("x\(index)", state: state, position: Int64(index), description: description))
      }
    }
    #expect(try database.read { try $0.failedDownload(wanting: EntryPath(path)) } == DownloadID("x2"))
    #expect(try database.read { try $0.failedDownload(wanting: EntryPath(bytes: [0xFF])) } == nil)
    #expect(try database.read { try $0.failedDownload(wanting: EntryPath(bytes: Array("Süß".utf8))) } == nil)
  }

  @Test("Only folders that the engine created are found")
  func folders() throws {
    try database.write { tables in
      try tables.upkeep.note(made: ["a", "a/b", "a/d"].map { try LibraryPath(validating: $0) })
      try tables.upkeep.note(made: [try LibraryPath(validating: "a/b")])
    }
    let isKnown = { (path: String) in
      try database.read { try $0.hasMade(EntryPath(bytes: Array(path.utf8))) }
    }
    for path in ["a", "a/b", "a/d"] { #expect(try isKnown(path), "\(path)") }
    for path in ["b", "a/c", "a/b/c", "A", ".podflux", ""] { #expect(try !isKnown(path), "\(path)") }
    let above = try database.write { tables in
      try tables.upkeep.madeFolders(above: try LibraryPath(validating: "a/b/c/x.mp3"))
    }
    #expect(above.map(\.description) == ["a/b", "a"])
  }

  @Test("In a library from before the cleanup, no folder counts as the engine's")
  func beforeCleanup() throws {
    let folder = try TemporaryFolder()
    let queue = try DatabaseQueue(path: folder.databasePath)
    try Schema.migrator.migrate(queue, upTo: "4-verifications")
    let paths = ["top.mp3", "Süß/Staffel 1/Teil/ep. 1.mp3", "Süß/Staffel 1/ep.mp3", "b/b/b/b"]
    try queue.write { db in
      for (index, path) in paths.enumerated() {
        let sql = """
          INSERT INTO downloads (id, url, url_hash, host, priority, position, origin, state, path, file_length, inode,
            durable, discarded, failures, added_at, finished_at, held)
          VALUES (?, 'https://a.example/', 1, 'a.example', 1, ?, 'user', 'completed', ?, 5, 5, 5, 0, 0, 1, 1, 0)
          """
        try db.execute(sql: sql, arguments: ["x\(index)", index, path])
      }
    }
    try queue.close()
    let database = try LibraryDatabase.open(at: folder.databasePath)
    let folders = try database.read { try String.fetchAll($0.db, sql: "SELECT path FROM folders ORDER BY path") }
    #expect(folders.isEmpty)
    #expect(try database.read { try $0.cleanupRuns() }.isEmpty)
    #expect(try !database.read { try $0.stores() }.cleanup.owesWork)
    #expect(try database.read { try $0.expectedFiles(after: .start, limit: 9).files.count } == 4)
    try database.close()
  }

  @Test("A second connection reads beside the first, and does not delay it")
  func secondConnection() throws {
    let folder = try TemporaryFolder()
    let database = try LibraryDatabase.open(at: folder.databasePath)
    let reader = try database.reader()
    try database.write { try $0.downloads.insert(try Sample.download("a", state: .completed(try Sample.file()))) }
    try reader.read { tables in
      #expect(try tables.expectedFiles(after: .start, limit: 9).files.count == 1)
      try database.write { try $0.downloads.delete(try #require(DownloadID("a"))) }
      #expect(try tables.expectedFiles(after: .start, limit: 9).files.count <= 1)
    }
    #expect(try reader.read { try $0.expectedFiles(after: .start, limit: 9) }.files.isEmpty)
    try reader.close()
    try database.close()
  }
}
