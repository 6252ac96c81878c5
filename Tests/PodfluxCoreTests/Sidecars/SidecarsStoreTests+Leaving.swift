import Flux
import Persistence
import Testing

@testable import PodfluxCore

/// How sidecars leave with their files, follow them, and stay with people.
extension SidecarsStoreTests {
  // MARK: Leaving

  @Test("Sidecars go with their download's file, by its id and in one statement", arguments: [false, true])
  func leave(isBulk: Bool) throws {
    let id = try complete("a")
    let file = try bring("a.info.json")
    try world.send(.downloads(.remove(isBulk ? .all : .one(id), deletingFile: true)))
    #expect(deletions == [SidecarDeletion(sidecar: 1, file: file)])
    #expect(try row().state == .leaving(file, or: nil))
    try world.send(.sidecar(.notDeleted(1)))
    #expect(deletions.isEmpty)
    try world.restart()
    #expect(deletions.count == 1)
    try world.send(.sidecar(.deleted(1)))
    #expect(try rows.isEmpty)
  }

  @Test("A file that stays keeps its sidecars, which are the user's then", arguments: [false, true])
  func kept(isBulk: Bool) throws {
    let id = try complete("a")
    let file = try bring("a.info.json")
    try world.send(.downloads(.remove(isBulk ? .all : .one(id), deletingFile: false)))
    #expect(try row().owner == nil && row().state == .present(file))
    #expect(try world.database.read { try $0.isSidecar(FoundFile(file)) })
    #expect(deletions.isEmpty)
  }

  @Test("A fetch whose download has gone ends, and its file is deleted only then")
  func leavesWhileFetched() throws {
    let id = try complete("a")
    let fetch = try #require(fetches.first)
    let file = try file("a.info.json")
    try report(fetch, .publishing(file))
    try world.send(.downloads(.remove(.one(id), deletingFile: true)))
    #expect(orders == [.stop(fetch.id)])
    try report(fetch, .finished(file))
    #expect(deletions.map(\.file) == [file])
    try world.send(.sidecar(.deleted(1)))
    #expect(try rows.isEmpty)
  }

  @Test("The cover goes with the last file of its folder")
  func cover() throws {
    try set([.cover])
    let id = try completeEpisode()
    let cover = try bring("cover.png", inode: 501)
    let other = try complete("b", inode: 8)
    try world.send(.downloads(.remove(.one(id), deletingFile: true)))
    #expect(deletions.isEmpty)
    try world.send(.downloads(.remove(.one(other), deletingFile: true)))
    #expect(deletions.map(\.file) == [cover])
  }

  @Test("The cover stays with a file that a client keeps, whatever goes later", arguments: [false, true])
  func keptCover(isBulk: Bool) throws {
    try set([.cover])
    let id = try completeEpisode()
    let cover = try bring("cover.png", inode: 501)
    let other = try complete("b", inode: 8)
    try world.send(.downloads(.remove(.one(id), deletingFile: false)))
    try world.send(.downloads(.remove(isBulk ? .all : .one(other), deletingFile: true)))
    #expect(try deletions.isEmpty && row().state == .disowned(cover))
    try world.restart()
    #expect(deletions.isEmpty)
  }

  /// Seed 39 of the simulator, with feeds, sidecars and rules: it took the cover for one that the engine had forgotten.
  @Test("The cover beside a file that a client had kept stays the user's, also when that file is adopted and removed")
  func keptCoverOfAdopted() throws {
    try set([.cover])
    let id = try completeEpisode()
    let file = try #require(try world.row(id).state.file)
    let cover = try bring("cover.png", inode: 501)
    try world.send(.downloads(.remove(.one(id), deletingFile: false)))
    #expect(try row().state == .disowned(cover))
    try world.cleanUp([.planned(.adoptable(FoundFile(file), owner: id, sha256: nil), .adopt)])
    #expect(try world.state(id) == .completed(file))
    try world.send(.downloads(.remove(.one(id), deletingFile: true)))
    #expect(try deletions.isEmpty && rows.isEmpty)
  }

