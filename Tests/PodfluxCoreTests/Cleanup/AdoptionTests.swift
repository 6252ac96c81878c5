import Flux
import Testing

@testable import PodfluxCore

@Suite("Files that become downloads")
struct AdoptionTests {
  private let world: World
  private let file: PublishedFile
  private let adopting = CleanupOptions(orphans: .adopt)

  init() throws {
    world = try World()
    file = try .sample("a.mp3", length: 70, inode: 7)
  }

  private func adoptable(_ owner: DownloadID, sha256: String? = nil) -> CleanupStep {
    .planned(.adoptable(FoundFile(at: file), owner: owner, sha256: sha256), .adopt)
  }

  // MARK: By whom it was had, or wanted

  @Test("By a failed download: it is completed, and its partial file is deleted")
  func failed() throws {
    let id = try world.enqueue("a")
    try world.report(id, .failed(.missing, kept: .sample(durable: 400)))
    let sha256 = PlannerScene.sha256(of: "mine")
    world.advance(seconds: 5)
    try world.cleanUp([adoptable(id, sha256: sha256)], adopting)
    var expected = file
    expected.sha256 = sha256
    let row = try world.row(id)
    #expect(row.state == .completed(expected))
    #expect(row.progress.durable == 70 && row.progress.total == 70 && row.progress.resume == nil)
    #expect(row.failures == 0)
    #expect(row.dates.finished == World.beginning.advanced(byMilliseconds: 5_000))
    #expect(world.downloads.counts[.failed] == 0)
    #expect(world.deletions == [Deletion(key: world.deletions.first?.key ?? 0, download: id, file: nil)])
    try world.carryOutDeletions()
    #expect(try world.send(.downloads(.verify(.one(id)))) == .affected(1))
  }

  @Test("By a removed download: it is restored with its id and address, and its former file is dropped")
  func forgotten() throws {
    let id = try world.enqueue("a", host: "b.example")
    let address = try world.row(id).address
    try world.finish(id, as: file)
    try world.cleanUp([.planned(.missing(id, file), .forget)])
    try world.cleanUp([adoptable(id)], adopting)
    let row = try world.row(id)
    #expect(row.state == .completed(file))
    #expect(row.address == address)
    #expect(row.origin == .user)
    #expect(row.dates.finished == World.beginning)
    #expect(world.downloads.counts[.completed] == 1)
    #expect(try world.database.read { try $0.formerFiles(like: FoundFile(at: file)) }.isEmpty)
    // After its removal with its file, a rule may fetch it again: no client has forbidden that.
    try world.send(.downloads(.remove(.one(id), deletingFile: true)))
    let wish = DownloadIntent.Enqueue(id: id, address: address, origin: .auto)
    #expect(try world.send(.downloads(.enqueue(wish))) == .enqueued(id: id, created: true))
  }

  @Test("By a download that was removed without its file", arguments: [true, false])
  func kept(isBulk: Bool) throws {
    let id = try world.enqueue("a")
    let address = try world.row(id).address
    try world.finish(id, as: file)
    try world.send(.downloads(.remove(isBulk ? .all : .one(id), deletingFile: false)))
    let wish = DownloadIntent.Enqueue(address: address, origin: .auto)
    #expect(try world.send(.downloads(.enqueue(wish))) == .enqueued(id: id, created: false))
    try world.cleanUp([adoptable(id)], adopting)
    #expect(try world.state(id) == .completed(file))
    #expect(try world.row(id).address == address)
  }

  /// The simulator's seed 941: the next cleanup adopted the damaged file as a new download's.
  @Test("A damaged file stays recorded as such, even after its download has adopted another")
  func remainsElsewhere() throws {
    let id = try world.enqueue("a")
    let damaged = try PublishedFile.sample("b.mp3", length: 8, inode: 8)
    try world.finish(id, as: damaged)
    try world.cleanUp([.planned(.corrupt(id, damaged, found: FoundFile(at: damaged)), .mark)], .init(missing: .mark))
    try world.cleanUp([adoptable(id)], adopting)
    #expect(try world.state(id) == .completed(file))
    let former = try world.database.read { try $0.formerFiles(like: FoundFile(at: damaged)) }
    #expect(former.map(\.cause) == [.corrupt] && former.map(\.file) == [damaged])
  }

