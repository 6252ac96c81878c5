import Flux
import Testing

@testable import PodfluxCore

@Suite("Rows that follow their files")
struct FollowingTests {
  private let world: World

  init() throws {
    world = try World()
  }

  private func completed(_ name: String, at path: String, inode: UInt64, time: Int64? = 1) throws -> (
    DownloadID, PublishedFile
  ) {
    let id = try world.enqueue(name)
    var file = try PublishedFile.sample(path, length: 70, inode: inode)
    file.modifiedNanoseconds = time
    try world.finish(id, as: file)
    return (id, file)
  }

  @Test("An edited file: the download stays completed, with the time of the edit and the new length")
  func edited() throws {
    let (id, file) = try completed("a", at: "a.mp3", inode: 7)
    var edited = file
    (edited.length, edited.modifiedNanoseconds) = (75, 5_000_000)
    try world.cleanUp([.planned(.modified(id, from: file, to: edited), .follow)])
    let row = try world.row(id)
    #expect(row.state == .completed(edited))
    #expect(row.dates.modified == Timestamp(milliseconds: 5))
    #expect(row.progress.durable == 75 && row.progress.total == 75)
    #expect(try world.stepRows().map(\.status) == [.done])
  }

  @Test("A file with a new time and the same content does not count as edited")
  func touched() throws {
    let id = try world.enqueue("a")
    var file = try PublishedFile.sample("a.mp3", length: 70, inode: 7)
    (file.sha256, file.modifiedNanoseconds) = (PlannerScene.sha256(of: "x"), 1)
    try world.finish(id, as: file)
    var touched = file
    touched.modifiedNanoseconds = 2
    try world.cleanUp([.planned(.modified(id, from: file, to: touched), .follow)])
    #expect(try world.row(id).state == .completed(touched))
    #expect(try world.row(id).dates.modified == nil)
  }