  @Test("A download that is damaged loses its sidecars, and gets them again when it is completed again")
  func damaged() throws {
    let id = try complete("a")
    try bring("a.info.json")
    try world.send(.downloads(.verify(.one(id))))
    try world.verified(id, .damaged("it is damaged", remains: nil))
    #expect(deletions.count == 1)
    try world.send(.sidecar(.deleted(1)))
    try world.send(.downloads(.retry(.one(id))))
    try world.finish(id, as: try .sample("a (2).mp3", length: 70, inode: 9))
    #expect(fetches.map(\.stem) == ["Show/a (2).info"])
  }

  // MARK: Moving

  @Test("Sidecars follow a renamed file; one that does not get its name keeps the former")
  func renames() throws {
    let id = try complete("a")
    let file = try bring("a.info.json")
    let media = try PublishedFile.sample("a.mp3", length: 70, inode: 7)
    let path = try LibraryPath(validating: "Show/b.mp3")
    try world.send(.cleanup(.rename(RenameRequest())))
    try world.found([.planned(.misnamed(id, media, to: path), .rename)])
    try world.send(.cleaned(try #require(world.steps.keys.first), .moved(madeFolders: [])))
    let target = try LibraryPath(validating: "Show/b.info.json")
    let move = CleanupStep.Move()
    #expect(orders == [.move(SidecarMove(sidecar: 1, file: file, path: target, move: move))])
    // A kill in the middle: the engine that comes may find it moved.
    try world.restart()
    #expect(
      orders == [.move(SidecarMove(sidecar: 1, file: file, path: target, move: .init(mayHaveBegun: true)))])
    try world.send(.sidecar(.moved(1, madeFolders: [])))
    var moved = file
    moved.path = target
    #expect(try row().state == .present(moved))
    #expect(try row().stem == "Show/b.info")
  }

  // MARK: People

  @Test("What a person has removed, moved or changed is never fetched again")
  func disowned() throws {
    let id = try complete("a")
    let file = try bring("a.info.json")
    try world.send(.cleanup(.run(CleanupRequest())))
    let look = try #require(orders.compactMap { if case .look(let look) = $0 { look } else { nil } }.first)
    #expect(look.subjects == [.init(sidecar: 1, file: file)])
    try world.send(.sidecar(.looked(round: look.round, changed: [1])))
    #expect(try row().state == .disowned(file))
    // A late word of the same look changes nothing.
    try world.send(.sidecar(.looked(round: look.round, changed: [1])))
    try set([])
    try set([.info])
    #expect(fetches.isEmpty)
    try world.send(.downloads(.remove(.one(id), deletingFile: true)))
    #expect(deletions.isEmpty)
    #expect(try rows.isEmpty)
  }

  /// The simulator found a sidecar that had moved behind the back of a look: the look's answer took it for removed.
  @Test("A look that began before a sidecar moved says nothing of it")
  func lateLook() throws {
    let id = try complete("a")
    let file = try bring("a.info.json")
    let media = try PublishedFile.sample("a.mp3", length: 70, inode: 7)
    try world.send(.cleanup(.rename(RenameRequest())))
    try world.found([.planned(.misnamed(id, media, to: try LibraryPath(validating: "Show/b.mp3")), .rename)])
    let step = try #require(world.steps.keys.first)
    try world.send(.cleanup(.run(CleanupRequest())))
    let look = try #require(orders.compactMap { if case .look(let look) = $0 { look } else { nil } }.first)
    try world.send(.cleaned(step, .moved(madeFolders: [])))
    try world.send(.sidecar(.moved(1, madeFolders: [])))
    try world.send(.sidecar(.looked(round: look.round, changed: [1])))
    var moved = file
    moved.path = try LibraryPath(validating: "Show/b.info.json")
    #expect(try row().state == .present(moved))
  }

  @Test("A plan looks at nothing")
  func plan() throws {
    _ = try complete("a")
    try bring("a.info.json")
    try world.send(.cleanup(.run(CleanupRequest(mode: .plan))))
    #expect(orders.isEmpty)
  }

  /// The store began a round before the run was refused; no journal has a refused action, and its fold had other rows.
  @Test("A run that is refused looks at nothing")
  func refused() throws {
    _ = try complete("a")
    try bring("a.info.json")
    for _ in 0..<2 { try world.send(.cleanup(.run(CleanupRequest()))) }
    let round = try #require(world.dispatcher.state.sidecars.round)
    #expect(throws: Refusal.self) { try world.send(.cleanup(.run(CleanupRequest()))) }
    #expect(world.dispatcher.state.sidecars.round == round)
  }
}
