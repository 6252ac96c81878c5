import Flux
import GRDB
import Testing

@testable import Persistence
@testable import PodfluxCore

@Suite("The storage quota and rules")
struct QuotaTests {
  /// Four episodes of 100 bytes are here, and the quota is 450.
  private func full() throws -> RuleScene {
    try .filled(quota: 450, .auto(newest: 4), with: 1...4)
  }

  @Test("The oldest that rules have fetched, of all feeds, go for newer ones")
  func room() throws {
    let scene = try RuleScene { $0.storageQuotaBytes = 450 }
    let other = try #require(FeedID("other"))
    try scene.subscribe(.auto(.all))
    try scene.subscribe(.auto(.all), id: other)
    try scene.refresh(appeared: [scene.content(4, daysAgo: 4), scene.content(2, daysAgo: 6)])
    try scene.refresh(appeared: [scene.content(3, daysAgo: 5), scene.content(1, daysAgo: 7)], id: other)
    try scene.comeToRest()
    #expect(try scene.here() == [1, 2, 3, 4])
    try scene.refresh(appeared: [scene.content(9, daysAgo: 0), scene.content(8, daysAgo: 0)])
    try scene.comeToRest()
    #expect(try scene.here() == [3, 4, 8, 9])
    #expect(try scene.verdict(1) == RuleVerdict(.deleted, .exceedsQuota))
  }

  @Test("No newer one goes for an older one that a rule wants")
  func noFight() throws {
    let scene = try RuleScene.filled(quota: 250, .auto(.all), with: 1...5)
    #expect(try scene.here() == [4, 5])
    #expect(scene.world.downloads.counts[.waiting] == 3)
  }

  /// What was freed for the new one went to the older ones that waited too, and more was freed.
  @Test("Room that was freed for a new episode goes to no older one that waits", arguments: [false, true])
  func promised(isRestarted: Bool) throws {
    let scene = try RuleScene.filled(quota: 350, .auto(newest: 5), with: 1...5)
    #expect(try scene.here() == [3, 4, 5])
    try scene.refresh(appeared: scene.contents(6...6))
    if isRestarted { try scene.world.restart() }
    for _ in 0..<4 {
      try scene.comeToRest()
      #expect(try !scene.here().contains { $0 < 4 } || scene.here() == [3, 4, 5])
      scene.world.advance(seconds: 60)
      try scene.world.send(.timeCame)
    }
    #expect(try scene.here() == [4, 5, 6])
    #expect(scene.world.downloads.room.promised.isEmpty)
  }

  @Test("A file that turns out to be far larger than the feed says pushes nothing out, and blocks nothing")
  func lyingLength() throws {
    let scene = try full()
    try scene.refresh(appeared: [scene.content(5, daysAgo: 0, length: 10)])
    let id = try #require(scene.world.attempts.keys.first)
    try scene.world.report(id, .checkpoint(.sample(durable: 400, total: 3_000)))
    if scene.world.downloads.live[id] != nil {
      try scene.world.report(id, .stopped(kept: .sample(durable: 400, total: 3_000)))
    }
    try scene.comeToRest()
    #expect(try scene.here() == [1, 2, 3, 4])
    #expect(try scene.verdict(5) == RuleVerdict(.deleted, .exceedsQuotaAlone))
    try scene.refresh(appeared: [scene.content(6, daysAgo: 0)])
    try scene.comeToRest()
    #expect(try scene.here() == [2, 3, 4, 6])
  }

  @Test("What waits for room that the older ones together do not have pushes nothing out")
  func largeEpisode() throws {
    let scene = try full()
    try scene.mark(3, .init(isFavorite: true))
    try scene.refresh(appeared: [scene.content(5, daysAgo: 0, length: 400)])
    try scene.comeToRest()
    #expect(try scene.here() == [1, 2, 3, 4])
    #expect(scene.world.downloads.counts[.waiting] == 1)
  }

  @Test("A file that is here and larger than the whole quota goes, and no other one")
  func largerThanQuota() throws {
    let scene = try full()
    try scene.refresh(appeared: [scene.content(5, daysAgo: 0, length: 10)])
    let id = try #require(scene.world.attempts.keys.first)
    try scene.world.finish(id, as: try .sample("big.mp3", length: 500, inode: 99))
    try scene.comeToRest()
    #expect(try scene.here() == [1, 2, 3, 4])
    #expect(try scene.verdict(5) == RuleVerdict(.deleted, .exceedsQuotaAlone))
  }

  @Test("A lowered quota frees what exceeds it, but neither favorites nor what a person has asked for")
  func lowered() throws {
    let scene = try RuleScene()
    try scene.subscribe(.auto(newest: 4))
    try scene.refresh(appeared: scene.contents(1...6))
    try scene.ask(for: 1)
    try scene.comeToRest()
    try scene.mark(3, .init(isFavorite: true))
    var patch = SettingsPatch()
    patch.storageQuotaBytes = 350
    try scene.world.send(.updateSettings(patch))
    try scene.comeToRest()
    #expect(try scene.here() == [1, 3, 6])
    patch.storageQuotaBytes = 50
    try scene.world.send(.updateSettings(patch))
    try scene.comeToRest()
    #expect(try scene.here() == [1, 3])
  }

