import Flux
import Testing

@testable import PodfluxCore

@Suite("The cleanup's decisions on files without rows")
struct CleanupPlannerOrphanTests {
  private let scene = PlannerScene()

  // MARK: Orphans

  @Test(
    "An orphan: quarantined, deleted, adopted or left, according to the option",
    arguments: zip(CleanupOptions.Orphans.allCases, [CleanupStep.Decision.quarantine, .delete, .adopt, .leave]))
  func orphan(option: CleanupOptions.Orphans, decision: CleanupStep.Decision) throws {
    let found = scene.found("s/x", length: 7, inode: 1)
    let steps = try scene.plan(.init(orphans: option))
    #expect(steps.map(\.finding) == [.orphan(found)])
    #expect(steps.map(\.decision) == [decision])
    #expect(steps.map(\.status) == [decision == .leave ? .left : .planned])
    #expect(scene.planner.otherBytes == 7)
    #expect(scene.read.isEmpty)
  }

  @Test("A path that is not UTF-8, or that no row can store, is left instead of adopted")
  func unnameable() throws {
    for (number, name) in [[0x61, 0xFF], [0xC3, 0x28], Array(".hidden".utf8), Array("a\nb".utf8)].enumerated() {
      scene.add(FoundFile(place: EntryPath(bytes: name), length: 1, inode: UInt64(number)))
    }
    #expect(try scene.plan(.init(orphans: .adopt)).map(\.decision) == [.leave, .leave, .leave, .leave])
    #expect(try scene.plan().map(\.decision) == [.quarantine, .quarantine, .quarantine, .quarantine])
  }

  @Test("A restored file is not quarantined again, but may be adopted")
  func restored() throws {
    let found = scene.found("x", inode: 1)
    scene.restored = [found]
    #expect(try scene.decisions() == ["orphan x: leave"])
    #expect(try scene.decisions(.init(orphans: .delete)) == ["orphan x: leave"])
    #expect(try scene.decisions(.init(orphans: .adopt)) == ["orphan x: adopt"])
    // Another file at the same path is another file.
    scene.entries = []
    scene.found("x", inode: 2)
    #expect(try scene.decisions() == ["orphan x: quarantine"])
  }

  @Test("A restored damaged file is not quarantined again either")
  func restoredRemains() throws {
    let found = scene.found("x", length: 7, inode: 1)
    try scene.former("a", "x", length: 7, inode: 1, .corrupt)
    #expect(try scene.decisions() == ["orphan x: quarantine"])
    scene.restored = [found]
    #expect(try scene.decisions() == ["orphan x: leave"])
  }

  // MARK: Former files

  @Test("A file that was missing is its download's again when it is back, under any option; another one there is not")
  func back() throws {
    try scene.former("a", "x", inode: 1, .missing)
    scene.found("x", inode: 1)
    for option in CleanupOptions.Orphans.allCases {
      #expect(try scene.decisions(.init(orphans: option)) == ["adoptable x: adopt"])
    }
    scene.entries = []
    scene.found("x", inode: 2)
    #expect(try scene.decisions(.init(orphans: .report)) == ["adoptable x: offer"])
  }

  @Test("What is back with other content is offered to no download")
  func backChanged() throws {
    try scene.former("a", "x", inode: 1, content: "mine", .missing)
    scene.found("x", inode: 1, content: "other")
    #expect(try scene.decisions(.init(orphans: .report)) == ["orphan x: leave"])
  }

  private func expectAdoptable(
    _ owner: String, sha256: String? = nil, at sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let expected: [(CleanupOptions.Orphans, CleanupStep.Decision)] = [
      (.quarantine, .offer), (.delete, .offer), (.report, .offer), (.adopt, .adopt),
    ]
    for (option, decision) in expected {
      let steps = try scene.plan(.init(orphans: option))
      #expect(steps.map(\.finding.kind) == [.adoptable], sourceLocation: sourceLocation)
      #expect(steps.map(\.decision) == [decision], sourceLocation: sourceLocation)
      guard case .adoptable(_, let actual, let actualHash) = steps.first?.finding else { continue }
      #expect(actual == (try .named(owner)), sourceLocation: sourceLocation)
      #expect(actualHash == sha256, sourceLocation: sourceLocation)
    }
  }

  @Test("The file that a removed download left may be its own again, and is not touched", arguments: [nil, "mine"])
  func kept(content: String?) throws {
    try scene.former("a", "x", inode: 1, content: content, .kept)
    scene.found("x", inode: 1, content: content)
    try expectAdoptable("a", sha256: content.map(PlannerScene.sha256))
    // Only an adopted file is read: its row will record the content.
    #expect(scene.read.count == (content == nil ? 0 : 1))
  }

