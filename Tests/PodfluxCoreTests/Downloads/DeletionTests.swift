import Flux
import Testing

@testable import PodfluxCore

@Suite("Pending deletions")
struct DeletionTests {
  @Test("A download that never started leaves nothing to delete")
  func nothing() throws {
    let world = try World()
    let id = try world.enqueue("a", paused: true)
    try world.send(.downloads(.cancel(.one(id))))
    #expect(world.effects.isEmpty)
  }

  @Test("Removing a completed download deletes its file on request", arguments: [false, true])
  func completed(deletingFile: Bool) throws {
    for selection in [DownloadIntent.Selection.one(try .named("a")), .all] {
      let world = try World()
      let id = try world.enqueue("a")
      try world.finish(id, as: .sample())
      try world.send(.downloads(.remove(selection, deletingFile: deletingFile)))
      #expect(world.deletions.map(\.file) == (deletingFile ? [try .sample()] : []))
      #expect(try world.download(id) == nil)
    }
  }

  @Test("Removing many spares a file that another download has got at the same place, and deletes it with the last one")
  func sharedPlace() throws {
    let world = try World()
    let (a, b) = (try DownloadID.named("a"), try world.enqueue("b"))
    let wish = DownloadIntent.Enqueue(id: a, address: try .on("a.example", "a"), description: .init(title: "Former"))
    try world.send(.downloads(.enqueue(wish)))
    for id in [a, b] { try world.finish(id, as: .sample()) }
    try world.send(.downloads(.remove(.matching(.titleContains(["former"])), deletingFile: true)))
    #expect(try world.download(a) == nil && world.deletions.compactMap(\.file).isEmpty)
    try world.send(.downloads(.remove(.all, deletingFile: true)))
    #expect(world.deletions.map(\.file) == [try .sample()])
  }

  @Test("The number of concurrent ones is limited; each completed one makes room for the next, in order")
  func atMostAtOnce() throws {
    let total = DownloadsStore.deletionsAtOnce + 6
    let world = try World()
    try enqueueImported(total, in: world)
    try world.send(.downloads(.cancel(.all)))
    let first = world.deletions.map(\.key)
    #expect(first.count == DownloadsStore.deletionsAtOnce)
    #expect(first == first.sorted())
    try world.send(.downloads(.pause(.all)))
    #expect(world.deletions.isEmpty)
    try world.send(.deleted(first[5]))
    #expect(world.deletions.count == 1)
    try world.carryOutDeletions()
    #expect(world.downloads.deletions.underWay.isEmpty)
    try world.restart()
    #expect(world.deletions.isEmpty)
  }

  @Test("One that was issued and not reported is issued again after a restart")
  func restart() throws {
    let world = try World()
    try enqueueImported(3, in: world)
    try world.send(.downloads(.cancel(.all)))
    let before = world.deletions
    try world.send(.deleted(before[1].key))
    try world.restart()
    #expect(world.deletions == [before[0], before[2]])
  }

  @Test("A deletion spares another file with the reused inode, and ends before that file gets its path")
  func inodeUsedAgain() throws {
    let world = try World()
    let old = try world.enqueue("old")
    try world.finish(old, as: .sample())
    try world.send(.downloads(.remove(.one(old), deletingFile: true)))
    let deletion = try #require(world.deletions.first)
    // The file is deleted; its path is free, and its inode reused. The report has not arrived yet.
    let new = try world.enqueue("new")
    try world.report(new, .publishing(.sample(), kept: .sample(durable: 1_000)))
    #expect(world.proceeding.isEmpty)
    try world.send(.deleted(deletion.key))
    #expect(world.proceeding.map(\.download) == [new])
  }

