import Flux
import Testing

@testable import PodfluxCore

@Suite("Runs that rename files")
struct RenamingStoreTests {
  private let world: World

  init() throws {
    world = try World()
  }

  private func completed(_ name: String, inode: UInt64) throws -> (id: DownloadID, file: PublishedFile) {
    let id = try world.enqueue(name)
    let file = try PublishedFile.sample("\(name).mp3", length: 70, inode: inode)
    try world.finish(id, as: file)
    return (id, file)
  }

  private func path(_ name: String) throws -> LibraryPath { try LibraryPath(validating: "Show/\(name).mp3") }

  private func moved(_ file: PublishedFile, to name: String) throws -> PublishedFile {
    var file = file
    file.path = try path(name)
    return file
  }

  /// A run with these moves, its survey ended.
  private func rename(_ moves: [(DownloadID, PublishedFile, String)], mode: CleanupOptions.Mode = .apply) throws {
    try world.send(.cleanup(.rename(RenameRequest(mode: mode))))
    try world.found(try moves.map { .planned(.misnamed($0.0, $0.1, to: try path($0.2)), .rename) })
  }

  @Test("A run has the settings' names, and a row follows its file once that is moved")
  func follows() throws {
    var patch = SettingsPatch()
    patch.filenameTemplate = try NameTemplate(validating: "{title}")
    patch.portableNames = false
    try world.send(.updateSettings(patch))
    let (id, file) = try completed("a", inode: 7)
    try rename([(id, file, "b")])
    let renaming = try #require(world.cleanup.active?.renaming)
    #expect(renaming.template.text == "{title}" && !renaming.isPortable && renaming.feed == nil)
    let step = try #require(world.steps.values.first)
    #expect(step.move == CleanupStep.Move(isPortable: false))
    #expect(try world.row(id).state == .completed(file))
    let folder = try LibraryPath(validating: "Show")
    try world.send(.cleaned(step.key, .moved(madeFolders: [folder])))
    #expect(try world.row(id).state == .completed(try moved(file, to: "b")))
    #expect(try world.row(id).dates.modified == nil)
    #expect(try world.database.read { try $0.hasMade(EntryPath(folder)) })
    #expect(world.cleanup.last?.stage == .done)
    #expect(world.tally(.misnamed)?.done == 1)
    #expect(world.cleanup.last?.usage == nil)
  }

  @Test("A plan hands out nothing; an unknown feed is refused")
  func plans() throws {
    let (id, file) = try completed("a", inode: 7)
    try rename([(id, file, "b")], mode: .plan)
    #expect(world.steps.isEmpty && world.cleanup.last?.stage == .done)
    #expect(try world.stepRows().map(\.status) == [.planned])
    let unknown = FeedID("none")
    #expect(throws: Refusal.self) { try world.send(.cleanup(.rename(RenameRequest(feed: unknown)))) }
  }

  @Test("A file goes to another one's place when that has left it, and not if it has not")
  func waits() throws {
    let (a, b) = (try completed("a", inode: 7), try completed("b", inode: 8))
    try rename([(b.id, b.file, "c"), (a.id, a.file, "b")])
    #expect(world.steps.values.map(\.download) == [b.id])
    try world.carryOutSteps(.moved(madeFolders: []))
    #expect(try world.row(a.id).state == .completed(try moved(a.file, to: "b")))
    #expect(try world.row(b.id).state == .completed(try moved(b.file, to: "c")))

    let (c, d) = (try completed("x", inode: 9), try completed("y", inode: 10))
    try rename([(d.id, d.file, "z"), (c.id, c.file, "y")])
    try world.carryOutSteps(.left("It is too dark."))
    #expect(try world.row(c.id).state == .completed(c.file))
    #expect(try world.stepRows().map(\.because) == ["It is too dark.", CleanupStep.nameIsTaken])
  }

  @Test("A circle goes by way of another name, one step after the other")
  func circle() throws {
    let (a, b) = (try completed("a", inode: 7), try completed("b", inode: 8))
    try rename([(a.id, a.file, "t"), (b.id, b.file, "a"), (a.id, try moved(a.file, to: "t"), "b")])
    #expect(world.steps.count == 1)
    try world.carryOutSteps(.moved(madeFolders: []))
    #expect(try world.row(a.id).state == .completed(try moved(a.file, to: "b")))
    #expect(try world.row(b.id).state == .completed(try moved(b.file, to: "a")))
    #expect(try world.stepRows().map(\.status) == [.done, .done, .done])
  }

