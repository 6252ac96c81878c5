import Flux
import Persistence
import PodfluxCore
import Testing

/// Bugs of the cleanup that the simulator has found, as direct tests.
@Suite("Cleanup bugs that the simulator found")
struct CleanupRegressionTests {
  // MARK: The planner

  @Test("A moved file at a path that no row can store is left, and so is its row")
  func unnameable() throws {
    let steps = try Self.plan(
      rows: [try Self.row("d", "a.mp3", inode: 1), try Self.row("e", "b.mp3", inode: 2)],
      files: [Self.file("b.mp3", inode: 2), Self.file("strange\\name.mp3", inode: 1)])
    #expect(steps.map(\.decision) == [.leave])
    #expect(steps.map(\.finding) == [.orphan(Self.file("strange\\name.mp3", inode: 1))])
  }

  @Test("A moved file that cannot be read is left, and so is its row")
  func unreadable() throws {
    let sha256 = String(repeating: "0", count: 64)
    let steps = try Self.plan(
      rows: [try Self.row("d", "a.mp3", inode: 1, sha256: sha256), try Self.row("e", "b.mp3", inode: 2)],
      files: [Self.file("b.mp3", inode: 2), Self.file("c.mp3", inode: 1)])
    #expect(steps.map(\.decision) == [.leave])
  }

  @Test("An unreadable file may be a missing file of its length, with any inode")
  func unreadableCopy() throws {
    let sha256 = String(repeating: "0", count: 64)
    let steps = try Self.plan(
      rows: [try Self.row("d", "a.mp3", inode: 1, sha256: sha256), try Self.row("e", "b.mp3", inode: 2)],
      files: [Self.file("b.mp3", inode: 2), Self.file("c.mp3", inode: 3)])
    #expect(steps.map(\.finding) == [.orphan(Self.file("c.mp3", inode: 3))])
    #expect(steps.map(\.decision) == [.leave])
  }

  @Test("A folder that a run's own steps empty is removed with them, and those above it")
  func emptied() throws {
    let steps = try Self.plan(
      CleanupOptions(orphans: .quarantine), rows: [],
      files: [Self.file("a/b/c.mp3", inode: 1), Self.file("z.mp3", inode: 2)])
    #expect(
      steps.map(\.finding) == [
        .orphan(Self.file("a/b/c.mp3", inode: 1)), .orphan(Self.file("z.mp3", inode: 2)),
        .emptyFolder(EntryPath(bytes: Array("a/b".utf8))), .emptyFolder(EntryPath(bytes: Array("a".utf8))),
      ])
  }

  @Test("Of two files that one download had, it gets one, and a new download the other")
  func twoFormerFiles() throws {
    let former = FormerFile(
      download: try #require(DownloadID("d")), address: try WebAddress("http://a.example/1"),
      file: try Self.row("d", "a.mp3", inode: 1).file, cause: .kept)
    var other = former
    other.file.path = try LibraryPath(validating: "b.mp3")
    let steps = try Self.plan(
      CleanupOptions(orphans: .adopt), rows: [], files: [Self.file("a.mp3", inode: 1), Self.file("b.mp3", inode: 1)],
      Evidence(former: [former, other]))
    #expect(steps.map(\.finding.kind) == [.adoptable, .orphan])
    #expect(steps.allSatisfy { $0.decision == .adopt })
  }

  @Test("After another boot nothing of a shortened partial file is trusted")
  func tornPartial() throws {
    let row = try Self.download(durable: 100)
    for (bootID, length) in [("boot", 60 as Int64), ("another", 0)] {
      var planner = CleanupPlanner(CleanupOptions())
      planner.compare(FoundPartial(download: row.id, length: 60), with: row, bootID: bootID) { _ in "hash" }
      guard case .partial(_, _, let believed, _)? = planner.steps.first?.finding else {
        Issue.record("\(planner.steps)")
        return
      }
      #expect(believed == length)
    }
  }

  @Test("A partial longer than its row says is left to the next attempt")
  func longerPartial() throws {
    var planner = CleanupPlanner(CleanupOptions())
    planner.compare(
      FoundPartial(download: try #require(DownloadID("d")), length: 200), with: try Self.download(durable: 100),
      bootID: "boot"
    ) { _ in "hash" }
    #expect(planner.steps.isEmpty)
  }

  // MARK: The store

  @Test("A waiting run begins in the turn in which the active one ends")
  func waiting() throws {
    var engine = try Engine()
    let first = try engine.look(for: CleanupOptions(missing: .mark))
    _ = try engine.send(.cleanup(.run(CleanupRequest(missing: .redownload))))
    let effects = try engine.send(.surveyed(first, .complete(.init(), remark: nil)))
    #expect(
      effects.contains { if case .startSurvey(let run, _) = $0 { run.options.missing == .redownload } else { false } })
  }

  @Test("A restart counts a run's findings from zero")
  func countedOnce() throws {
    var engine = try Engine()
    let run = try engine.look(for: CleanupOptions())
    let found = CleanupNews.found([
      CleanupStep(finding: .orphan(Self.file("a.mp3", inode: 1)), decision: .leave, because: "it is an orphan")
    ])
    _ = try engine.send(.surveyed(run, found))
    try engine.restart()
    _ = try engine.send(.surveyed(run, found))
    #expect(engine.cleanup.active?.tallies[.orphan]?.found == 1)
  }

  @Test("An unknown partial file is deleted although its download has been started before")
  func unknownPartial() throws {
    var engine = try Engine()
    let id = try #require(DownloadID("d"))
    _ = try engine.send(.downloads(.enqueue(.init(id: id, address: try WebAddress("http://a.example/1")))))
    let attempt = AttemptID(download: id, generation: engine.sequence)
    _ = try engine.send(.attempt(.init(attempt: attempt, news: .failed(.init(.notFound, "gone"), kept: nil))))
    let run = try engine.look(for: CleanupOptions())
    let step = CleanupStep(
      finding: .orphanPartial(FoundPartial(download: id, length: 0)), decision: .delete,
      because: "nothing is known of it")
    _ = try engine.send(.surveyed(run, .found([step])))
    let handed = try engine.send(.surveyed(run, .complete(.init(), remark: nil))).compactMap { effect in
      if case .cleanUp(let step) = effect { step } else { nil }
    }
    let key = try #require(handed.first?.key)
    let effects = try engine.send(.cleaned(key, .done))
    #expect(effects.contains { if case .delete(let deletion) = $0 { deletion.download == id } else { false } })
  }

  // MARK: Samples

  private static func plan(
    _ options: CleanupOptions = CleanupOptions(), rows: [ExpectedFile], files: [FoundFile],
    _ evidence: Evidence = Evidence()
  ) throws -> [CleanupStep] {
    var planner = CleanupPlanner(options)
    var (row, file) = (rows.makeIterator(), files.makeIterator())
    try planner.compare(
      rows: { row.next() }, entries: { file.next().map(LibraryEntry.file) }, evidence: evidence)
    try planner.decide(evidence)
    return planner.steps
  }

  private static func row(
    _ id: String, _ path: String, inode: UInt64, sha256: String? = nil
  ) throws -> ExpectedFile {
    let file = PublishedFile(path: try LibraryPath(validating: path), length: 10, inode: inode, sha256: sha256)
    return ExpectedFile(download: try #require(DownloadID(id)), file: file, isCompleted: true)
  }

  private static func file(_ path: String, inode: UInt64) -> FoundFile {
    FoundFile(place: EntryPath(bytes: Array(path.utf8)), length: 10, inode: inode)
  }

  private static func download(durable: Int64) throws -> Download {
    let record = ResumeRecord(
      url: "http://a.example/1", strongETag: nil, lastModified: nil, total: 1000, durable: durable, tailHash: "",
      bootID: "boot", savedAt: .init(milliseconds: 0))
    return Download(
      id: try #require(DownloadID("d")), address: try WebAddress(record.url), description: .init(),
      rank: .init(priority: .normal, position: 0), origin: .user, state: .queued,
      progress: .init(durable: durable, resume: record), failures: 0, dates: .init(added: .init(milliseconds: 0)),
      isHeld: false)
  }
}