  /// Seed 882 of the simulator: the row followed a file that was just being quarantined.
  @Test("A verification follows a file that a cleanup takes away only afterwards", arguments: [true, false])
  func takenMeanwhile(isLeft: Bool) throws {
    let (id, file) = try completed("a", at: "a.mp3", inode: 7)
    var other = file
    (other.inode, other.modifiedNanoseconds) = (8, 2_000_000)
    try world.clean(.init(orphans: .quarantine))
    try world.found([.planned(.orphan(FoundFile(at: other)), .quarantine)])
    #expect(world.steps.count == 1)
    try world.send(.downloads(.verify(.one(id))))
    try world.verified(id, .modified(other))
    #expect(try world.row(id).state == .completed(file))
    try world.send(.cleaned(try #require(world.steps.keys.first), isLeft ? .left("It is too dark.") : .done))
    #expect(!world.cleanup.owesWork)
    try world.send(.downloads(.verify(.one(id))))
    try world.verified(id, .modified(other))
    #expect(try world.row(id).state == .completed(other))
  }

  @Test("A verification does not fail a download for an edit; a later failure drops the edit")
  func verified() throws {
    let (id, file) = try completed("a", at: "a.mp3", inode: 7)
    try world.send(.downloads(.verify(.one(id))))
    var edited = file
    (edited.length, edited.modifiedNanoseconds) = (75, 2_000_000)
    try world.verified(id, .modified(edited))
    #expect(try world.row(id).state == .completed(edited))
    #expect(try world.row(id).dates.modified == Timestamp(milliseconds: 2))
    try world.send(.downloads(.verify(.one(id))))
    try world.verified(id, .damaged("bad", remains: nil))
    #expect(try world.row(id).state.kind == .failed)
    #expect(try world.row(id).dates.modified == nil)
  }

  @Test("A verification does not follow another download's file: its own is missing", arguments: [0, 5])
  func verifiedAsAnothers(longer: Int64) throws {
    let (first, a) = try completed("a", at: "a.mp3", inode: 7)
    let (second, b) = try completed("b", at: "a.mp3", inode: 8)
    try world.send(.downloads(.verify(.one(first))))
    // Another program may have edited it meanwhile.
    var found = b
    (found.length, found.modifiedNanoseconds) = (b.length + longer, 2_000_000)
    try world.verified(first, .modified(found))
    #expect(try world.row(first).state.kind == .failed)
    #expect(try world.row(second).state == .completed(b))
    #expect(try world.row(first).dates.modified == nil)
    #expect(a.path == b.path)
  }

  @Test("Two swapped files are followed in one turn: two rows never have one path")
  func swapped() throws {
    let (first, a) = try completed("a", at: "a.mp3", inode: 1)
    let (second, b) = try completed("b", at: "b.mp3", inode: 2)
    var (newA, newB) = (a, b)
    (newA.path, newB.path) = (b.path, a.path)
    try world.clean(.init())
    try world.found([
      .planned(.moved(first, from: a, to: newA), .follow), .planned(.moved(second, from: b, to: newB), .follow),
    ])
    let keys = world.steps.keys.sorted()
    try world.send(.cleaned(keys[0], .done))
    #expect(try world.row(first).state == .completed(a))
    try world.send(.cleaned(keys[1], .done))
    #expect(try world.row(first).state == .completed(newA))
    #expect(try world.row(second).state == .completed(newB))
    #expect(try world.stepRows().map(\.status) == [.done, .done])
  }

  @Test("Rows whose files were restored with each other's inodes follow in one turn: two rows never have one file")
  func restored() throws {
    let rows = try (1...3).map { try completed("d\($0)", at: "\($0).mp3", inode: $0) }
    let copies = (0..<3).map { index in
      var copy = rows[index].1
      copy.inode = rows[(index + 1) % 3].1.inode
      return copy
    }
    try world.clean(.init())
    try world.found((0..<3).map { .planned(.moved(rows[$0].0, from: rows[$0].1, to: copies[$0]), .follow) })
    let keys = world.steps.keys.sorted()
    for key in keys.dropLast() { try world.send(.cleaned(key, .done)) }
    for row in rows { #expect(try world.row(row.0).state == .completed(row.1)) }
    try world.send(.cleaned(keys[2], .done))
    for (row, copy) in zip(rows, copies) { #expect(try world.row(row.0).state == .completed(copy)) }
    #expect(try world.stepRows().allSatisfy { $0.status == .done })
  }

  @Test("A chain of files that were renumbered is followed, whichever step ends first", arguments: [false, true])
  func chain(isReversed: Bool) throws {
    let rows = try (1...4).map { try completed("d\($0)", at: "\($0).mp3", inode: UInt64($0)) }
    var targets = rows.map(\.1)
    for index in targets.indices { targets[index].path = try LibraryPath(validating: "\(index + 2).mp3") }
    try world.clean(.init())
    try world.found((0..<4).map { .planned(.moved(rows[$0].0, from: rows[$0].1, to: targets[$0]), .follow) })
    let keys = world.steps.keys.sorted()
    for key in isReversed ? keys.reversed() : keys { try world.send(.cleaned(key, .done)) }
    for (row, target) in zip(rows, targets) { #expect(try world.row(row.0).state == .completed(target)) }
    #expect(!world.cleanup.owesWork)
  }

  @Test("A row does not follow its file to a path that another row keeps")
  func occupied() throws {
    let (first, a) = try completed("a", at: "a.mp3", inode: 1)
    let (second, b) = try completed("b", at: "b.mp3", inode: 2)
    var moved = b
    moved.path = a.path
    try world.cleanUp([.planned(.moved(second, from: b, to: moved), .follow)])
    #expect(try world.row(first).state == .completed(a))
    #expect(try world.row(second).state == .completed(b))
    #expect(try world.stepRows().map(\.status) == [.left])
    #expect(!world.cleanup.owesWork)
  }

  @Test("It follows once the other row is removed")
  func freed() throws {
    let (first, a) = try completed("a", at: "a.mp3", inode: 1)
    let (second, b) = try completed("b", at: "b.mp3", inode: 2)
    var moved = b
    moved.path = a.path
    try world.cleanUp([
      .planned(.moved(second, from: b, to: moved), .follow), .planned(.missing(first, a), .forget),
    ])
    #expect(try world.download(first) == nil)
    #expect(try world.row(second).state == .completed(moved))
  }

  @Test(
    "It follows once the other row's file is damaged, wherever that lies by now",
    arguments: [CleanupStep.Decision.mark, .quarantine])
  func damaged(decision: CleanupStep.Decision) throws {
    let (first, a) = try completed("a", at: "a.mp3", inode: 1)
    let (second, b) = try completed("b", at: "b.mp3", inode: 2)
    var (moved, damaged) = (b, a)
    (moved.path, damaged.path) = (a.path, b.path)
    try world.clean(.init())
    try world.found([
      .planned(.moved(second, from: b, to: moved), .follow),
      .planned(.corrupt(first, a, found: FoundFile(at: damaged)), decision),
    ])
    for key in world.steps.keys.sorted() { try world.send(.cleaned(key, .done)) }
    #expect(try world.row(first).state.kind == .failed)
    #expect(try world.row(second).state == .completed(moved))
    if decision == .quarantine { try world.carryOutDeletions() }
    #expect(!world.cleanup.owesWork)
    #expect(try world.stepRows().map(\.status) == [.done, .done])
  }

  @Test("Folders created for a file are deleted with it; older ones stay")
  func folders() throws {
    let id = try world.enqueue("a")
    let file = try PublishedFile.sample("theirs/mine/a.mp3", length: 70, inode: 7)
    try world.report(id, .publishing(file, kept: .sample(durable: 70, total: 70)))
    let mine = try LibraryPath(validating: "Show/theirs/mine")
    try world.report(id, .finished(file, madeFolders: [mine]))
    try world.send(.downloads(.remove(.one(id), deletingFile: true)))
    #expect(world.deletions.map(\.ownFolders) == [[mine]])
  }
}