  /// Seed 689 of the simulator, with links and tags: the next cleanup deleted the kept file as an orphan.
  @Test("A file that was to stay stays recorded as such, even after its download has got another one back")
  func keptElsewhere() throws {
    let id = try world.enqueue("a")
    let kept = try PublishedFile.sample("b.mp3", length: 8, inode: 8)
    try world.finish(id, as: kept)
    try world.send(.downloads(.remove(.one(id), deletingFile: false)))
    let address = try WebAddress.on("c.example")
    let wish = DownloadIntent.Enqueue(id: id, address: address, origin: .user)
    #expect(try world.send(.downloads(.enqueue(wish))) == .enqueued(id: id, created: true))
    try world.finish(id, as: file)
    try world.cleanUp([.planned(.missing(id, file), .forget)])
    try world.cleanUp([adoptable(id)])
    #expect(try world.state(id) == .completed(file))
    #expect(try world.row(id).address == address)
    let formers = try world.database.read { reader in
      try [kept, file].flatMap { try reader.formerFiles(like: FoundFile(at: $0)) }
    }
    #expect(formers.map(\.cause) == [.kept] && formers.map(\.file) == [kept])
  }

  @Test("By no download, at the path of another one's row: two rows with one path could never follow it")
  func placeOfAnother() throws {
    let other = try world.enqueue("b")
    try world.finish(other, as: try .sample("a.mp3", length: 8, inode: 8))
    let id = try world.enqueue("a")
    try world.report(id, .failed(.missing, kept: nil))
    try world.cleanUp([adoptable(id), .planned(.orphan(FoundFile(at: file)), .adopt)], adopting)
    #expect(try world.stepRows().map(\.status) == [.left, .left])
    #expect(try world.state(id).kind == .failed)
    #expect(world.downloads.counts[.completed] == 1)
    // Once that download is removed, the path is free.
    try world.send(.downloads(.remove(.one(other), deletingFile: false)))
    try world.cleanUp([adoptable(id)], adopting)
    #expect(try world.state(id) == .completed(file))
  }

  /// Otherwise its partial file would be deleted under the attempt that writes it.
  @Test(
    "One with a pending deletion of its partial file begins again only after that", arguments: [true, false])
  func fetchedAgain(isForgotten: Bool) throws {
    let id = try world.enqueue("a")
    try world.report(id, .failed(.missing, kept: .sample(durable: 400)))
    if isForgotten { try world.send(.downloads(.remove(.one(id), deletingFile: true))) }
    try world.cleanUp([adoptable(id)], adopting)
    #expect(try world.state(id) == .completed(file))
    try world.cleanUp([.planned(.missing(id, file), .redownload)])
    #expect(try world.state(id) == .queued)
    #expect(world.started.isEmpty)
    try world.carryOutDeletions()
    #expect(world.started == ["a"])
  }

  @Test("By a download of which only the id is known")
  func unknownOwner() throws {
    let id = try DownloadID.named("a")
    try world.cleanUp([adoptable(id)], adopting)
    #expect(try world.state(id) == .completed(file))
    #expect(try world.row(id).address.description == "https://adopted.invalid/Show/a.mp3")
  }

  // MARK: By a new download

  @Test("An orphan becomes a new download, whose address leads nowhere")
  func orphan() throws {
    try world.enqueue("other", paused: true)
    let found = FoundFile(place: EntryPath(bytes: Array("Süß/Teil 1/ep. 1.mp3".utf8)), length: 9, inode: 5)
    try world.cleanUp([.planned(.orphan(found), .adopt)], adopting)
    let moment = ConditionMoment(now: World.beginning)
    let page = try world.database.read { try $0.page(DownloadsQuery(), filters: .init(), at: moment).downloads }
    #expect(page.count == 2)
    let row = try #require(page.last)
    #expect(row.state == .completed(try #require(found.published(sha256: nil))))
    #expect(row.address.description == "https://adopted.invalid/S%C3%BC%C3%9F/Teil%201/ep.%201.mp3")
    #expect(row.description.title == "ep. 1")
    #expect(row.description.podcast == "Teil 1")
    #expect(row.progress == .init(durable: 9, total: 9))
    #expect(world.downloads.counts[.completed] == 1)
    #expect(try world.send(.downloads(.verify(.one(row.id)))) == .affected(1))
  }

