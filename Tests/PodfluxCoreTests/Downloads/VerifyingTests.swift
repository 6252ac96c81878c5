import Flux
import Testing

@testable import PodfluxCore

@Suite("Verifications")
struct VerifyingTests {
  /// Completed downloads, `a`, `b`, …, each with its own file.
  private func completed(_ names: String..., in world: World) throws -> [DownloadID] {
    try names.map { name in
      let id = try world.enqueue(name)
      try world.finish(id, as: file(of: name))
      return id
    }
  }

  private func file(of name: String) throws -> PublishedFile {
    try .sample("\(name).mp3", inode: UInt64(name.utf8.first ?? 0))
  }

  // MARK: Choosing

  @Test("A completed file is verified; a pending verification is not added twice")
  func one() throws {
    let world = try World()
    let id = try completed("a", in: world)[0]
    #expect(try world.send(.downloads(.verify(.one(id)))) == .affected(1))
    #expect(world.verifying == ["a"])
    #expect(world.verifications.values.map(\.file) == [try file(of: "a")])
    #expect(try world.send(.downloads(.verify(.one(id)))) == .affected(0))
    #expect(world.effects.isEmpty)
    try world.verified(id, .intact)
    #expect(try world.send(.downloads(.verify(.one(id)))) == .affected(1))
  }

  @Test("A download that is not completed is refused by id, and skipped among several and all")
  func others() throws {
    let world = try World { $0.maxConcurrent = 2 }
    let done = try completed("a", "b", "c", in: world)
    let failed = try world.enqueue("failed")
    try world.report(failed, .failed(.missing, kept: nil))
    let waiting = try world.enqueue("waiting")
    try world.report(waiting, .failed(.lost, kept: nil))
    let publishing = try world.enqueue("publishing")
    try world.report(publishing, .publishing(.sample(), kept: .sample(durable: 1_000)))
    let others = [
      failed, waiting, publishing, try world.enqueue("running"), try world.enqueue("queued"),
      try world.enqueue("paused", paused: true),
    ]
    for id in others {
      #expect(try refusalCode { try world.send(.downloads(.verify(.one(id)))) } == .illegalTransition)
    }
    let absent = try DownloadID.named("absent")
    #expect(try refusalCode { try world.send(.downloads(.verify(.one(absent)))) } == .notFound)
    #expect(try world.send(.downloads(.verify(.many(others + [absent, done[1], done[1]])))) == .affected(1))
    #expect(try world.send(.downloads(.verify(.all))) == .affected(2))
    #expect(try world.send(.downloads(.verify(.all))) == .affected(0))
  }

  @Test("A limited number is read at once, in the order of requests; each completed one makes room for the next")
  func atOnce() throws {
    let world = try World()
    let ids = try completed("a", "b", "c", "d", "e", in: world)
    try world.send(.downloads(.verify(.one(ids[3]))), .downloads(.verify(.all)))
    #expect(world.verifying == ["d", "a"])
    try world.send(.downloads(.pause(.all)))
    #expect(world.verifying.isEmpty)
    try world.verified(ids[0], .intact)
    #expect(world.verifying == ["b"])
    try world.verified(ids[1], .unreadable("It is too dark."))
    try world.verified(ids[3], .intact)
    try world.verified(ids[2], .intact)
    try world.verified(ids[4], .intact)
    #expect(world.effects.isEmpty)
    #expect(world.downloads.counts[.completed] == 5)
    try world.restart()
    #expect(world.verifying.isEmpty)
  }

  // MARK: Verdicts

  @Test("Intact or unreadable: the row stays unchanged", arguments: [true, false])
  func harmless(isIntact: Bool) throws {
    let world = try World()
    let id = try completed("a", in: world)[0]
    let before = try world.row(id)
    try world.send(.downloads(.verify(.one(id))))
    try world.verified(id, isIntact ? .intact : .unreadable("It is too dark."))
    #expect(try world.row(id) == before)
    #expect(world.effects.isEmpty)
    try world.restart()
    #expect(world.effects.isEmpty)
  }