  /// Seed 3310175 of the simulator: each run planned to adopt it, and none did.
  @Test("A file at the path of a row that must stay there is left: the row's own file took the place of one that stays")
  func atPathOfHeldRow() throws {
    try scene.row("a", at: "x", inode: 1, content: "mine")
    try scene.row("b", at: "y", inode: 2)
    try scene.former("c", "x", inode: 3, content: "mine", .kept)
    scene.found("x", inode: 3, content: "mine")
    scene.found("y", inode: 1, content: "mine")
    // No row can keep that name.
    scene.add(FoundFile(place: EntryPath(bytes: Array(#"s\z"#.utf8)), length: 10, inode: 2))
    for orphans in CleanupOptions.Orphans.allCases {
      let steps = try scene.plan(.init(orphans: orphans))
      #expect(steps.count == 3 && steps.allSatisfy { [.leave, .offer].contains($0.decision) }, "\(orphans): \(steps)")
    }
  }

  @Test("A file that was missing and is back at its path, with another inode")
  func missingIsBack() throws {
    try scene.former("a", "x", inode: 1, .missing)
    scene.found("x", inode: 2)
    try expectAdoptable("a")
  }

  /// Seed 689 of the simulator, with links and tags: the kept file was deleted, by this run or the next one, as the
  /// order of paths had it.
  @Test("A kept file stays beside one of the same download that is back", arguments: [false, true], [nil, "kept"])
  func keptBesideBack(isBackFirst: Bool, content: String?) throws {
    let (kept, back) = isBackFirst ? ("y", "x") : ("x", "y")
    try scene.former("a", kept, length: 9, inode: 1, content: content, .kept)
    try scene.former("a", back, inode: 2, .missing)
    scene.found(kept, length: 9, inode: 1, content: content)
    let file = scene.found(back, inode: 2)
    for orphans in [CleanupOptions.Orphans.delete, .quarantine, .report] {
      #expect(
        try scene.decisions(.init(orphans: orphans)).sorted()
          == ["adoptable \(kept): offer", "adoptable \(back): adopt"].sorted())
    }
    // The download has that one by now.
    scene.rows = [
      ExpectedFile(
        download: try .named("a"), file: try #require(file.published(sha256: nil)), isCompleted: true)
    ]
    scene.formers.removeLast()
    #expect(try scene.decisions(.init(orphans: .delete)) == ["adoptable \(kept): offer"])
    #expect(try scene.decisions(.init(orphans: .adopt)) == ["orphan \(kept): adopt"])
  }

  @Test("Of two files of one download that are back, it gets one and the other stays")
  func twoBack() throws {
    for (path, inode) in [("x", 1), ("y", 2)] {
      try scene.former("a", path, inode: UInt64(inode), .missing)
      scene.found(path, inode: UInt64(inode))
    }
    #expect(try scene.decisions(.init(orphans: .delete)) == ["adoptable x: adopt", "adoptable y: offer"])
    #expect(try scene.decisions(.init(orphans: .adopt)) == ["adoptable x: adopt", "orphan y: adopt"])
  }

  @Test("What is back is its download's, and not offered to one that has another file by now")
  func backForAnother() throws {
    try scene.former("a", "x", inode: 1, .missing)
    try scene.former("b", "x", inode: 1, .missing)
    scene.found("x", inode: 1)
    _ = try scene.present("a", at: "y", inode: 2)
    let steps = try scene.plan(.init(orphans: .delete))
    #expect(steps.map(\.decision) == [.adopt])
    #expect(steps.map(\.download) == [try .named("b")])
    scene.formers.removeLast()
    #expect(try scene.decisions(.init(orphans: .delete)) == ["adoptable x: offer"])
  }

  @Test("A file in the place that a failed download wants is an orphan when its own is back, in any order of paths")
  func wishedBesideBack() throws {
    for (wanted, back) in [("x", "y"), ("y", "x")] {
      let scene = PlannerScene()
      scene.wishes[scene.found(wanted, length: 9, inode: 1).place] = try .named("a")
      try scene.former("a", back, inode: 2, .missing)
      scene.found(back, inode: 2)
      #expect(
        try scene.decisions(.init(orphans: .delete)) == ["adoptable \(back): adopt", "orphan \(wanted): delete"])
    }
  }

  @Test("A former file at another path is recognized only by its content")
  func elsewhere() throws {
    try scene.former("a", "x", inode: 1, content: "mine", .missing)
    scene.found("y", inode: 2, content: "mine")
    try expectAdoptable("a", sha256: PlannerScene.sha256(of: "mine"))
    scene.entries = []
    scene.found("y", inode: 2, content: "other")
    #expect(try scene.decisions() == ["orphan y: quarantine"])
    // Without a known content, its inode proves nothing at another path.
    scene.formers = []
    try scene.former("a", "x", inode: 2, .missing)
    #expect(try scene.decisions() == ["orphan y: quarantine"])
  }

  @Test("Another content or another length at a former file's path is an orphan")
  func another() throws {
    try scene.former("a", "x", inode: 1, content: "mine", .missing)
    try scene.former("b", "z", inode: 3, .kept)
    scene.found("x", inode: 2, content: "other")
    scene.found("z", length: 11, inode: 3)
    #expect(try scene.decisions() == ["orphan x: quarantine", "orphan z: quarantine"])
  }

  @Test("A damaged file may be adopted again when its content is right, and not before")
  func corrupt() throws {
    try scene.former("a", "x", inode: 1, content: "mine", .corrupt)
    scene.found("x", inode: 1, content: "rot")
    #expect(try scene.decisions() == ["orphan x: quarantine"])
    scene.contents[1] = "mine"
    try expectAdoptable("a", sha256: PlannerScene.sha256(of: "mine"))
    // With unknown content, nothing proves that it is right.
    scene.formers = []
    try scene.former("a", "x", inode: 1, .corrupt)
    #expect(try scene.decisions() == ["orphan x: quarantine"])
  }

  @Test("The rest of a file that was only marked stays until a person allows the cleanup to take files")
  func marked() throws {
    try scene.former("a", "x", inode: 1, content: "mine", .corrupt)
    scene.found("x", length: 3, inode: 1, content: "rot")
    for (option, decision) in [
      (.report, .leave), (.adopt, .leave), (.quarantine, .quarantine), (.delete, .quarantine),
    ] as [(CleanupOptions.Orphans, CleanupStep.Decision)] {
      #expect(try scene.plan(.init(orphans: option)).map(\.decision) == [decision])
      #expect(try scene.plan(.init(orphans: option), isStart: true).map(\.decision) == [.leave])
    }
  }

  @Test("A second name of a download's file is left, with any option for orphans")
  func secondName() throws {
    _ = try scene.present("a", at: "a", inode: 1)
    scene.found("b", inode: 1)
    for option in CleanupOptions.Orphans.allCases {
      #expect(try scene.plan(.init(orphans: option)).map(\.status) == [.left])
    }
  }

  /// Seed 98 of the simulator, with links: the row knew the old length, and the second name was deleted.
  @Test("A second name of a file that another program has edited is left too, and the row follows its own name")
  func secondNameOfEdited() throws {
    try scene.row("a", at: "a", length: 10, inode: 1, time: 1)
    scene.found("a", length: 12, inode: 1, time: 2)
    let second = scene.found("b", length: 12, inode: 1, time: 2)
    scene.media[1] = true
    let steps = try scene.plan(.init(orphans: .delete))
    #expect(steps.map(\.finding.kind) == [.modified, .orphan])
    #expect(steps.map(\.decision) == [.follow, .leave])
    #expect(steps.last?.finding == .orphan(second))
  }

  @Test("No row follows a second name while the first one is there; when that has gone, its row does")
  func secondNameFollowed() throws {
    let file = try scene.present("a", at: "a", inode: 1, content: "x")
    // The inode of its own file was reused.
    try scene.row("stale", at: "b", inode: 1, content: "x")
    scene.found("c", inode: 1, content: "x")
    #expect(try scene.decisions() == ["missing b: forget", "orphan c: leave"])
    scene.rows.removeAll { $0.file != file }
    scene.entries.removeAll { $0.place == EntryPath(file.path) }
    #expect(try scene.decisions() == ["moved a to c: follow"])
  }

  /// Seed 7 of the simulator, with links: the name that a row could keep was deleted as an orphan.
  @Test("Of two new names of its file, a row follows the one that it can keep, and the other is left")
  func twoNewNames() throws {
    _ = try scene.present("here", at: "h", inode: 9)
    try scene.row("a", at: "a", length: 10, inode: 1, time: 1)
    scene.found("b", length: 12, inode: 1, time: 2)
    scene.found("c\\d", length: 12, inode: 1, time: 2)
    scene.media[1] = true
    scene.rows[1].finished = Timestamp(milliseconds: 1000)
    scene.births[1] = Timestamp(milliseconds: 900)
    #expect(try scene.decisions(.init(orphans: .delete)) == ["moved a to b: follow", "orphan c\\d: leave"])
  }

  @Test("A second name of what another program has put in a file's place is left")
  func secondNameOfReplacement() throws {
    _ = try scene.present("here", at: "h", inode: 9)
    try scene.row("a", at: "a", length: 10, inode: 1, time: 1)
    scene.found("a", length: 12, inode: 2, time: 2)
    scene.found("b", length: 12, inode: 2, time: 2)
    scene.media[2] = true
    #expect(try scene.decisions(.init(orphans: .delete)) == ["modified a: follow", "orphan b: leave"])
  }

  /// Seed 8 of the simulator, with links: both rows were to follow, and each further run found the second one's file
  /// gone.
  @Test("Of two rows in whose places one file has come under two names, one follows it, and the other has none")
  func oneFileForTwo() throws {
    _ = try scene.present("here", at: "h", inode: 9)
    try scene.row("a", at: "a", length: 10, inode: 1, time: 1)
    try scene.row("b", at: "b", length: 11, inode: 3, time: 1)
    for place in ["a", "b"] { scene.found(place, length: 12, inode: 2, time: 2) }
    scene.media[2] = true
    #expect(
      try scene.decisions(.init(orphans: .delete)) == ["modified a: follow", "missing b: forget", "orphan b: leave"])
  }

  @Test("No row follows a file that a row behind a link claims: the store would refuse it in each run")
  func claimedByKept() throws {
    _ = try scene.present("here", at: "h", inode: 9)
    try scene.row("a", at: "a", inode: 1)
    try scene.row("b", at: "l/b", inode: 1)
    scene.add("l") { .other($0) }
    scene.found("c", inode: 1)
    #expect(try scene.plan(.init(orphans: .delete)).allSatisfy { $0.status == .left })
  }

  @Test("A failed download gets the file at the path that it wants")
  func failed() throws {
    let found = scene.found("x", inode: 1)
    scene.wishes[found.place] = try .named("wisher")
    try expectAdoptable("wisher")
  }

  @Test("The download that had the file precedes the one that wants its path")
  func formerBeforeFailed() throws {
    let found = scene.found("x", inode: 1)
    scene.wishes[found.place] = try .named("wisher")
    try scene.former("a", "x", inode: 1, .kept)
    try expectAdoptable("a")
  }

  @Test("A content is read once, for any number of former files of its length")
  func readOnce() throws {
    for number in 0..<5 {
      try scene.former("a\(number)", "old/\(number)", inode: UInt64(number), content: "\(number)", .missing)
    }
    scene.found("y", inode: 77, content: "4")
    let steps = try scene.plan()
    #expect(steps.map(\.finding.download) == [try .named("a4")])
    #expect(scene.read.count == 1)
  }

  @Test(
    "A file in the place of a row whose own file is ambiguous is left: it may be an edit of that",
    arguments: [CleanupOptions.Orphans.quarantine, .delete, .adopt])
  func placeOfUntold(orphans: CleanupOptions.Orphans) throws {
    for name in ["moved", "moved\\away"] {
      let scene = PlannerScene()
      _ = try scene.present("b", at: "b", length: 5, inode: 9)
      let content = name == "moved" ? nil : "x"
      try scene.row("a", at: "a", inode: 1, content: "x")
      // Its file has been moved, and cannot be read, or its path not be stored in a row.
      scene.found(name, inode: 1, content: content)
      scene.found("a", length: 12, inode: 2)
      let steps = try scene.plan(.init(orphans: orphans))
      #expect(steps.map(\.decision) == [.leave, .leave])
      #expect(Set(steps.compactMap(\.finding.place?.text)) == ["a", name])
    }
  }

  @Test("No download adopts an unreadable stray for its content")
  func unreadable() throws {
    try scene.former("a", "x", inode: 1, content: "mine", .missing)
    scene.found("y", inode: 2, content: nil)
    #expect(try scene.decisions() == ["orphan y: quarantine"])
  }

  // MARK: Folders

  @Test("An empty folder is removed if the engine created it, and otherwise ignored")
  func emptyFolders() throws {
    scene.add("mine") { .emptyFolder($0) }
    scene.add("yours") { .emptyFolder($0) }
    scene.folders = [EntryPath(bytes: Array("mine".utf8))]
    #expect(try scene.decisions() == ["empty_folder mine: delete"])
  }

  // MARK: Partials

  private func download(_ change: (inout Download) throws -> Void = { _ in }) throws -> Download {
    var download = Download(
      id: try .named("a"), address: try .on("a.example"), description: .init(),
      rank: .init(priority: .normal, position: 0), origin: .user, state: .paused,
      progress: .init(durable: 500, total: 1_000, resume: .sample(durable: 500)), failures: 0,
      dates: .init(added: World.beginning, started: World.beginning), isHeld: false)
    try change(&download)
    return download
  }

  private func compare(
    _ length: Int64, with row: Download?, bootID: String = "boot", hash: String? = "hash"
  ) throws -> [CleanupStep] {
    var planner = CleanupPlanner(.init())
    let partial = FoundPartial(download: try .named("a"), length: length)
    planner.compare(partial, with: row, bootID: bootID) { _ in hash }
    return planner.steps
  }

  @Test("A partial file that matches its row stays")
  func partialAsItIs() throws {
    #expect(try compare(500, with: try download()).isEmpty)
  }

  @Test("A partial file of no download, of a completed one, or of one without a record of it is deleted")
  func orphanPartials() throws {
    let completed = try download { download in
      download.state = .completed(PublishedFile(path: try .sample, length: 1, inode: 1))
      download.dates.finished = World.beginning
    }
    let unknown = try download { $0.progress.resume = nil }
    for row in [nil, completed, unknown] {
      let steps = try compare(500, with: row)
      #expect(steps.map(\.finding) == [.orphanPartial(FoundPartial(download: try .named("a"), length: 500))])
      #expect(steps.map(\.decision) == [.delete])
    }
  }

  @Test("A running download's partial file changes all the time, and is not checked", arguments: [0, 200, 900])
  func runningPartial(length: Int64) throws {
    let row = try download { $0.state = .running(.receiving) }
    #expect(try compare(length, with: row).isEmpty)
    var planner = CleanupPlanner(.init())
    planner.compareWithNothing(row)
    #expect(planner.steps.isEmpty)
  }

  @Test("Shorter than its row says: the row's bytes are corrected")
  func shorter() throws {
    let record = ResumeRecord.sample(durable: 500)
    let steps = try compare(200, with: try download())
    #expect(
      steps.map(\.finding) == [.partial(try .named("a"), planned: record, length: 200, tailHash: "hash")])
    #expect(steps.map(\.decision) == [.correct])
    #expect(try compare(200, with: try download(), hash: nil).isEmpty)
    // Bytes of an earlier boot may be torn.
    let lost = CleanupStep.Finding.partial(try .named("a"), planned: record, length: 0, tailHash: "")
    #expect(try compare(200, with: try download(), bootID: "other").map(\.finding) == [lost])
  }

  @Test(
    "Longer: the surplus was never acknowledged, and the next attempt checks it", arguments: [501, 1_000, 1_001])
  func longer(length: Int64) throws {
    #expect(try compare(length, with: try download()).isEmpty)
  }

  @Test("Missing, or empty: no bytes are kept")
  func gone() throws {
    let record = ResumeRecord.sample(durable: 500)
    let lost = CleanupStep.Finding.partial(try .named("a"), planned: record, length: 0, tailHash: "")
    #expect(try compare(0, with: try download(), hash: nil).map(\.finding) == [lost])
    var planner = CleanupPlanner(.init())
    planner.compareWithNothing(try download())
    planner.compareWithNothing(try download { $0.progress.resume = nil })
    planner.compareWithNothing(try download { $0.progress.resume?.durable = 0 })
    #expect(planner.steps.map(\.finding) == [lost])
  }

  @Test("A stray file among the partial files, and expired files in quarantine")
  func others() throws {
    var planner = CleanupPlanner(.init(orphans: .quarantine))
    let file = FoundFile(place: EntryPath(bytes: [0xFF]), length: 9, inode: 1)
    planner.note(strayPartial: file)
    planner.note(expiredQuarantine: 0, before: 5)
    planner.note(expiredQuarantine: 8, before: 5)
    #expect(planner.steps.map(\.finding) == [.strayPartial(file), .expiredQuarantine(before: 5, bytes: 8)])
    #expect(planner.steps.map(\.decision) == [.quarantine, .delete])
    var reporting = CleanupPlanner(.init())
    reporting.note(strayPartial: file)
    #expect(reporting.steps.map(\.decision) == [.leave])
  }
}

extension LibraryPath {
  fileprivate static var sample: LibraryPath {
    get throws { try LibraryPath(validating: "Show/a.mp3") }
  }
}
