import Flux
import Testing

@testable import PodfluxCore

@Suite("The effect of cleanup steps on downloads")
struct CleanupStepTests {
  private let world: World

  init() throws {
    world = try World()
  }

  private func file(_ name: String, length: Int64 = 1_000, inode: UInt64? = nil) throws -> PublishedFile {
    try .sample("\(name).mp3", length: length, inode: inode ?? UInt64(name.utf8.first ?? 0))
  }

  /// A completed download with its own file.
  @discardableResult
  private func complete(_ name: String) throws -> DownloadID {
    let id = try world.enqueue(name)
    try world.finish(id, as: file(name))
    return id
  }

  /// A failed one, with a partial file.
  private func fail(_ name: String) throws -> DownloadID {
    let id = try world.enqueue(name)
    try world.report(id, .failed(.missing, kept: .sample(durable: 400)))
    return id
  }

  private func auto(_ name: String?, _ address: WebAddress) throws -> Reply? {
    let id = try name.map { try DownloadID.named($0) }
    return try world.send(.downloads(.enqueue(.init(id: id, address: address, origin: .auto))))
  }

  // MARK: Missing

  @Test("Forgotten: the download is removed, and no rule fetches it again, by id or address; a person may")
  func forgotten() throws {
    let id = try complete("a")
    try complete("b")
    let address = try world.row(id).address
    try world.cleanUp([.planned(.missing(id, try file("a")), .forget)])
    #expect(world.tally(.missing)?.done == 1)
    #expect(try world.download(id) == nil)
    #expect(world.downloads.counts[.completed] == 1)
    #expect(world.downloads.deletions.underWay.isEmpty)
    #expect(try auto("a", .on("elsewhere.example")) == .enqueued(id: id, created: false))
    #expect(try auto(nil, address) == .enqueued(id: id, created: false))
    #expect(try auto("other", address) == .enqueued(id: id, created: false))
    #expect(try world.download(id) == nil)
    try world.restart()
    #expect(try auto("a", address) == .enqueued(id: id, created: false))
    let wish = DownloadIntent.Enqueue(id: id, address: address)
    #expect(try world.send(.downloads(.enqueue(wish))) == .enqueued(id: id, created: true))
    #expect(world.started == ["a"])
  }

  @Test("Fetched again: it is queued, begins from zero and completes")
  func redownloaded() throws {
    let id = try complete("a")
    try world.cleanUp([.planned(.missing(id, try file("a")), .redownload)], .init(missing: .redownload))
    #expect(world.started == ["a"])
    #expect(world.attempts[id]?.resume == nil)
    #expect(try world.row(id).dates.finished == nil)
    try world.finish(id, as: file("a", inode: 99))
    #expect(try world.state(id) == .completed(file("a", inode: 99)))
  }

  @Test("Marked: it is failed, and stays so until a person retries it")
  func marked() throws {
    let id = try complete("a")
    try world.cleanUp([.planned(.missing(id, try file("a")), .mark)], .init(missing: .mark))
    guard case .failed(let error) = try world.state(id) else {
      Issue.record("it has not failed")
      return
    }
    #expect(error.code == .corruptFile)
    #expect(error.message.contains("Show/a.mp3"))
    #expect(world.downloads.deletions.underWay.isEmpty)
    try world.send(.downloads(.retry(.one(id))))
    #expect(world.started == ["a"])
  }

  // MARK: Damaged

  @Test("Damaged: it fails, the file's move to quarantine is pending, and a new fetch waits for that")
  func corrupt() throws {
    let id = try complete("a")
    let found = FoundFile(at: try file("a", length: 3, inode: 5))
    try world.cleanUp([.planned(.corrupt(id, try file("a"), found: found), .quarantine, "it is short")])
    #expect(try world.state(id).kind == .failed)
    #expect(world.deletions.map(\.file) == [try file("a", length: 3, inode: 5)])
    #expect(world.deletions.map(\.fate) == [.quarantined])
    #expect(try world.stepRows().map(\.status) == [.planned])
    try world.send(.downloads(.retry(.one(id))))
    #expect(world.started.isEmpty)
    try world.carryOutDeletions()
    #expect(world.started == ["a"])
    #expect(try world.stepRows().map(\.status) == [.done])
    #expect(world.cleanup.last?.stage == .done)
  }