/// A disk on which every read fails.
private struct Evidence: CleanupEvidence {
  var former: [FormerFile] = []

  var isCancelled: Bool { false }
  func sha256(of file: FoundFile) throws -> String? { nil }
  func formerFiles(like file: FoundFile) throws -> [FormerFile] {
    former.filter { EntryPath($0.file.path) == file.place }
  }
  func failedDownload(wanting place: EntryPath) throws -> DownloadID? { nil }
  func canAdopt(_ owner: DownloadID) throws -> Bool { true }
  func likeness(of file: FoundFile) throws -> MediaCheck.Likeness? { .other }
  func existed(_ file: FoundFile, at moment: Timestamp) throws -> Bool? { nil }
  func changed(_ file: FoundFile) throws -> Timestamp? { nil }
  func lostFile(ofLength length: Int64) throws -> DownloadID? { nil }
  func isNeeded(_ file: FoundFile, otherThanBy id: DownloadID?) throws -> Bool { false }
  func isClaimed(_ file: FoundFile, otherThanBy id: DownloadID?) throws -> Bool { false }
  func name(of file: FoundFile) throws -> FileName { .free }
  func isRestored(_ file: FoundFile) throws -> Bool { false }
  func hasMade(_ folder: EntryPath) throws -> Bool { true }
  func isSidecar(_ file: FoundFile) throws -> Bool { false }
}

/// The real stores on a library that can be restarted.
private struct Engine {
  private let database: LibraryDatabase
  private var dispatcher: Dispatcher<Stores>
  private let clock = ClockReading(wall: .init(milliseconds: 1_800_000_000_000), monotonicMilliseconds: 0)

  var cleanup: CleanupStore { dispatcher.state.cleanup }
  /// The sequence number of the last action.
  var sequence: Int64 { dispatcher.position.sequence }

  init() throws {
    database = try LibraryDatabase.inMemory()
    dispatcher = try Self.dispatcher(on: database)
    var patch = SettingsPatch()
    patch.cleanupOnStart = false
    _ = try send(.recovered(Recovery(published: [])))
    _ = try send(.updateSettings(patch))
    _ = try send(.cleanup(.cancel))
  }

  private static func dispatcher(on database: LibraryDatabase) throws -> Dispatcher<Stores> {
    try database.read {
      Dispatcher(state: try $0.stores(), position: try $0.position(), ledger: database.ledger(), seed: 1)
    }
  }

  mutating func restart() throws {
    dispatcher = try Self.dispatcher(on: database)
    _ = try send(.recovered(Recovery(published: [])))
  }

  mutating func send(_ action: Action) throws -> [Effect] {
    try dispatcher.dispatch([action], at: clock).effects
  }

  /// Requests a run, which then starts its survey.
  mutating func look(for options: CleanupOptions) throws -> CleanupRun.Key {
    for case .startSurvey(let run, _) in try send(.cleanup(.run(CleanupRequest(options)))) { return run.key }
    throw Refusal(.conflict, "the run does not begin")
  }
}