  @Test("A path that no row can store gives no download")
  func unnameable() throws {
    for name in [[0x61, 0xFF], Array(".hidden".utf8), []] as [[UInt8]] {
      let found = FoundFile(place: EntryPath(bytes: name), length: 9, inode: 5)
      try world.cleanUp([.planned(.orphan(found), .adopt)], adopting)
      #expect(world.tally(.orphan)?.left == 1)
    }
    #expect(world.downloads.counts.allSatisfy { $0.value == 0 })
  }

  @Test("A file that is quarantined or deleted gives no download, and changes none")
  func notAdopted() throws {
    let found = FoundFile(at: file)
    try world.cleanUp([.planned(.orphan(found), .quarantine), .planned(.orphan(found), .delete)])
    #expect(world.tally(.orphan)?.done == 2)
    #expect(world.downloads.counts.allSatisfy { $0.value == 0 })
  }

  // MARK: Not any more

  @Test(
    "A file that has become a download's meanwhile is left, before and after the check of the file",
    arguments: [true, false])
  func claimed(isHandedOut: Bool) throws {
    let owner = try DownloadID.named("owner")
    let decisions: [CleanupStep.Decision] = [.quarantine, .delete, .adopt]
    let steps = decisions.map { CleanupStep.planned(.orphan(FoundFile(at: file)), $0) } + [adoptable(owner)]
    let other = try world.enqueue("other")
    try world.clean()
    if isHandedOut { try world.found(steps) }
    try world.report(other, .publishing(file, kept: .sample(durable: 70, total: 70)))
    if !isHandedOut { try world.found(steps) }
    #expect(world.steps.count == (isHandedOut ? 4 : 0))
    try world.carryOutSteps()
    #expect(try world.download(owner) == nil)
    #expect(world.downloads.counts[.completed, default: 0] == 0)
    let statuses = try world.stepRows().map(\.status)
    // For the others the work on files came first, and the executor had checked the inode.
    #expect(statuses == (isHandedOut ? [.done, .done, .left, .left] : [.left, .left, .left, .left]))
  }

  @Test("A file with a pending deletion, or move to quarantine, is left")
  func owedDeletion() throws {
    let id = try world.enqueue("a")
    try world.finish(id, as: file)
    try world.send(.downloads(.remove(.one(id), deletingFile: true)))
    try world.cleanUp([.planned(.orphan(FoundFile(at: file)), .adopt), adoptable(try .named("owner"))], adopting)
    #expect(try world.stepRows().map(\.status) == [.left, .left])
    #expect(world.downloads.counts[.completed] == 0)
  }

  @Test("A failed download that is retried meanwhile fetches its own file")
  func wantedAgain() throws {
    let id = try world.enqueue("a")
    try world.report(id, .failed(.missing, kept: nil))
    try world.clean(adopting)
    try world.found([adoptable(id)])
    try world.send(.downloads(.retry(.one(id))))
    try world.carryOutSteps()
    #expect(try world.state(id).kind == .running)
    #expect(world.tally(.adoptable)?.left == 1)
  }

  @Test("Two files for one failed download: it gets the first")
  func twoFiles() throws {
    let id = try world.enqueue("a")
    try world.report(id, .failed(.missing, kept: nil))
    let other = FoundFile(at: try .sample("b.mp3", inode: 8))
    try world.cleanUp([adoptable(id), .planned(.adoptable(other, owner: id, sha256: nil), .adopt)], adopting)
    #expect(try world.state(id) == .completed(file))
    #expect(try world.stepRows().map(\.status) == [.done, .left])
  }
}