  /// It reported `done`, and the download stayed queued forever.
  @Test(
    "A file that cannot be moved to quarantine is left with the reason, and blocks no download",
    arguments: [CleanupStep.Decision.quarantine, .redownload])
  func corruptAndFast(decision: CleanupStep.Decision) throws {
    let id = try complete("a")
    let found = FoundFile(at: try file("a", length: 3))
    try world.cleanUp([.planned(.corrupt(id, try file("a"), found: found), decision)])
    let deletion = try #require(world.deletions.first)
    try world.send(.notDeleted(deletion.key, because: "the permissions do not allow it"))
    let step = try #require(try world.stepRows().first)
    #expect(step.status == .left)
    #expect(step.because.contains("the permissions do not allow it"))
    #expect(world.cleanup.last?.stage == .done)
    #expect(world.tally(.corrupt)?.left == 1)
    #expect(world.tally(.corrupt)?.done == 0)
    if decision == .quarantine { try world.send(.downloads(.retry(.one(id)))) }
    #expect(world.started == ["a"])
    try world.restart()
    #expect(world.deletions.map(\.key) == [deletion.key])
  }

  @Test(
    "An engine dies between a row's change and its file's: the next one's deletion ends the step",
    arguments: [true, false])
  func corruptAndCrash(isDone: Bool) throws {
    let id = try complete("a")
    try world.cleanUp([
      .planned(.corrupt(id, try file("a"), found: FoundFile(at: try file("a", length: 3))), .redownload)
    ])
    try world.restart()
    #expect(world.steps.isEmpty)
    let deletion = try #require(world.deletions.first)
    try world.send(isDone ? .deleted(deletion.key) : .notDeleted(deletion.key, because: nil))
    #expect(try world.stepRows().map(\.status) == [isDone ? .done : .left])
    #expect(world.cleanup.last?.stage == .done)
    #expect(world.started == ["a"])
  }

  /// It reported `done`, and the file stayed at its path.
  @Test("A damaged file whose path no row can store stays, and its download too")
  func corruptAndUnnameable() throws {
    let id = try complete("a")
    let found = FoundFile(place: EntryPath(bytes: [0xFF]), length: 3, inode: 5)
    let before = try world.row(id)
    try world.cleanUp([.planned(.corrupt(id, try file("a"), found: found), .quarantine)])
    #expect(try world.row(id) == before)
    #expect(try world.stepRows().map(\.status) == [.left])
  }

  /// It reported `done` as soon as the deletion was pending.
  @Test("A partial file's step ends as its deletion does; the next run tries again", arguments: [true, false])
  func orphanPartialSettled(isDone: Bool) throws {
    let step = CleanupStep.planned(.orphanPartial(FoundPartial(download: try .named("absent"), length: 5)), .delete)
    try world.cleanUp([step])
    #expect(try world.stepRows().map(\.status) == [.planned])
    let deletion = try #require(world.deletions.first)
    try world.send(isDone ? .deleted(deletion.key) : .notDeleted(deletion.key, because: "It is read-only."))
    #expect(try world.stepRows().map(\.status) == [isDone ? .done : .left])
    #expect(world.cleanup.last?.freedBytes == (isDone ? 5 : 0))
    try world.cleanUp([step])
    #expect(world.deletions.count == 1)
    try world.carryOutAwaitedDeletions()
    #expect(try world.stepRows().map(\.status) == [.done])
    #expect(world.cleanup.last?.stage == .done)
  }

  @Test("Damaged, with an unrecorded partial file: the file is quarantined, the partial file deleted")
  func corruptWithPartial() throws {
    let id = try complete("a")
    let found = FoundFile(at: try file("a", length: 3, inode: 5))
    try world.cleanUp([
      .planned(.corrupt(id, try file("a"), found: found), .quarantine),
      .planned(.orphanPartial(FoundPartial(download: id, length: 0)), .delete),
    ])
    #expect(world.deletions.map(\.fate) == [.deleted])
    #expect(world.downloads.deletions.underWay.count == 2)
    try world.send(.downloads(.retry(.one(id))))
    #expect(world.started.isEmpty)
    try world.carryOutDeletions()
    #expect(world.started == ["a"])
  }

  @Test("Damaged and fetched again: it waits until the damaged file has been moved")
  func corruptAndRedownloaded() throws {
    let id = try complete("a")
    let found = FoundFile(at: try file("a", length: 3))
    try world.cleanUp([.planned(.corrupt(id, try file("a"), found: found), .redownload)])
    #expect(try world.state(id) == .queued)
    #expect(world.started.isEmpty)
    try world.carryOutDeletions()
    #expect(world.started == ["a"])
  }

  @Test("A file with the path and the inode of another download's file stays")
  func corruptButClaimed() throws {
    let id = try complete("a")
    let other = try world.enqueue("b")
    try world.finish(other, as: file("a", length: 3, inode: 5))
    let found = FoundFile(at: try file("a", length: 3, inode: 5))
    try world.cleanUp([.planned(.corrupt(id, try file("a"), found: found), .quarantine)])
    // The next cleanup finds that its file is missing.
    #expect(try world.state(id).kind == .completed)
    #expect(try world.stepRows().map(\.status) == [.left])
    #expect(world.downloads.deletions.underWay.isEmpty)
  }