  @Test("Damaged: the download fails, its file's move is pending, and a new fetch waits for that")
  func damaged() throws {
    for selection in [DownloadIntent.Selection.one(try .named("a")), .all] {
      let world = try World()
      let id = try completed("a", in: world)[0]
      try world.send(.downloads(.verify(.one(id))))
      var remains = try file(of: "a")
      remains.length = 3
      try world.verified(id, .damaged("It is short.", remains: remains))
      let row = try world.row(id)
      #expect(row.state == .failed(DownloadError(.corruptFile, "It is short.")))
      #expect(row.dates.finished == nil)
      #expect(row.progress == .init())
      #expect(world.deletions.map(\.file) == [remains])
      #expect(world.deletions.map(\.fate) == [.quarantined])

      #expect(try world.send(.downloads(.retry(selection))) == .affected(1))
      #expect(world.started.isEmpty)
      try world.restart()
      #expect(world.deletions.map(\.fate) == [.quarantined])
      #expect(world.started.isEmpty)
      try world.carryOutDeletions()
      #expect(world.started == ["a"])
      #expect(world.attempts[id]?.resume == nil)
    }
  }

  /// With a read-only folder it stayed held until the next start, or forever, while all slots were free.
  @Test(
    "A failed move holds up no download, noticed before or after; the next start tries it again")
  func postponed() throws {
    for isWantedFirst in [true, false] {
      let world = try World()
      let id = try completed("a", in: world)[0]
      try world.send(.downloads(.verify(.one(id))))
      try world.verified(id, .damaged("It is another.", remains: try file(of: "a")))
      let deletion = try #require(world.deletions.first)
      let failure = Action.notDeleted(deletion.key, because: "It is read-only.")
      try world.send(isWantedFirst ? .downloads(.resume(.one(id))) : failure)
      try world.send(isWantedFirst ? failure : .downloads(.resume(.one(id))))
      #expect(world.started == ["a"])
      try world.restart()
      #expect(world.deletions == [deletion])
      #expect(world.started == ["a"])
    }
  }

  @Test("Missing: the download fails, and can be fetched again at once")
  func gone() throws {
    let world = try World()
    let id = try completed("a", in: world)[0]
    try world.send(.downloads(.verify(.one(id))))
    try world.verified(id, .damaged("It is gone.", remains: nil))
    #expect(world.effects.isEmpty)
    try world.send(.downloads(.resume(.one(id))))
    #expect(world.started == ["a"])
  }

  /// The file of `a` was deleted manually; `b` got its path and, as on ext4, its inode.
  @Test("A file that may be another download's is not moved")
  func claimed() throws {
    let world = try World()
    let ids = try ["a", "b"].map { try world.enqueue($0) }
    for id in ids { try world.finish(id, as: .sample()) }
    try world.send(.downloads(.verify(.all)))
    try world.verified(ids[0], .damaged("It is another.", remains: .sample()))
    #expect(world.effects.isEmpty)
    #expect(try world.state(ids[0]).kind == .failed)
    // When no other download can own it, it is moved.
    try world.verified(ids[1], .damaged("It is another.", remains: .sample()))
    #expect(world.deletions.map(\.download) == [ids[1]])
  }

  /// The file of `a` was moved away; `b` got its path, and was removed. Once its file is deleted, `a` has none.
  @Test("A file that a removed download's deletion will take is not followed as an edited one")
  func owedDeletion() throws {
    let world = try World()
    let ids = try ["a", "b"].map { try world.enqueue($0) }
    let theirs = try PublishedFile.sample(inode: 2)
    try world.finish(ids[0], as: .sample(inode: 1))
    try world.finish(ids[1], as: theirs)
    try world.send(.downloads(.remove(.one(ids[1]), deletingFile: true)))
    let deletion = try #require(world.deletions.first)
    try world.send(.notDeleted(deletion.key, because: "It is read-only."))
    try world.send(.downloads(.verify(.one(ids[0]))))
    try world.verified(ids[0], .modified(theirs))
    guard case .failed(let error) = try world.state(ids[0]) else {
      return #expect(try world.state(ids[0]).kind == .failed)
    }
    #expect(error.code == .corruptFile)
    #expect(error.message == "the file \"\(theirs.path)\" is gone, and one that is to be deleted is in its place")
  }

  /// A second name of its file is another download's, or its file is gone and another download's has got path and
  /// inode.
  @Test("A download's own file is followed, and no other one", arguments: [("b.mp3", true), ("a.mp3", false)])
  func ownFile(other: String, isOwn: Bool) throws {
    let world = try World()
    let ids = try ["a", "b"].map { try world.enqueue($0) }
    try world.finish(ids[0], as: .sample("a.mp3", inode: 5))
    try world.finish(ids[1], as: .sample(other, inode: 5))
    var edited = try PublishedFile.sample("a.mp3", inode: 5)
    edited.modifiedNanoseconds = 7
    try world.send(.downloads(.verify(.one(ids[0]))))
    try world.verified(ids[0], .modified(edited))
    #expect(try world.state(ids[0]).kind == (isOwn ? .completed : .failed))
  }

