import Flux
import Testing

@testable import PodfluxCore

@Suite("What rules want and the storage quota leaves no room for")
struct BacklogTests {
  private static let mebibyte: Int64 = 1 << 20
  private static let other: FeedID = {
    guard let id = FeedID("other") else { preconditionFailure("a word is an id") }
    return id
  }()

  /// Services whose servers name the lengths of their files: what does not fit is not fetched.
  private func answer(_ scene: RuleScene, _ length: (DownloadID, Int64?) -> Int64) throws {
    let world = scene.world
    for _ in 0..<5_000 {
      if let id = world.attempts.keys.min(), let attempt = world.attempts[id] {
        let length = length(id, attempt.description.expectedLength)
        if let left = attempt.doubt?.quotaLeft, left < length {
          var said = ResumeRecord.sample(durable: 0, total: length)
          said.savedAt = world.clock.wall
          let error = DownloadError(.noSpace, "it is too long", shortBytes: length - left)
          try world.report(id, .failed(error, kept: said))
        } else {
          let inode = id.description.utf8.reduce(UInt64(7)) { ($0 &* 31) &+ UInt64($1) }
          try world.finish(id, as: .sample("\(id).mp3", length: length, inode: inode))
        }
      } else if !world.downloads.deletions.underWay.isEmpty {
        try world.carryOutDeletions()
      } else if scene.world.dispatcher.state.rules.owesWork {
        try world.send(.timeCame)
      } else {
        return
      }
    }
    Issue.record("it does not come to rest")
  }

  private func waiting(_ world: World) -> Int { world.downloads.counts[.waiting, default: 0] }

  /// Ten of its episodes fit.
  private func backlog(of count: Int) throws -> RuleScene {
    let scene = try RuleScene.filled(quota: 1_050, .auto(.all), with: 1...count)
    #expect(try scene.here() == Array(count - 9...count))
    return scene
  }

  /// With 64 that waited nothing else was looked at: neither a newer episode of another feed, nor a person's download.
  @Test(
    "A newer episode and a person's download get room, however many older ones wait",
    arguments: [40, 74, 75, 120, 400], [false, true])
  func backlog(count: Int, isRestarted: Bool) throws {
    let scene = try backlog(of: count)
    #expect(waiting(scene.world) == min(count - 10, Obstacle.roomlessLimit))
    if isRestarted {
      try scene.world.restart()
      try scene.comeToRest()
    }
    try scene.subscribe(.auto(.all), id: Self.other)
    try scene.refresh(appeared: [scene.content(500, daysAgo: 0)], id: Self.other)
    try scene.comeToRest()
    #expect(try scene.here() == Array(count - 8...count) + [500])
    let person = try scene.world.enqueue("person", on: "person.example", may: .any, length: 100)
    try scene.comeToRest()
    #expect(try scene.world.state(person).kind == .completed)
    #expect(try scene.here() == Array(count - 7...count) + [500])
    #expect(waiting(scene.world) <= Obstacle.roomlessLimit)
    #expect(scene.world.downloads.room.promised.isEmpty)
  }

  @Test("Room that comes goes to the newest of a backlog, though older ones stand before them in the queue")
  func order() throws {
    let scene = try RuleScene { $0.storageQuotaBytes = 1_050 }
    try scene.subscribe(.auto(.all))
    try scene.refresh(appeared: scene.contents(1...100).reversed())
    try scene.comeToRest()
    try scene.subscribe(.auto(.all), id: Self.other)
    try scene.refresh(appeared: scene.contents(301...500), id: Self.other)
    try scene.comeToRest()
    #expect(try scene.here() == Array(491...500))
    var patch = SettingsPatch()
    patch.storageQuotaBytes = 15_050
    try scene.world.send(.updateSettings(patch))
    try scene.comeToRest()
    #expect(try scene.here().suffix(50) == Array(451...500))
    #expect(try scene.here().count == 150)
  }

  @Test("What room goes to while the path keeps it from starting starts with the next path, and the newest first")
  func path() throws {
    let scene = try backlog(of: 120)
    try scene.world.send(.networkPath(.cellular))
    try scene.world.set { $0.storageQuotaBytes = 1_250 }
    #expect(scene.world.started.isEmpty)
    try scene.world.send(.networkPath(.wifi))
    try scene.comeToRest()
    #expect(try scene.here() == Array(109...120))
  }

  @Test("Those that wait for the quota go on waiting when their time has come, and nothing is tried for them")
  func patience() throws {
    let scene = try backlog(of: 120)
    let world = scene.world
    for _ in 0..<3 {
      world.advance(seconds: 900)
      try world.send(.timeCame)
      #expect(world.started.isEmpty && world.announcements.isEmpty)
      #expect(waiting(world) == Obstacle.roomlessLimit)
      let next = try #require(world.downloads.nextMoment)
      #expect(next > world.clock.wall, "no turn follows another one at once")
    }
    #expect(try scene.here() == Array(111...120))
  }