  @Test("After a restart the steps that may have been under way are handed out again, of a cancelled run too")
  func restarts() throws {
    let files = try (1...20).map { try completed("f\($0)", inode: UInt64(100 + $0)) }
    try rename(files.enumerated().map { ($1.id, $1.file, "g\($0)") })
    #expect(world.steps.count == CleanupStore.stepsAtOnce)
    #expect(world.steps.values.allSatisfy { $0.move?.mayHaveBegun == false })
    try world.send(.cleaned(try #require(world.steps.keys.min()), .moved(madeFolders: [])))
    #expect(try world.send(.cleanup(.cancel)) == .affected(1))
    try world.restart()
    #expect(world.cleanup.active?.isCancelled == true)
    #expect(world.steps.count == CleanupStore.stepsAtOnce)
    #expect(world.steps.values.allSatisfy { $0.move?.mayHaveBegun == true })
    try world.carryOutSteps(.moved(madeFolders: []))
    #expect(world.cleanup.last?.stage == .cancelled)
    #expect(try world.stepRows().filter { $0.status == .done }.count == 17)
    #expect(try world.stepRows().filter { $0.status == .planned }.count == 3)
  }

  @Test("A download that is removed while its file is moved leaves neither name", arguments: [true, false])
  func removed(isMoved: Bool) throws {
    let (id, file) = try completed("a", inode: 7)
    try rename([(id, file, "b")])
    try world.send(.downloads(.remove(isMoved ? .one(id) : .all, deletingFile: true)))
    #expect(world.downloads.deletions.underWay.isEmpty)
    try world.carryOutSteps(isMoved ? .moved(madeFolders: []) : .left("It is too dark."))
    #expect(Set(world.downloads.deletions.underWay.values.map(\.file)) == [file, try moved(file, to: "b")])
    try world.carryOutDeletions()
    #expect(!world.cleanup.owesWork)
  }

  @Test("A download that is enqueued again under its id while its former file is moved begins when that is deleted")
  func enqueuedAgain() throws {
    let (id, file) = try completed("a", inode: 7)
    try rename([(id, file, "b")])
    try world.send(.downloads(.remove(.one(id), deletingFile: true)))
    _ = try world.enqueue("a")
    #expect(world.attempts[id] == nil)
    try world.carryOutSteps(.moved(madeFolders: []))
    #expect(Set(world.downloads.deletions.underWay.values.map(\.file)) == [file, try moved(file, to: "b")])
    try world.carryOutDeletions()
    #expect(world.attempts[id] != nil)
  }

  @Test("A file without a lasting number that was not moved is not taken for what has the new name")
  func removedWithoutInode() throws {
    let (id, file) = try completed("a", inode: FoundFile.unknownInode)
    try rename([(id, file, "b")])
    try world.send(.downloads(.remove(.one(id), deletingFile: true)))
    try world.carryOutSteps(.left(CleanupStep.nameIsTaken))
    #expect(world.downloads.deletions.underWay.values.compactMap(\.file) == [file])
  }

  @Test("After a crash both names of a removed download's file are deleted")
  func removedBeforeCrash() throws {
    let (id, file) = try completed("a", inode: 7)
    try rename([(id, file, "b")])
    try world.send(.downloads(.remove(.one(id), deletingFile: true)))
    try world.restart()
    #expect(Set(world.downloads.deletions.underWay.values.map(\.file)) == [file, try moved(file, to: "b")])
    #expect(world.steps.isEmpty && !world.cleanup.owesWork)
  }

  @Test("A file that was moved while it was read is read again", arguments: [true, false])
  func verified(isFirst: Bool) throws {
    let (id, file) = try completed("a", inode: 7)
    try rename([(id, file, "b")])
    try world.send(.downloads(.verify(.one(id))))
    let gone = Verification.Verdict.damaged("it is gone", remains: nil)
    if isFirst { try world.verified(id, gone) }
    try world.carryOutSteps(.moved(madeFolders: []))
    try world.verified(id, gone)
    #expect(try world.row(id).state == .completed(try moved(file, to: "b")))
    #expect(world.verifications.values.map(\.file) == [try moved(file, to: "b")])
    try world.verified(id, .intact)
    #expect(world.verifications.isEmpty)
  }

  @Test("A step that was carried out twice, and failed first, has its row follow the file all the same")
  func twice() throws {
    let (id, file) = try completed("a", inode: 7)
    try rename([(id, file, "b")])
    let key = try #require(world.steps.keys.first)
    try world.send(.cleaned(key, .left("It is too dark.")))
    #expect(try world.row(id).state == .completed(file))
    try world.send(.cleaned(key, .moved(madeFolders: [])))
    #expect(try world.row(id).state == .completed(try moved(file, to: "b")))
    #expect(try world.stepRows().map(\.status) == [.left])
  }

  @Test("A run waits for the pass of a start, and what it could not see after a crash is left to another one")
  func passes() throws {
    let world = try World(cleansUpOnStart: true)
    #expect(world.cleanup.active?.cause == .start)
    let key = try world.send(.cleanup(.rename(RenameRequest())))
    #expect(world.cleanup.active?.cause == .start && key == world.cleanup.waiting.map { .cleanup($0.key) })
    try world.found([])
    #expect(world.cleanup.active?.renaming != nil)
    let id = try world.enqueue("a")
    let file = try PublishedFile.sample("a.mp3", length: 70, inode: 7)
    try world.finish(id, as: file)
    try world.found([.planned(.misnamed(id, file, to: try path("b")), .rename)])
    try world.restart()
    #expect(world.steps.values.map(\.move?.mayHaveBegun) == [true])
    try world.carryOutSteps(.left("The disk does not answer."))
    #expect(world.cleanup.active?.cause == .start)
  }

  @Test("A name that another row has is not given")
  func taken() throws {
    let (a, b) = (try completed("a", inode: 7), try completed("b", inode: 8))
    try rename([(a.id, a.file, "b")])
    #expect(world.steps.isEmpty)
    #expect(try world.stepRows().map(\.because) == [CleanupStep.nameIsTaken])
    #expect(try world.row(b.id).state == .completed(b.file))
  }
}

@Suite("What a file can be named after")
struct NameableDownloadTests {
  private func download(_ change: (inout Download) -> Void = { _ in }, address: String = "https://h/1") throws
    -> Download
  {
    let file = try PublishedFile.sample()
    var download = Download(
      id: try .named("a"), address: try WebAddress(address), description: .init(podcast: "P", title: "T"),
      rank: .init(priority: .normal, position: 0), origin: .user, state: .completed(file), progress: .init(),
      failures: 0,
      dates: .init(added: World.beginning), isHeld: false)
    change(&download)
    return download
  }

  private func facts(_ nameable: NameableDownload, feed: FeedID? = nil, _ template: String = "{title}") throws
    -> PublishingFacts?
  {
    let renaming = Renaming(
      feed: feed, template: try NameTemplate(validating: template), timeZone: .publisher, isPortable: false)
    return nameable.namingFacts(for: renaming, of: try .sample("x.opus")) { _ in 12 }
  }

  @Test("A path of its client, another program's file, a missing title and another feed keep the name")
  func kept() throws {
    #expect(try facts(NameableDownload(download())) != nil)
    let path = try LibraryPath(validating: "own.mp3")
    #expect(try facts(NameableDownload(download { $0.description.path = path })) == nil)
    #expect(try facts(NameableDownload(download { $0.description.title = nil })) == nil)
    #expect(try facts(NameableDownload(download(address: "https://adopted.invalid/x.mp3"))) == nil)
    #expect(try facts(NameableDownload(download()), feed: FeedID("f")) == nil)
  }

  @Test("A feed's template takes the place of the library's, and the extension stays")
  func templates() throws {
    let episode = Episode(
      id: EpisodeID(number: 3), feed: 1, content: .init(guid: "g", season: 2, number: "7"), added: World.beginning)
    var feed = Feed(
      key: 1, id: try #require(FeedID("f")), address: try WebAddress("https://h/f"), wishes: .init(),
      refreshes: .init(next: World.beginning), added: World.beginning)
    let plain = try #require(try facts(NameableDownload(download(), episode: episode, feed: feed), feed: feed.id))
    #expect(plain.naming == DownloadNaming(try NameTemplate(validating: "{title}"), episode: .init(episode)))
    #expect(plain.fileExtension == "opus" && !plain.settings.portableNames)
    feed.wishes.filenameTemplate = try NameTemplate(validating: "{index} {title}")
    let own = try #require(try facts(NameableDownload(download(), episode: episode, feed: feed)))
    #expect(own.naming.template.text == "{index} {title}")
    #expect(own.naming.episode?.index == 12)
  }
}