  @Test("A download with a missing file does not prevent the move of another's with its path")
  func samePathOnly() throws {
    let world = try World()
    let ids = try ["a", "b"].map { try world.enqueue($0) }
    for (index, id) in ids.enumerated() { try world.finish(id, as: .sample(inode: UInt64(index))) }
    try world.send(.downloads(.verify(.one(ids[1]))))
    try world.verified(ids[1], .damaged("It is another.", remains: .sample(inode: 1)))
    #expect(world.deletions.map(\.download) == [ids[1]])
  }

  // MARK: Meanwhile

  @Test("A removed download's verdict does not concern a later one with its id, or even its file")
  func removedMeanwhile() throws {
    let world = try World()
    let id = try completed("a", in: world)[0]
    try world.send(.downloads(.verify(.one(id))))
    let first = try #require(world.verifications.values.first)
    try world.send(.downloads(.remove(.one(id), deletingFile: false)))
    _ = try completed("a", in: world)
    #expect(try world.send(.downloads(.verify(.one(id)))) == .affected(1))
    #expect(world.verifying == ["a"])
    try world.send(.verified(first, .damaged("It is gone.", remains: nil)))
    #expect(try world.state(id) == .completed(file(of: "a")))
    try world.verified(id, .damaged("It is gone.", remains: nil))
    #expect(try world.state(id).kind == .failed)
  }

  @Test(
    "Removed while its file is read: its slot is free for the next when the verdict comes", arguments: [false, true])
  func removedUnderWay(isBulk: Bool) throws {
    let world = try World()
    let ids = try completed("a", "b", "c", "d", in: world)
    try world.send(.downloads(.verify(.all)))
    let underWay = world.verifications.values.sorted { $0.key < $1.key }
    if isBulk {
      try world.send(.downloads(.remove(.all, deletingFile: true)))
    } else {
      try world.send(.downloads(.remove(.many(Array(ids.prefix(3))), deletingFile: true)))
    }
    #expect(world.verifying.isEmpty)
    for verification in underWay { try world.send(.verified(verification, .intact)) }
    #expect(world.downloads.checks.owed.underWay.count == (isBulk ? 0 : 1))
  }

  @Test("A repeated verdict counts once")
  func twice() throws {
    let world = try World()
    let id = try completed("a", in: world)[0]
    try world.send(.downloads(.verify(.one(id))))
    let verification = try #require(world.verifications.values.first)
    let fact = Action.verified(verification, .damaged("It is another.", remains: try file(of: "a")))
    try world.dispatch([fact, fact])
    #expect(world.deletions.count == 1)
    try world.send(fact)
    #expect(world.effects.isEmpty)
  }

  @Test("After a crash files without a verdict are read again")
  func crash() throws {
    let world = try World()
    let ids = try completed("a", "b", "c", in: world)
    try world.send(.downloads(.verify(.all)))
    try world.verified(ids[0], .intact)
    try world.restart()
    #expect(world.verifying == ["b", "c"])
  }

  // MARK: The end

  @Test("A drain waits for all verifications, and for the moves of damaged files")
  func drain() throws {
    let world = try World()
    let ids = try completed("a", "b", "c", in: world)
    try world.send(.downloads(.verify(.all)))
    try world.send(.stop(.drain))
    try world.verified(ids[0], .intact)
    try world.verified(ids[1], .intact)
    #expect(world.effects.isEmpty)
    try world.verified(ids[2], .damaged("It is another.", remains: try file(of: "c")))
    #expect(!world.effects.contains(.close))
    try world.carryOutDeletions()
    #expect(world.effects == [.close])
  }

  @Test("Now: nothing waits for them, and they stay pending")
  func now() throws {
    let world = try World()
    _ = try completed("a", "b", "c", in: world)
    try world.send(.downloads(.verify(.all)))
    try world.send(.stop(.now))
    #expect(world.effects == [.close])
    try world.restart()
    #expect(world.verifying == ["a", "b"])
  }
}