  /// The row of its verification stayed: from then on every turn issued it again, with a path that did not exist.
  @Test("A pending verification ends when its file is found missing or damaged", arguments: [true, false])
  func verification(isMissing: Bool) throws {
    let ids = try ["a", "b", "c"].map { try complete($0) }
    try world.send(.downloads(.verify(.all)))
    let matters: [CleanupStep] = try zip(ids, ["a", "b", "c"]).map { id, name in
      let file = try file(name)
      return isMissing
        ? .planned(.missing(id, file), .mark) : .planned(.corrupt(id, file, found: FoundFile(at: file)), .quarantine)
    }
    try world.cleanUp(matters)
    for id in ids.prefix(2) { try world.verified(id, .intact) }
    #expect(world.verifying.isEmpty)
    #expect(world.downloads.checks.owed.underWay.isEmpty)
    #expect(world.downloads.counts[.failed] == 3)
  }

  // MARK: Moved

  @Test("Moved: the row follows its file, and keeps everything else")
  func moved() throws {
    let id = try complete("a")
    var expected = try world.row(id)
    let there = try PublishedFile.sample("other.mp3", inode: 97)
    expected.state = .completed(there)
    try world.cleanUp([.planned(.moved(id, from: try file("a"), to: there), .follow)])
    #expect(try world.row(id) == expected)
    #expect(world.downloads.counts[.completed] == 1)
    #expect(world.downloads.deletions.underWay.isEmpty)
  }

  @Test("Swapped files: both rows follow, one after the other")
  func swapped() throws {
    let ids = [try complete("a"), try complete("b")]
    let (a, b) = (try file("a"), try file("b"))
    var (aAtB, bAtA) = (a, b)
    (aAtB.path, bAtA.path) = (b.path, a.path)
    try world.cleanUp([
      .planned(.moved(ids[0], from: a, to: aAtB), .follow), .planned(.moved(ids[1], from: b, to: bAtA), .follow),
    ])
    #expect(try world.state(ids[0]) == .completed(aAtB))
    #expect(try world.state(ids[1]) == .completed(bAtA))
  }

  @Test("A file that has become another download's meanwhile is not followed")
  func movedButClaimed() throws {
    let id = try complete("a")
    let there = try PublishedFile.sample("other.mp3", inode: 5)
    let other = try world.enqueue("b")
    try world.finish(other, as: there)
    try world.cleanUp([.planned(.moved(id, from: try file("a"), to: there), .follow)])
    #expect(try world.state(id) == .completed(file("a")))
    #expect(world.tally(.moved)?.left == 1)
  }

  // MARK: Rows that have changed meanwhile

  enum Change: CaseIterable {
    case removed, otherFile, failed, runningAgain, queuedAgain
  }

  /// Changes a completed download.
  private func change(_ id: DownloadID, _ change: Change) throws {
    let wish = DownloadIntent.Enqueue(id: id, address: try .on("a.example", "a"))
    switch change {
    case .removed: try world.send(.downloads(.remove(.one(id), deletingFile: false)))
    case .otherFile:
      try world.send(.downloads(.remove(.one(id), deletingFile: false)))
      try world.send(.downloads(.enqueue(wish)))
      try world.finish(id, as: file("a", inode: 1_234))
    case .failed:
      try world.send(.downloads(.verify(.one(id))))
      try world.verified(id, .damaged("It is gone.", remains: nil))
    case .runningAgain:
      try world.send(.downloads(.remove(.one(id), deletingFile: false)))
      try world.send(.downloads(.enqueue(wish)))
    case .queuedAgain:
      try world.send(.downloads(.remove(.one(id), deletingFile: true)))
      try world.send(.downloads(.enqueue(wish)))
    }
  }