  @Test("A failed deletion drops a file whose path and inode are another's now")
  func postponedAndAmbiguous() throws {
    let world = try World()
    let old = try world.enqueue("old")
    try world.finish(old, as: .sample())
    try world.send(.downloads(.remove(.one(old), deletingFile: true)))
    try world.send(.notDeleted(try #require(world.deletions.first).key, because: "It is read-only."))
    let new = try world.enqueue("new")
    try world.finish(new, as: .sample())
    try world.restart()
    #expect(world.deletions.map(\.file) == [nil])
  }

  /// Seed 301634 of the simulator: a deletion was done and could not be recorded. Later another download of the same
  /// file got the same path and, by chance, the deleted file's inode: the next start deleted that one.
  @Test("A deletion that was carried out and never recorded does not delete a later file of that name and inode")
  func carriedOutAndNotRecorded() throws {
    let world = try World()
    let old = try world.enqueue("old")
    try world.finish(old, as: .sample())
    try world.send(.downloads(.remove(.one(old), deletingFile: true)))
    #expect(world.deletions.map(\.file) == [try .sample()])
    let new = try world.enqueue("new")
    try world.report(new, .publishing(.sample(), kept: .sample(durable: 1_000)))
    try world.restart(published: [new])
    #expect(try world.state(new) == .completed(.sample()))
    #expect(world.deletions.map(\.file) == [nil])
  }

  @Test("A deletion that waited for its attempt is handed out after a crash: no attempt is alive then")
  func crashBeforeTheAttemptEnded() throws {
    let world = try World()
    let id = try world.enqueue("a")
    try world.send(.downloads(.cancel(.one(id))))
    try world.enqueue("a")
    try world.restart()
    #expect(world.deletions.map(\.download) == [id])
    #expect(world.started.isEmpty)
    try world.carryOutDeletions()
    #expect(world.started == ["a"])
  }

  @Test("A deletion reported twice is done once")
  func reportedTwice() throws {
    let world = try World()
    try enqueueImported(1, in: world)
    try world.send(.downloads(.cancel(.all)))
    let key = try #require(world.deletions.first).key
    try world.send(.deleted(key))
    try world.send(.deleted(key))
    #expect(world.effects.isEmpty)
  }

  /// Deletions are idempotent, so they may be reported twice. If a number were reused, the second report would cancel a
  /// deletion that was never done.
  @Test("The second report of a deletion does not strike out a later one")
  func numbersAreNotReused() throws {
    let world = try World()
    try enqueueImported(1, in: world)
    try world.send(.downloads(.cancel(.all)))
    let first = try #require(world.deletions.first).key
    try world.send(.deleted(first))
    try enqueueImported(1, in: world)
    try world.send(.downloads(.cancel(.all)))
    let second = try #require(world.deletions.first).key
    try world.send(.deleted(first))
    #expect(first != second)
    #expect(world.downloads.deletions.underWay.keys.sorted() == [second])
  }

  @Test("Partial files without a download are deleted; those of downloads stay")
  func disowned() throws {
    let world = try World()
    let started = try world.enqueue("started")
    try world.report(started, .failed(.lost, kept: .sample(durable: 1)))
    let running = try world.enqueue("running")
    let imported = try world.enqueue("imported", paused: true, resume: .sample(durable: 1))
    let completed = try world.enqueue("completed")
    try world.finish(completed, as: .sample())
    let absent = try DownloadID.named("absent")
    try world.clean()
    try world.found(orphanPartials([started, running, imported, completed, absent]))
    var deletions: [Deletion] = []
    while let key = world.steps.keys.min() {
      try world.send(.cleaned(key, .done))
      deletions += world.deletions
    }
    #expect(
      deletions == [
        Deletion(key: deletions[0].key, download: completed, file: nil),
        Deletion(key: deletions[1].key, download: absent, file: nil),
      ])
    try world.carryOutDeletions()
    try world.cleanUp(orphanPartials([absent]))
    #expect(world.downloads.deletions.underWay.count == 1)
  }

  @Test("A download that has not begun waits until an orphan partial file with its id is deleted")
  func disownedNamesake() throws {
    let world = try World { $0.maxConcurrent = 1 }
    let blocker = try world.enqueue("blocker")
    let id = try world.enqueue("a")
    try world.cleanUp(orphanPartials([id]))
    try world.report(blocker, .failed(.missing, kept: nil))
    #expect(world.started.isEmpty)
    try world.carryOutDeletions()
    #expect(world.started == ["a"])
  }

  private func orphanPartials(_ ids: [DownloadID]) -> [CleanupStep] {
    ids.map { .planned(.orphanPartial(FoundPartial(download: $0, length: 1)), .delete) }
  }

  private func enqueueImported(_ number: Int, in world: World) throws {
    let wishes = try (0..<number).map { index in
      Action.downloads(
        .enqueue(
          .init(
            id: try .named("d\(index)"), address: try .on("a.example", "\(index)"), isPaused: true,
            resume: .sample(durable: 1))))
    }
    try world.dispatch(wishes)
  }
}