  @Test("A person's download has room made for it; what would not suffice is not deleted")
  func person() throws {
    let scene = try RuleScene { $0.storageQuotaBytes = 300 }
    try scene.subscribe(.auto(newest: 3))
    try scene.refresh(appeared: scene.contents(2...4) + [scene.content(1, daysAgo: 999, length: 9_000)])
    try scene.comeToRest()
    #expect(try scene.here() == [2, 3, 4])
    try scene.ask(for: 1)
    try scene.comeToRest()
    #expect(try scene.here() == [2, 3, 4])
    let other = try #require(FeedID("other"))
    try scene.subscribe(.none, id: other)
    try scene.refresh(appeared: [scene.content(50, daysAgo: 999)], id: other)
    try scene.ask(for: 50)
    try scene.comeToRest()
    #expect(try scene.here() == [3, 4, 50])
  }

  @Test(
    "A sum of bytes that the disk has changed deletes nothing, and holds nothing up", arguments: ["complete", "bytes"])
  func damagedSum(column: String) throws {
    let scene = try RuleScene { $0.storageQuotaBytes = 1000 }
    try scene.subscribe(.auto(newest: 4))
    try scene.refresh(appeared: scene.contents(1...3))
    try scene.comeToRest()
    try scene.world.database.ledger().transaction { tables in
      try #require(tables as? SQLTables).db.execute(sql: "UPDATE usage SET \(column) = \(column) + 5000")
    }
    scene.world.checksInvariants = false
    try scene.refresh(appeared: scene.contents(4...4))
    try scene.comeToRest()
    #expect(try scene.here() == [1, 2, 3, 4])
  }

  // MARK: Searches in vain

  @Test("What may go from now on is found at once, although nothing was found before")
  func mayGoNow() throws {
    let scene = try full()
    for number in 1...4 { try scene.mark(number, .init(isFavorite: true)) }
    try scene.refresh(appeared: [scene.content(5, daysAgo: 0)])
    try scene.comeToRest()
    #expect(scene.world.dispatcher.state.rules.searches != FruitlessSearches())
    #expect(try scene.here() == [1, 2, 3, 4])
    try scene.mark(2, .init(isFavorite: false))
    try scene.comeToRest()
    #expect(try scene.here() == [1, 3, 4, 5])
  }

  @Test("An older file that arrives is found at once, although nothing older was there before")
  func comesNow() throws {
    let scene = try RuleScene.filled(quota: 250, .auto(.all), with: 3...4)
    let other = try #require(FeedID("other"))
    try scene.subscribe(.auto(.all), id: other)
    try scene.refresh(
      appeared: [scene.content(2, daysAgo: 999), scene.content(1, daysAgo: 1_100, length: 40)], id: other)
    try scene.comeToRest()
    #expect(try scene.here() == [1, 3, 4])
    #expect(scene.world.downloads.counts[.waiting] == 1)
    var patch = SettingsPatch()
    patch.storageQuotaBytes = 300
    try scene.world.send(.updateSettings(patch))
    try scene.comeToRest()
    #expect(try scene.here() == [2, 3, 4])
  }
}

@Suite("Searches for room")
struct FruitlessSearchesTests {
  private let noon = Timestamp(milliseconds: 1_000_000)

  private func place(_ hours: Int64) -> RuledEpisode.Place {
    let moment = Timestamp(milliseconds: hours * 3_600_000)
    return RuledEpisode.Place(moment: moment, added: moment, id: EpisodeID(number: 1))
  }

  @Test("cover the same need, larger ones, and those of older episodes")
  func covering() {
    var searches = FruitlessSearches()
    #expect(!searches.cover(1, olderThan: nil))
    searches.note(100, olderThan: place(5), at: noon)
    #expect(searches.cover(101, olderThan: place(5)))
    #expect(searches.cover(101, olderThan: place(4)))
    #expect(!searches.cover(100, olderThan: place(4)))
    #expect(!searches.cover(101, olderThan: place(6)))
    #expect(!searches.cover(101, olderThan: nil))
    searches.note(0, olderThan: nil, at: noon)
    #expect(searches.coverAll)
    #expect(searches.cover(1, olderThan: place(9)))
  }

  @Test("end when an older file comes that could go, but not with a newer one")
  func coming() {
    var searches = FruitlessSearches()
    let needs = [QuotaNeed(bytes: 9)]
    searches.note(0, olderThan: place(5), at: noon)
    searches.note(needs, at: noon)
    #expect(searches.cover(needs))
    searches.forget(coming: place(6))
    #expect(searches.cover(1, olderThan: place(5)))
    #expect(!searches.cover(needs))
    searches.forget(coming: place(4))
    #expect(!searches.cover(1, olderThan: place(5)))
  }

  @Test("end after a minute, and when the clock is set back")
  func aging() {
    let later = noon.advanced(byMilliseconds: FruitlessSearches.milliseconds)
    for (moment, holds) in [
      (later.advanced(byMilliseconds: -1), true), (later, false), (Timestamp(milliseconds: 0), false),
    ] {
      var searches = FruitlessSearches()
      searches.note(0, olderThan: nil, at: noon)
      searches.forgetOld(at: moment)
      #expect(searches.coverAll == holds)
    }
  }

  @Test("are remembered up to a number, the last ones")
  func limit() {
    var searches = FruitlessSearches()
    for hours in 0...Int64(QuotaNeed.limit) { searches.note(hours, olderThan: place(hours), at: noon) }
    #expect(!searches.cover(1, olderThan: place(0)))
    #expect(searches.cover(2, olderThan: place(1)))
  }
}
