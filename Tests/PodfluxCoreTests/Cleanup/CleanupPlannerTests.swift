import Flux
import Testing

@testable import PodfluxCore

@Suite("The cleanup's decisions on rows and their files")
struct CleanupPlannerTests {
  private let scene = PlannerScene()

  // MARK: There and gone

  @Test("If rows and files agree there is nothing to do")
  func present() throws {
    for (number, path) in ["b/x", "a", "b-", "b", "é", "B/y"].enumerated() {
      _ = try scene.present("x\(number)", at: path, length: 100, inode: UInt64(number), content: path)
    }
    #expect(try scene.plan().isEmpty)
    #expect(scene.planner.mediaBytes == 600)
    #expect(scene.planner.otherBytes == 0)
    #expect(scene.read.isEmpty)
    // A deep run reads everything once.
    #expect(try scene.plan(.init(isDeep: true)).isEmpty)
    #expect(scene.read.count == 6)
  }

  @Test(
    "A missing file: its download is removed, fetched again, or failed, according to the option",
    arguments: CleanupOptions.Missing.allCases)
  func missing(option: CleanupOptions.Missing) throws {
    _ = try scene.present("a", at: "s/a", inode: 1)
    let gone = try scene.row("b", at: "s/b", inode: 2)
    let step = try #require(try scene.plan(.init(missing: option)).first)
    #expect(scene.planner.steps.count == 1)
    #expect(step.finding == .missing(try .named("b"), gone))
    #expect(step.decision.rawValue == option.rawValue)
    #expect(step.status == .planned)
    #expect(!step.because.isEmpty)
  }

  @Test("A file that is just being published is left to its attempt, present or not")
  func publishing() throws {
    _ = try scene.present("a", at: "a", inode: 1)
    try scene.row("b", at: "b", inode: 2, isCompleted: false)
    try scene.row("c", at: "c", inode: 3, isCompleted: false)
    scene.found("c", length: 3, inode: 99)
    #expect(try scene.plan().isEmpty)
  }

  // MARK: Everything gone

  @Test("All files missing at once means a missing disk, and nothing is decided", arguments: [2, 3, 50])
  func everythingGone(count: Int) throws {
    for number in 0..<count { try scene.row("x\(number)", at: "s/\(number)", inode: UInt64(number)) }
    scene.found("lost+found", inode: 999)
    #expect(throws: CleanupPlanner.Failure.everythingGone(count)) { try scene.plan() }
    #expect(scene.planner.steps.isEmpty)
  }