  /// They were shown as queued, without a reason, until the next turn.
  @Test("What is kept behind those that wait has the same reason from the turn on in which these have come to wait")
  func reason() throws {
    let scene = try RuleScene.filled(quota: 50, .auto(.all), with: 1...100)
    let downloads = try scene.items().compactMap(\.episode.download)
    let queued = try downloads.filter { try scene.world.state($0) == .queued }
    #expect(downloads.count == 100 && queued.count == 100 - Obstacle.roomlessLimit)
    for id in queued { #expect(try scene.world.obstacle(id) == .storage(shortBytes: 50)) }
    let obstacles = scene.world.downloads.obstacles
    #expect(obstacles.all == nil)
    #expect(obstacles.obstacle(for: .any, of: .user, needsPath: true) == nil)
    // Readers without an engine see the same.
    #expect(try scene.world.database.read { try $0.obstacles(now: scene.world.clock.wall) }.rules == obstacles.rules)
  }

  @Test("When 64 of a person's wait for the quota, all others wait with them from that turn on")
  func persons() throws {
    let world = try World { ($0.storageQuotaBytes, $0.maxConcurrent, $0.maxPerHost) = (100, 64, 64) }
    let ids = try (0..<80).map { try DownloadID.named("d\($0)") }
    let wishes = try ids.map { id in
      Action.downloads(
        .enqueue(
          .init(
            id: id, address: try .on("a.example", "\(id).mp3"), description: .init(expectedLength: 150),
            network: .any)))
    }
    try world.dispatch(wishes)
    #expect(waiting(world) == Obstacle.roomlessLimit)
    #expect(try world.obstacle(ids[79]) == .storage(shortBytes: 50))
  }

  /// 70 episodes of 20 MB under a quota of 10 MB: nothing was stored, and nothing was ever asked for.
  @Test("Episodes that are larger than the whole quota keep out neither newer ones nor a person's")
  func tooLarge() throws {
    let scene = try RuleScene { $0.storageQuotaBytes = 10 * Self.mebibyte }
    try scene.subscribe(.auto(.all))
    try scene.refresh(appeared: (1...70).map { try scene.content($0, daysAgo: $0, length: 20 * Self.mebibyte) })
    try answer(scene) { $1 ?? 0 }
    #expect(scene.world.downloads.counts[.completed, default: 0] == 0)
    #expect(waiting(scene.world) == Obstacle.roomlessLimit)
    try scene.subscribe(.auto(.all), id: Self.other)
    try scene.refresh(appeared: [scene.content(500, daysAgo: 0)], id: Self.other)
    let person = try scene.world.enqueue("person", on: "person.example", may: .any)
    try answer(scene) { $1 ?? 100 }
    #expect(try scene.here() == [500])
    #expect(try scene.world.state(person).kind == .completed)
  }

  // MARK: What a feed says of a length

  /// Six episodes of a MiB are here, and the quota is 10 MiB.
  private func six() throws -> RuleScene {
    let scene = try RuleScene { $0.storageQuotaBytes = 10 * Self.mebibyte }
    try scene.subscribe(.auto(.all))
    try scene.refresh(appeared: (1...6).map { try scene.content($0, daysAgo: 10 - $0, length: Self.mebibyte) })
    try scene.comeToRest()
    #expect(try scene.here() == [1, 2, 3, 4, 5, 6])
    try scene.subscribe(.none, id: Self.other)
    return scene
  }

  /// The feed's 9.9 MB deleted all six before the first request, and the file had 200 KB.
  @Test(
    "Only a length that a server has named deletes anything",
    arguments: [
      (Int64(200_000), [1, 2, 3, 4, 5, 6, 50]), (9 * mebibyte, [6, 50]), (11 * mebibyte, [1, 2, 3, 4, 5, 6]),
    ])
  func claim(length: Int64, here: [Int]) throws {
    let scene = try six()
    try scene.refresh(appeared: [scene.content(50, daysAgo: 0, length: 9_900_000)], id: Self.other)
    try scene.ask(for: 50)
    let id = try #require(scene.world.attempts.keys.first)
    #expect(scene.world.attempts[id]?.doubt?.quotaLeft == 4 * Self.mebibyte)
    try scene.comeToRestBesides()
    #expect(try scene.here() == [1, 2, 3, 4, 5, 6])
    try answer(scene) { _, _ in length }
    #expect(try scene.here() == here)
  }

  @Test("What a feed says of the length of a running download deletes nothing for another one")
  func running() throws {
    let scene = try six()
    let world = scene.world
    let first = try world.enqueue("first", on: "a.example", may: .any, length: 4 * Self.mebibyte)
    let second = try world.enqueue("second", on: "b.example", may: .any, length: Self.mebibyte)
    #expect(try world.state(first).kind == .running)
    #expect(try world.state(second).kind == .waiting)
    try scene.comeToRestBesides()
    #expect(try scene.here() == [1, 2, 3, 4, 5, 6])
    try world.report(first, .checkpoint(.sample(durable: 1_000, total: 200_000)))
    #expect(world.started == ["second"])
  }

  @Test("What the older ones together do not have is not made for what a feed says of a length")
  func claimBeyondAll() throws {
    let scene = try RuleScene { $0.storageQuotaBytes = 6 * Self.mebibyte }
    try scene.subscribe(.auto(.all))
    try scene.refresh(appeared: (1...6).map { try scene.content($0, daysAgo: 10 - $0, length: Self.mebibyte) })
    try scene.comeToRest()
    try scene.mark(6, .init(isFavorite: true))
    try scene.refresh(appeared: [scene.content(7, daysAgo: 0, length: 6 * Self.mebibyte)])
    try answer(scene) { $1 ?? 0 }
    #expect(try scene.here() == [1, 2, 3, 4, 5, 6])
    try scene.refresh(appeared: [scene.content(8, daysAgo: 0, length: 3 * Self.mebibyte)])
    try answer(scene) { $1 ?? 0 }
    #expect(try scene.here() == [4, 5, 6, 8])
  }
}

extension RuleScene {
  /// Has rules do what they owe, and nothing arrive.
  fileprivate func comeToRestBesides() throws {
    for _ in 0..<100 where world.dispatcher.state.rules.owesWork || !world.downloads.deletions.underWay.isEmpty {
      try world.carryOutDeletions()
      try world.send(.timeCame)
    }
  }
}