  @Test(
    "A download that has changed since the survey is left, before or after the check of its file",
    arguments: Change.allCases, [true, false])
  func changed(change: Change, isHandedOut: Bool) throws {
    let id = try complete("a")
    let file = try file("a")
    let steps: [CleanupStep] = [
      .planned(.missing(id, file), .forget), .planned(.missing(id, file), .redownload),
      .planned(.missing(id, file), .mark), .planned(.corrupt(id, file, found: FoundFile(at: file)), .quarantine),
      .planned(.moved(id, from: file, to: try .sample("other.mp3")), .follow),
      .planned(.adoptable(FoundFile(at: try .sample("third.mp3", inode: 8)), owner: id, sha256: nil), .adopt),
    ]
    // The last one is for downloads that have failed or are removed.
    let count = change == .failed || change == .removed ? 5 : 6
    try world.clean()
    if isHandedOut {
      try world.found(Array(steps.prefix(count)))
      #expect(world.steps.count == 5)
      try self.change(id, change)
    } else {
      try self.change(id, change)
      try world.found(Array(steps.prefix(count)))
      #expect(world.steps.isEmpty)
    }
    let before = try world.download(id)
    try world.carryOutSteps()
    #expect(try world.download(id) == before)
    let rows = try world.stepRows()
    #expect(rows.map(\.status) == Array(repeating: .left, count: count))
    #expect(rows.allSatisfy { $0.because.contains("since") })
    #expect(world.cleanup.last?.stage == .done)
  }

  @Test("A step that the disk contradicts leaves the row unchanged")
  func left() throws {
    let id = try complete("a")
    let before = try world.row(id)
    try world.clean()
    try world.found([.planned(.missing(id, try file("a")), .forget)])
    try world.carryOutSteps(.left("It is back."))
    #expect(try world.row(id) == before)
    #expect(try world.stepRows().map(\.because) == ["It is back."])
  }

  // MARK: Partials

  private func correct(_ id: DownloadID, to length: Int64, from durable: Int64 = 400) -> CleanupStep {
    .planned(
      .partial(id, planned: .sample(durable: durable), length: length, tailHash: length == 0 ? "" : "hash"), .correct)
  }

  @Test("A row's bytes become those on the disk, and it resumes from them", arguments: [1, 300, 900] as [Int64])
  func corrected(length: Int64) throws {
    let id = try fail("a")
    try world.cleanUp([correct(id, to: length)])
    let progress = try world.row(id).progress
    #expect(progress.durable == length)
    var record = ResumeRecord.sample(durable: length)
    record.tailHash = "hash"
    #expect(progress.resume == record)
    #expect(try world.state(id).kind == .failed)
    try world.send(.downloads(.retry(.one(id))))
    #expect(world.attempts[id]?.resume == record)
  }

  @Test("A missing partial file: the row has no durable bytes, and the download begins from zero")
  func partialGone() throws {
    let id = try fail("a")
    try world.cleanUp([correct(id, to: 0)])
    #expect(try world.row(id).progress.durable == 0)
    #expect(try world.row(id).progress.resume == nil)
    try world.send(.downloads(.retry(.one(id))))
    #expect(world.attempts[id]?.resume == nil)
  }

  @Test("A download that runs, has kept other bytes since, or is removed, is not corrected")
  func notCorrected() throws {
    let running = try fail("running")
    let other = try fail("other")
    let gone = try fail("gone")
    try world.clean()
    try world.send(.downloads(.retry(.many([running, other]))))
    try world.report(other, .failed(.missing, kept: .sample(durable: 500)))
    try world.send(.downloads(.remove(.one(gone), deletingFile: true)))
    let before = try [running, other].map { try world.row($0) }
    try world.found([correct(running, to: 5), correct(other, to: 5), correct(gone, to: 5)])
    #expect(try world.stepRows().map(\.status) == [.left, .left, .left])
    #expect(try [running, other].map { try world.row($0) } == before)
  }

  @Test("A partial file is not deleted once its download runs, or has a record of it")
  func orphanPartialNeeded() throws {
    let ids = try ["a", "b"].map { try world.enqueue($0, paused: true) }
    let steps = ids.map { CleanupStep.planned(.orphanPartial(FoundPartial(download: $0, length: 5)), .delete) }
    try world.clean()
    try world.found(steps)
    #expect(world.steps.count == 2)
    try world.send(.downloads(.resume(.many(ids))))
    try world.report(ids[0], .failed(.missing, kept: .sample(durable: 400)))
    try world.carryOutSteps()
    #expect(world.downloads.deletions.underWay.isEmpty)
    #expect(try world.stepRows().map(\.status) == [.left, .left])
  }

  /// It was reported as deleted, and every later run found it again: only partial files of downloads that had never
  /// begun were deleted.
  @Test("An unrecorded partial file is deleted, even if its download had begun")
  func unknownPartial() throws {
    let id = try world.enqueue("a")
    try world.report(id, .failed(.missing, kept: nil))
    try world.cleanUp([.planned(.orphanPartial(FoundPartial(download: id, length: 5)), .delete)])
    #expect(world.downloads.deletions.underWay.count == 1)
    try world.send(.downloads(.retry(.one(id))))
    #expect(world.started.isEmpty)
    try world.carryOutDeletions()
    #expect(world.started == ["a"])
  }
}