  @Test("What was completed after a run was refused proves nothing; what was completed before does")
  func doubt() throws {
    for number in 0..<3 { try scene.row("x\(number)", at: "s/\(number)", inode: UInt64(number)) }
    _ = try scene.present("new", at: "s/new", inode: 99)
    for index in scene.rows.indices {
      let isNew = scene.rows[index].download.description == "new"
      scene.rows[index].finished = Timestamp(milliseconds: isNew ? 2000 : 1000)
    }
    #expect(throws: CleanupPlanner.Failure.everythingGone(3)) {
      try scene.plan(doubtedSince: Timestamp(milliseconds: 2000))
    }
    #expect(try scene.plan(doubtedSince: Timestamp(milliseconds: 2001)).count == 3)
    #expect(try scene.plan().count == 3)
  }

  /// A simulated life (seed 20008574) had this: while the disk was away a download was completed where it is mounted
  /// else, and its file was replaced. The next run counted that as the file of a download, and forgot all those whose
  /// files were away.
  @Test(
    "What was completed after a run was refused proves nothing either where it is moved, edited, damaged or unreadable",
    arguments: ["moved", "edited", "damaged", "unreadable"])
  func doubtWithDifferences(difference: String) throws {
    for number in 0..<3 { try scene.row("x\(number)", at: "s/\(number)", inode: UInt64(number)) }
    try scene.row("new", at: "s/new", inode: 99, time: 1)
    for index in scene.rows.indices {
      let isNew = scene.rows[index].download.description == "new"
      scene.rows[index].finished = Timestamp(milliseconds: isNew ? 2000 : 1000)
    }
    switch difference {
    case "moved": scene.found("s/other", inode: 99, time: 1)
    case "edited":
      scene.found("s/new", length: 11, inode: 98, time: 2)
      scene.media[98] = true
    case "damaged": scene.found("s/new", length: 3, inode: 99, time: 1)
    default:
      scene.found("s/new", length: 11, inode: 98, time: 2)
      scene.media[98] = .some(nil)
    }
    #expect(throws: CleanupPlanner.Failure.everythingGone(3)) {
      try scene.plan(doubtedSince: Timestamp(milliseconds: 2000))
    }
    #expect(try scene.plan().count == 4)
  }

  @Test("If the only file is missing, a person has deleted it")
  func onlyFileGone() throws {
    try scene.row("a", at: "a", inode: 1)
    #expect(try scene.decisions() == ["missing a: forget"])
  }

  @Test("One file that is present, moved or damaged proves that the disk is there")
  func notEverythingGone() throws {
    for number in 0..<5 { try scene.row("x\(number)", at: "s/\(number)", inode: UInt64(number)) }
    let all = (0..<5).map { "missing s/\($0): forget" }
    _ = try scene.present("here", at: "z", inode: 99)
    #expect(try scene.decisions() == all)
    scene.entries = []
    scene.found("elsewhere", inode: 99)
    #expect(try scene.decisions() == ["moved z to elsewhere: follow"] + all)
    scene.entries = []
    scene.found("z", length: 3, inode: 99)
    #expect(try scene.decisions() == ["corrupt z: quarantine"] + all)
  }

  // MARK: Moved

  @Test("A renamed file is recognized by its inode, and its row follows it")
  func renamed() throws {
    let was = try scene.row("a", at: "s/a.mp3", inode: 1)
    scene.found("other/b.mp3", inode: 1)
    var file = was
    file.path = try LibraryPath(validating: "other/b.mp3")
    #expect(try scene.plan().map(\.finding) == [.moved(try .named("a"), from: was, to: file)])
    #expect(scene.planner.mediaBytes == 10)
    #expect(scene.planner.otherBytes == 0)
  }

  @Test("A file with the inode, the length and another content may have been moved and changed")
  func reusedInode() throws {
    _ = try scene.present("here", at: "h", inode: 5)
    try scene.row("a", at: "a", inode: 1, content: "mine")
    scene.found("b", inode: 1, content: "other")
    scene.found("c", length: 11, inode: 2, content: "mine")
    #expect(try scene.decisions() == ["corrupt b: quarantine", "orphan c: quarantine"])
  }

  @Test("An inode that passed from one edited file to another proves nothing: each row keeps its path")
  func givenAnew() throws {
    let (first, second) = (
      try scene.row("a", at: "a", inode: 1, time: 100), try scene.row("b", at: "b", length: 9, inode: 2, time: 100)
    )
    for inode in [5, 1] as [UInt64] { scene.media[inode] = true }
    let files = [scene.found("a", length: 12, inode: 5, time: 200), scene.found("b", inode: 1, time: 201)]
    #expect(
      try scene.plan().map(\.finding) == [
        .modified(.named("a"), from: first, to: try #require(files[0].published(sha256: nil))),
        .modified(.named("b"), from: second, to: try #require(files[1].published(sha256: nil))),
      ])
  }

  /// The simulator's seed 186: the moved file was deleted as an orphan.
  @Test("A file that was moved and edited, or one with its reused inode: if another has its path, both are left")
  func doubtful() throws {
    for orphans in [CleanupOptions.Orphans.delete, .adopt] {
      let scene = PlannerScene()
      _ = try scene.present("here", at: "h", length: 7, inode: 9)
      try scene.row("a", at: "a", inode: 1, time: 100)
      scene.media[5] = true
      scene.found("a", length: 12, inode: 5, time: 200)
      scene.found("c", inode: 1, time: 201)
      let steps = try scene.plan(.init(orphans: orphans))
      #expect(steps.map(\.decision) == [.leave, .leave])
      #expect(Set(steps.compactMap(\.finding.place?.text)) == ["a", "c"])
    }
  }

  @Test(
    "A file that was moved and then edited is followed only if it existed when its download ended",
    arguments: [(900, true), (1100, false), (nil, false)] as [(Int64?, Bool)])
  func movedAndEdited(born: Int64?, isFollowed: Bool) throws {
    _ = try scene.present("other", at: "o", inode: 9)
    try scene.row("a", at: "a", inode: 1, time: 100)
    scene.rows[1].finished = Timestamp(milliseconds: 1000)
    scene.found("c", inode: 1, time: 200)
    scene.births[1] = born.map { Timestamp(milliseconds: $0) }
    // A younger one is a person's, with the inode of the file that is gone.
    let expected = isFollowed ? ["moved follow"] : ["missing forget", "orphan leave"]
    let steps = try scene.plan(.init(orphans: .report))
    #expect(steps.map { "\($0.finding.kind.rawValue) \($0.decision.rawValue)" } == expected)
  }

  @Test(
    "Files of one length and time that have each other's inodes: copies in their places, if they are younger than the downloads",
    arguments: [(900, false), (1100, true), (nil, false)] as [(Int64?, Bool)])
  func restored(born: Int64?, areCopies: Bool) throws {
    let inodes: [UInt64: UInt64] = [1: 2, 2: 3, 3: 1]
    for (number, inode) in inodes.sorted(by: <) {
      try scene.row("d\(number)", at: "\(number).mp3", inode: number, time: 100)
      scene.found("\(number).mp3", inode: inode, time: 100)
      scene.births[number] = born.map { Timestamp(milliseconds: $0) }
    }
    for index in scene.rows.indices { scene.rows[index].finished = Timestamp(milliseconds: 1000) }
    let steps = try scene.plan(.init(orphans: .delete))
    #expect(steps.count == 3 && steps.allSatisfy { $0.decision == .follow })
    for case .moved(_, let former, let file) in steps.map(\.finding) {
      #expect((former.path == file.path) == areCopies && (former.inode == file.inode) != areCopies)
    }
  }

  @Test("Files whose content is known keep their places although they have each other's inodes")
  func restoredByContent() throws {
    for (number, inode) in [(1, 2), (2, 1)] as [(UInt64, UInt64)] {
      try scene.row("d\(number)", at: "\(number).mp3", inode: number, content: "c\(number)", time: 100)
      scene.found("\(number).mp3", inode: inode, content: "c\(number)", time: 100)
    }
    let steps = try scene.plan(.init(orphans: .delete))
    #expect(steps.map(\.finding.destination?.description) == ["1.mp3", "2.mp3"])
    #expect(steps.map(\.because) == ["a copy of it is in its place", "a copy of it is in its place"])
  }

  @Test("A file of equal length at a row's path is not its file while that one, edited, may have another path")
  func doubtfulInPlace() throws {
    try scene.row("a", at: "a", inode: 1, time: 100)
    _ = try scene.present("other", at: "o", inode: 9)
    scene.found("a", inode: 2, time: 100)
    scene.found("b", inode: 1, time: 200)
    for inode in [1, 2] as [UInt64] { scene.media[inode] = true }
    let steps = try scene.plan(.init(orphans: .delete))
    #expect(steps.allSatisfy { $0.decision == .leave }, "\(steps)")
    #expect(steps.count == 2)
  }

  @Test("A file that was tagged and renamed is followed only if it existed when its download ended")
  func renamedAndTagged() throws {
    for born: Int64? in [900, 1100, nil] {
      let scene = PlannerScene()
      _ = try scene.present("other", at: "o", inode: 9)
      try scene.row("a", at: "a", inode: 1, time: 100)
      scene.rows[1].finished = Timestamp(milliseconds: 1000)
      scene.found("New.mp3", length: 138, inode: 1, time: 200)
      scene.media[1] = true
      scene.births[1] = born.map { Timestamp(milliseconds: $0) }
      let expected =
        switch born {
        case 900: ["moved follow"]
        // Its inode was, or may have been, reused by another file.
        default: ["missing forget", "orphan delete"]
        }
      let steps = try scene.plan(.init(orphans: .delete))
      #expect(steps.map { "\($0.finding.kind.rawValue) \($0.decision.rawValue)" } == expected)
    }
  }

  @Test("A file that was copied away and back is recognized by its content, at any path")
  func movedByContent() throws {
    let was = try scene.row("a", at: "a", inode: 1, content: "mine")
    scene.found("x", inode: 7, content: "other")
    scene.found("y", inode: 8, content: "mine")
    let to = PublishedFile(path: try LibraryPath(validating: "y"), length: 10, inode: 8, sha256: was.sha256)
    let steps = try scene.plan()
    #expect(steps.map(\.finding.kind) == [.moved, .orphan])
    #expect(steps.first?.finding == .moved(try .named("a"), from: was, to: to))
  }

  @Test("Only files with the length of a missing one are read")
  func reading() throws {
    try scene.row("a", at: "a", inode: 1, content: "mine")
    for number in 0..<20 { scene.found("x\(number)", length: Int64(number), inode: UInt64(number + 50)) }
    _ = try scene.plan()
    #expect(scene.read.allSatisfy { $0.length == 10 })
    #expect(scene.read.count == 1)
  }

  @Test("A library restored from a backup has other inodes: rows follow, and nothing counts as damaged")
  func restoredCopy() throws {
    for (number, content) in ["one", nil, "three"].enumerated() {
      try scene.row("x\(number)", at: "s/\(number)", inode: UInt64(number), content: content)
      scene.found("s/\(number)", inode: UInt64(number + 100), content: content)
    }
    let steps = try scene.plan()
    #expect(steps.map(\.decision) == [.follow, .follow, .follow])
    #expect(steps.compactMap(\.finding.destination?.description).sorted() == ["s/0", "s/1", "s/2"])
  }

  @Test("Of several files with the same content each row gets its own")
  func sameContents() throws {
    for number in 0..<3 { try scene.row("x\(number)", at: "old/\(number)", inode: UInt64(number), content: "same") }
    for number in 0..<4 { scene.found("new/\(number)", inode: UInt64(number + 100), content: "same") }
    let steps = try scene.plan()
    let destinations = steps.compactMap(\.finding.destination)
    #expect(destinations.count == 3 && Set(destinations).count == 3)
    #expect(steps.map(\.finding.kind) == [.moved, .moved, .moved, .orphan])
  }

  @Test("Swapped files: both rows follow")
  func swapped() throws {
    try scene.row("a", at: "a", inode: 1)
    try scene.row("b", at: "b", inode: 2)
    scene.found("a", inode: 2)
    scene.found("b", inode: 1)
    #expect(try scene.decisions() == ["moved a to b: follow", "moved b to a: follow"])
  }

  @Test("A second name of another row's file is at a row's path: its own is missing")
  func secondName() throws {
    _ = try scene.present("a", at: "a", length: 10, inode: 1)
    try scene.row("b", at: "b", length: 11, inode: 2)
    scene.found("b", length: 10, inode: 1)
    #expect(try scene.decisions() == ["missing b: forget", "orphan b: leave"])
  }

  @Test("Three files moved in a circle, and one at the former path of one of them")
  func circle() throws {
    for (name, inode) in [("a", UInt64(1)), ("b", 2), ("c", 3)] { try scene.row(name, at: name, inode: inode) }
    scene.found("a", inode: 3)
    scene.found("b", inode: 1)
    scene.found("c", length: 99, inode: 50)
    scene.found("d", inode: 2)
    #expect(
      try scene.decisions() == [
        "moved a to b: follow", "moved b to d: follow", "moved c to a: follow", "orphan c: quarantine",
      ])
  }

  @Test("A file renamed to a path that no row can store is left, and so is its row")
  func unnameable() throws {
    _ = try scene.present("here", at: "h", inode: 9)
    try scene.row("a", at: "a", inode: 1)
    scene.add(FoundFile(place: EntryPath(bytes: [0x61, 0xFF]), length: 10, inode: 1))
    #expect(try scene.decisions() == ["orphan a\u{FFFD}: leave"])
  }

  // MARK: Several rows of one place

  @Test("Two rows with one path: the file belongs to one, and the other's is missing")
  func twoRows() throws {
    _ = try scene.present("a", at: "s", inode: 1)
    let lost = try scene.row("b", at: "s", inode: 2)
    #expect(try scene.plan().map(\.finding) == [.missing(try .named("b"), lost)])
  }

  @Test("Two rows with one path, and another file: one is damaged, the other missing")
  func twoDisplacedRows() throws {
    _ = try scene.present("here", at: "h", inode: 9)
    try scene.row("a", at: "s", inode: 1)
    try scene.row("b", at: "s", inode: 2)
    scene.found("s", length: 3, inode: 3)
    #expect(try scene.decisions() == ["corrupt s: quarantine", "missing s: forget"])
  }

  @Test("Two rows with one path, and the truncated file of one: that one is damaged, in any order")
  func twoRowsOneTruncated() throws {
    _ = try scene.present("here", at: "h", inode: 9)
    try scene.row("a", at: "s", inode: 1)
    try scene.row("b", at: "s", inode: 2)
    scene.found("s", length: 3, inode: 2)
    let steps = try scene.plan()
    #expect(steps.map(\.finding.kind) == [.corrupt, .missing])
    #expect(steps.map(\.finding.download) == [try .named("b"), try .named("a")])
  }

  // MARK: Wrong files

  @Test(
    "A file of another length is damaged",
    arguments: CleanupOptions.Missing.allCases)
  func truncated(option: CleanupOptions.Missing) throws {
    let file = try scene.row("a", at: "a", inode: 1)
    let found = scene.found("a", length: 3, inode: 1)
    for orphans in CleanupOptions.Orphans.allCases {
      let steps = try scene.plan(.init(missing: option, orphans: orphans))
      #expect(steps.map(\.finding) == [.corrupt(try .named("a"), file, found: found)])
      // Without a request, no file is taken from its path.
      let decision: CleanupStep.Decision = orphans.mayTake ? .quarantine : .mark
      #expect(steps.map(\.decision) == [option == .redownload ? .redownload : decision])
      #expect(steps.first?.because.contains("3 bytes instead of 10") == true)
      let atStart = try scene.plan(.init(missing: option, orphans: orphans), isStart: true)
      #expect(atStart.map(\.decision) == [option == .redownload ? .redownload : .mark])
    }
  }

  @Test("Another file of equal length at the path: a known content decides")
  func replaced() throws {
    try scene.row("known", at: "k", inode: 1, content: "mine")
    try scene.row("unknown", at: "u", inode: 2)
    scene.found("k", inode: 11, content: "other")
    scene.found("u", inode: 12, content: "other")
    let steps = try scene.plan()
    #expect(steps.map(\.finding.kind) == [.moved, .corrupt])
    #expect(steps.map(\.finding.download) == [try .named("unknown"), try .named("known")])
    #expect(steps.last?.because.contains("SHA-256") == true)
  }

  @Test("The same file with another content is found only by a deep run")
  func rotten() throws {
    try scene.row("a", at: "a", inode: 1, content: "mine")
    try scene.row("b", at: "b", inode: 2)
    let found = scene.found("a", inode: 1, content: "rot")
    scene.found("b", inode: 2, content: "rot")
    #expect(try scene.plan().isEmpty)
    let steps = try scene.plan(.init(isDeep: true))
    #expect(steps.map(\.finding.kind) == [.corrupt])
    #expect(scene.read == [found])
  }

  // MARK: What cannot be told

  @Test("A row whose path is a link now follows its file to another row's path, whose file is missing then")
  func movedFromUnderLink() throws {
    _ = try scene.present("here", at: "h", inode: 9)
    try scene.row("a", at: "a", length: 10, inode: 1)
    try scene.row("b", at: "b", length: 11, inode: 2)
    scene.add("a") { .other($0) }
    scene.found("b", length: 10, inode: 1)
    #expect(try scene.decisions() == ["foreign a: leave", "moved a to b: follow", "missing b: forget"])
  }

  /// Seed 2146831551 of the simulator: the row followed the copy, and its own file came back with the folder.
  @Test("A row whose folder is a link, or cannot be read, does not follow a copy of its file; no run takes that away")
  func copiedFromUnderLink() throws {
    for isLink in [true, false] {
      for orphans in [CleanupOptions.Orphans.delete, .quarantine] {
        let scene = PlannerScene()
        _ = try scene.present("here", at: "h", inode: 9)
        try scene.row("d", at: "s/a", inode: 1, content: "mine")
        scene.found("copy", inode: 2, content: "mine")
        scene.found("other", inode: 3, content: "else")
        scene.add("s") { isLink ? .other($0) : .unreadable($0, "denied") }
        #expect(
          try scene.decisions(.init(orphans: orphans)) == [
            "foreign s: leave", "orphan copy: leave", "orphan other: \(orphans)",
          ])
      }
    }
  }

  @Test("A row whose folder is a link follows its file that was moved from there, known by its inode")
  func movedFromUnderLinkByInode() throws {
    _ = try scene.present("here", at: "h", inode: 9)
    try scene.row("d", at: "s/a", inode: 1, content: "mine")
    scene.found("b", inode: 1, content: "mine")
    scene.add("s") { .other($0) }
    let decisions = try scene.decisions()
    #expect(decisions == ["foreign s: leave", "moved s/a to b: follow"])
  }

  @Test("A file that was renamed during the listing is found in the second listing")
  func renamedMeanwhile() throws {
    _ = try scene.present("here", at: "h", inode: 9)
    let was = try scene.row("a", at: "s/a", inode: 1)
    let found = FoundFile(place: EntryPath(bytes: Array("a s/a".utf8)), length: 10, inode: 1)
    var file = was
    file.path = try LibraryPath(validating: "a s/a")
    #expect(try scene.plan().map(\.decision) == [.forget])
    #expect(scene.planner.missesFiles == false)
    #expect(
      try scene.plan(listedAgain: [found]).map(\.finding) == [.moved(try .named("a"), from: was, to: file)])
  }

  /// Seed 142 of the simulator: the row followed another one's file; the store refused that, so that each cleanup
  /// planned it again.
  @Test("A file that a row has met is not found once more in the second listing for a row whose inode was reused")
  func metAlready() throws {
    let here = try scene.present("here", at: "h", inode: 1, content: "x")
    try scene.row("stale", at: "s", inode: 1, content: "x")
    let steps = try scene.plan(listedAgain: [FoundFile(here)])
    #expect(steps.map(\.finding.kind) == [.missing])
  }

  @Test("A file that is back at its row's path in the second listing is not missing")
  func backAlready() throws {
    _ = try scene.present("here", at: "h", inode: 9)
    let file = try scene.row("a", at: "s", inode: 1)
    #expect(try scene.plan(listedAgain: [FoundFile(file)]).map(\.finding.kind) == [.moved])
  }

  @Test("At a start, orphans are quarantined only if some download has a file")
  func startWithoutRows() throws {
    scene.found("theirs", inode: 1)
    #expect(try scene.plan(isStart: true).map(\.decision) == [.leave])
    #expect(try scene.plan().map(\.decision) == [.quarantine])
    _ = try scene.present("a", at: "mine", inode: 2)
    #expect(try scene.plan(isStart: true).map(\.decision) == [.quarantine])
  }

  @Test("A deep run reports what it cannot read")
  func unreadableDeep() throws {
    try scene.row("a", at: "a", inode: 1, content: "mine")
    scene.found("a", inode: 1, content: nil)
    #expect(try scene.plan(.init(isDeep: true)).map(\.decision) == [.leave])
  }

  @Test("Rows under a link or an unreadable folder, or at a link, count as neither present nor missing")
  func blocked() throws {
    _ = try scene.present("here", at: "a", inode: 9)
    try scene.row("x1", at: "dark/x", inode: 1)
    try scene.row("x2", at: "dark/deep/y", inode: 2)
    try scene.row("x3", at: "link/x", inode: 3)
    try scene.row("x4", at: "link.mp3", inode: 4)
    try scene.row("x5", at: "dark-er/x", inode: 5)
    try scene.row("x6", at: "darkness", inode: 6)
    scene.add("dark") { .unreadable($0, "It is too dark.") }
    scene.add("link") { .other($0) }
    scene.add("link.mp3") { .other($0) }
    #expect(
      try scene.decisions() == [
        "foreign dark: leave", "foreign link: leave", "foreign link.mp3: leave", "missing dark-er/x: forget",
        "missing darkness: forget",
      ])
    #expect(scene.planner.steps.first?.status == .left)
    #expect(scene.planner.steps.first?.because.contains("It is too dark.") == true)
  }

  @Test("A folder at the path of a row's file: the file is missing")
  func directoryInTheWay() throws {
    _ = try scene.present("here", at: "z", inode: 9)
    try scene.row("a", at: "a.mp3", inode: 1)
    scene.add("a.mp3") { .emptyFolder($0) }
    #expect(try scene.decisions() == ["missing a.mp3: forget"])
  }

  // MARK: Limits

  @Test("A cancelled run ends at any point")
  func cancelled() throws {
    for number in 0..<6 {
      try scene.row("x\(number)", at: "old/\(number)", inode: UInt64(number), content: "\(number)")
      scene.found("new/\(number)", inode: UInt64(number + 100), content: number == 5 ? "else" : "\(number)")
    }
    scene.patience = .max
    _ = try scene.plan()
    let questions = Int.max - (scene.patience ?? 0)
    #expect(questions > 12)
    for patience in 0..<questions {
      scene.patience = patience
      #expect(throws: CleanupPlanner.Failure.cancelled, "after \(patience)") { try scene.plan() }
    }
    scene.patience = questions
    #expect(try scene.plan().count == 7)
  }

  @Test("More differences than one run handles are counted, and none of them is decided wrongly")
  func limit() throws {
    _ = try scene.present("here", at: "a", inode: 9_999_999)
    // Moved behind more orphans than one run lists: it must not count as missing.
    try scene.row("moved", at: "b", inode: 9_999_998)
    for number in 0..<(CleanupPlanner.differenceLimit + 5) {
      scene.found("s\(number)", length: 7, inode: UInt64(number))
    }
    scene.found("z", inode: 9_999_998)
    let steps = try scene.plan()
    #expect(steps.count == CleanupPlanner.differenceLimit)
    #expect(steps.allSatisfy { $0.finding.kind == .orphan })
    #expect(scene.planner.passedOver == 7)
    #expect(scene.planner.otherBytes == Int64(CleanupPlanner.differenceLimit + 5) * 7 + 10)
  }
}
