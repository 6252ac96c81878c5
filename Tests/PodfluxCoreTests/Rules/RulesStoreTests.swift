import Flux
import Testing

@testable import PodfluxCore

@Suite("Rules of feeds")
struct RulesStoreTests {
  @Test("A new subscription downloads the newest of its first whole refresh, then each new one")
  func subscription() throws {
    let scene = try RuleScene()
    try scene.subscribe(.auto(newest: 3))
    #expect(try scene.plan(.auto(newest: 3)) == RulesPlan())
    try scene.refresh(appeared: scene.contents(1...9))
    try scene.comeToRest()
    #expect(try scene.here() == [7, 8, 9])
    #expect(
      try scene.verdict(8) == RuleVerdict(.downloaded, .isAmong(rank: 2, limit: 3, order: .newest)))
    #expect(try scene.verdict(5) == RuleVerdict(.notDownloaded, .isBeyond(rank: 5, limit: 3, order: .newest)))
    try scene.refresh(appeared: [scene.content(10, daysAgo: 0)])
    try scene.comeToRest()
    #expect(try scene.here() == [7, 8, 9, 10])
    #expect(try scene.verdict(10) == RuleVerdict(.downloaded, .isNew))
  }

  @Test(
    "What is there is what the first whole document has, however many parts of one have come before",
    arguments: [
      (FeedRules.auto(.all), Array(1...9)), (.auto(newest: 3, order: .oldest), [1, 2, 3]),
      (.auto(newest: 3), [7, 8, 9]),
    ])
  func firstPart(rules: FeedRules, expected: [Int]) throws {
    let scene = try RuleScene()
    let (older, newer) = (try scene.contents(1...5), try scene.contents(6...9))
    try scene.subscribe(rules)
    try scene.refresh(appeared: newer, endingEarly: true)
    try scene.comeToRest()
    #expect(try scene.here() == [])
    #expect(try scene.verdict(9) == RuleVerdict(.notDownloaded, .isUnread))
    scene.world.advance(seconds: 86_400)
    try scene.refresh(endingEarly: true)
    // What is set meanwhile waits for it too.
    try scene.set(.none)
    try scene.set(rules)
    try scene.world.restart()
    try scene.comeToRest()
    #expect(try scene.here() == [])
    scene.world.advance(seconds: 20 * 86_400)
    try scene.refresh(appeared: older)
    try scene.comeToRest()
    #expect(try scene.here() == expected)
  }

  @Test("A new episode in a part of a document comes, and none that the part left out counts as old for it")
  func laterPart() throws {
    let scene = try RuleScene()
    try scene.subscribe(.auto())
    try scene.refresh(appeared: scene.contents(1...3))
    scene.world.advance(seconds: 7 * 86_400)
    // Two are new, and the document ends behind the newer one.
    try scene.refresh(appeared: [scene.content(5, daysAgo: 0)], endingEarly: true)
    try scene.comeToRest()
    #expect(try scene.here() == [5])
    scene.world.advance(seconds: 7 * 86_400)
    try scene.refresh(appeared: [scene.content(4, daysAgo: 12)])
    try scene.comeToRest()
    #expect(try scene.here() == [4, 5])
  }

  @Test("What a rule downloads is a rule's: its origin says so, and its quality of service follows")
  func origin() throws {
    let scene = try RuleScene()
    try scene.subscribe(.auto(.all))
    try scene.refresh(appeared: scene.contents(1...2))
    try scene.world.send(.timeCame)
    #expect(scene.world.attempts.values.map(\.origin) == [.auto, .auto])
  }

  @Test("A serial show begins at the beginning, and in its order")
  func serial() throws {
    let scene = try RuleScene { $0.maxConcurrent = 1 }
    try scene.subscribe(.auto(newest: 3, order: .oldest))
    try scene.refresh(appeared: scene.contents(1...9))
    var order: [String?] = []
    while try scene.here().count < 3 {
      try scene.world.send(.timeCame)
      let id = try #require(scene.world.attempts.keys.first)
      order.append(scene.world.attempts[id]?.description.title)
      try scene.world.finish(id, as: .sample("\(id).mp3", length: 100, inode: UInt64(order.count)))
    }
    #expect(order == ["Episode 1", "Episode 2", "Episode 3"])
    try scene.comeToRest()
    #expect(try scene.here() == [1, 2, 3])
  }

  @Test(
    "A long back catalogue comes in turns of bounded work, in the rule's order", arguments: FeedRules.Order.allCases)
  func slices(order: FeedRules.Order) throws {
    let scene = try RuleScene { $0.maxConcurrent = 1 }
    scene.world.checksInvariants = false
    try scene.subscribe(.auto(newest: 700, order: order))
    try scene.refresh(appeared: scene.contents(1...900))
    var numbers = [scene.world.downloads.counts.values.reduce(0, +)]
    #expect(numbers[0] <= RulesStore.Limits.decisions)
    while scene.world.dispatcher.state.rules.owesWork {
      try scene.world.send(.timeCame)
      numbers.append(scene.world.downloads.counts.values.reduce(0, +))
    }
    #expect(numbers.last == 700)
    for (former, next) in zip(numbers, numbers.dropFirst()) {
      #expect(next - former <= RulesStore.Limits.decisions)
    }
    let titles = try scene.world.database.read { try $0.downloads(limit: 1000).compactMap(\.description.title) }
    let expected = order == .oldest ? Array(1...700) : (201...900).reversed()
    #expect(titles == expected.map { "Episode \($0)" })
  }

  @Test("A raised limit brings no more than the limit, and a lowered one deletes nothing")
  func changedLimit() throws {
    let scene = try RuleScene()
    try scene.subscribe(.auto(newest: 2))
    try scene.refresh(appeared: scene.contents(1...9))
    try scene.comeToRest()
    try scene.remove(9)
    try scene.refresh(appeared: [scene.content(10, daysAgo: 0)])
    try scene.comeToRest()
    #expect(try scene.here() == [8, 10])
    try scene.set(.auto(newest: 4))
    try scene.comeToRest()
    #expect(try scene.here() == [7, 8, 10])
    try scene.set(.auto(newest: 1))
    try scene.comeToRest()
    #expect(try scene.here() == [7, 8, 10])
    #expect(try scene.verdict(9) == RuleVerdict(.notDownloaded, .wasRemoved))
  }

  @Test("Rules that are set again as they are do nothing")
  func sameRules() throws {
    let scene = try RuleScene()
    try scene.subscribe(.auto(newest: 1))
    try scene.refresh(appeared: scene.contents(1...3))
    try scene.refresh(appeared: [scene.content(4, daysAgo: 0)])
    try scene.comeToRest()
    try scene.set(.auto(newest: 1))
    try scene.comeToRest()
    #expect(try scene.here() == [3, 4])
    #expect(try scene.plan(.auto(newest: 1)) == RulesPlan())
  }

  @Test("Old episodes that appear late bring no flood, and late ones of yesterday come")
  func backdated() throws {
    let scene = try RuleScene()
    try scene.subscribe(.auto(newest: 1))
    try scene.refresh(appeared: scene.contents(1...3))
    try scene.comeToRest()
    scene.world.advance(seconds: 86_400)
    let archive = try (100..<400).map { try scene.content($0, daysAgo: 10_000 - $0) }
    try scene.refresh(appeared: [scene.content(4, daysAgo: 1)] + archive)
    try scene.comeToRest()
    #expect(try scene.here() == [3, 4])
    #expect(try scene.verdict(200) == RuleVerdict(.notDownloaded, .isBackdated))
  }

  @Test("An episode from the future is new once, and keeps no later one from being new")
  func future() throws {
    let scene = try RuleScene()
    try scene.subscribe(.auto())
    try scene.refresh(appeared: [scene.content(1, daysAgo: -9_000), scene.content(2, daysAgo: 3)])
    scene.world.advance(seconds: 864_000)
    try scene.refresh(appeared: [scene.content(3, daysAgo: 0), scene.content(4, daysAgo: -9_000)])
    scene.world.advance(seconds: 864_000)
    try scene.refresh(appeared: [scene.content(5, daysAgo: 0)])
    try scene.comeToRest()
    #expect(try scene.here() == [3, 4, 5])
  }

  @Test("A publisher that dates its episodes before their publication is followed all the same")
  func lateByHabit() throws {
    let scene = try RuleScene()
    try scene.subscribe(.auto())
    try scene.refresh(appeared: [scene.content(1, daysAgo: 20)])
    scene.world.advance(seconds: 7 * 86_400)
    try scene.refresh(appeared: [scene.content(2, daysAgo: 20)])
    try scene.comeToRest()
    #expect(try scene.here() == [2])
  }

  @Test("Episodes that leave the feed and return are not fetched for that")
  func returning() throws {
    let scene = try RuleScene()
    try scene.subscribe(.auto(newest: 2))
    try scene.refresh(appeared: scene.contents(1...9))
    try scene.comeToRest()
    let all = try scene.items().map(\.episode.id)
    try scene.refresh(missing: all)
    try scene.refresh(returned: all)
    try scene.comeToRest()
    #expect(try scene.here() == [8, 9])
  }

  @Test("What a person has removed is never fetched again by a rule, whatever is set and started anew")
  func removed() throws {
    let scene = try RuleScene()
    try scene.subscribe(.auto(newest: 2))
    try scene.refresh(appeared: scene.contents(1...4))
    try scene.comeToRest()
    try scene.remove(4)
    try scene.ask(for: 1)
    try scene.comeToRest()
    try scene.remove(1)
    for rules in [FeedRules.auto(.all), .auto(newest: 4, order: .oldest), .auto(.all, newest: 9)] {
      try scene.set(rules)
      try scene.comeToRest()
      try scene.world.restart()
      try scene.comeToRest()
    }
    #expect(try scene.here() == [2, 3])
    try scene.ask(for: 4)
    try scene.comeToRest()
    #expect(try scene.here() == [2, 3, 4])
  }

  @Test("Keep deletes what rules have fetched once newer ones are here, and nothing else")
  func keep() throws {
    let scene = try RuleScene()
    try scene.subscribe(.auto(newest: 5, keep: .init(newest: 2)))
    try scene.refresh(appeared: scene.contents(1...9))
    try scene.comeToRest()
    #expect(try scene.here() == [8, 9])
    try scene.ask(for: 1)
    try scene.comeToRest()
    try scene.mark(8, .init(isFavorite: true))
    for number in 10...12 { try scene.refresh(appeared: [scene.content(number, daysAgo: 20 - number)]) }
    try scene.comeToRest()
    #expect(try scene.here() == [1, 8, 11, 12])
    #expect(try scene.verdict(9) == RuleVerdict(.deleted, .exceeds(.newest(2))))
    try scene.mark(8, .init(isFavorite: false))
    try scene.comeToRest()
    #expect(try scene.here() == [1, 11, 12])
  }

  @Test("What a person has changed or replaced is no rule's to delete, a copy with the file's time is")
  func edited() throws {
    let scene = try RuleScene()
    try scene.subscribe(.auto(.all))
    try scene.refresh(appeared: scene.contents(1...5))
    try scene.comeToRest()
    try scene.edit(1) { $0.length += 1 }
    try scene.edit(2) { $0.modifiedNanoseconds = 5_000_000 }
    try scene.edit(3) { ($0.inode, $0.modifiedNanoseconds) = (99, 5_000_000) }
    try scene.edit(4) { $0.inode = 98 }
    try scene.set(.auto(.all, keep: .init(newest: 1)))
    try scene.comeToRest()
    #expect(try scene.here() == [1, 2, 3, 5])
    #expect(try scene.verdict(1) == nil && scene.verdict(2) == nil && scene.verdict(3) == nil)
    #expect(try scene.verdict(4) == RuleVerdict(.deleted, .exceeds(.newest(1))))
  }

  @Test("A file that a rule deletes is spared if a person has written to it unseen, one that a person deletes is not")
  func unseenEdit() throws {
    let scene = try RuleScene()
    try scene.subscribe(.auto(keep: .init(newest: 1)))
    try scene.refresh(appeared: scene.contents(1...1))
    scene.world.advance(seconds: 60)
    try scene.refresh(appeared: [scene.content(10, daysAgo: 2)])
    try scene.comeToRest()
    try scene.refresh(appeared: [scene.content(11, daysAgo: 1)])
    let newer = try #require(scene.world.attempts.keys.first)
    try scene.world.finish(newer, as: .sample("11.mp3", length: 100, inode: 11))
    for _ in 0..<9 where scene.world.downloads.deletions.underWay.isEmpty { try scene.world.send(.timeCame) }
    let deletion = try #require(scene.world.downloads.deletions.underWay.values.first)
    #expect(deletion.sparesEdits && deletion.file?.modifiedNanoseconds == 1)
    try scene.comeToRest()
    try scene.remove(11)
    #expect(scene.world.downloads.deletions.underWay.values.map(\.sparesEdits) == [false])
  }

  /// Seed 2901555542 of the simulator: bytes came over a metered path under the class of rules.
  @Test("An attempt of a rule's that a person asks for is under the person's class at once")
  func claimedWhileRunning() throws {
    let scene = try RuleScene()
    try scene.subscribe(.auto(.all))
    try scene.refresh(appeared: scene.contents(1...1))
    let id = try #require(scene.world.attempts.keys.first)
    #expect(scene.world.downloads.live[id]?.origin == .auto)
    try scene.ask(for: 1)
    #expect(scene.world.downloads.live[id]?.origin == .user)
  }

  @Test("What a person asks for is the person's from then on, whatever a rule has asked for before")
  func claimed() throws {
    let scene = try RuleScene()
    try scene.subscribe(.auto(.all, keep: .init(newest: 1)))
    try scene.refresh(appeared: scene.contents(1...1))
    try scene.comeToRest()
    let download = try #require(try scene.item(1)?.episode.download)
    try scene.ask(for: 1)
    #expect(try scene.world.row(download).origin == .user)
    for number in 2...4 { try scene.refresh(appeared: [scene.content(number, daysAgo: 20 - number)]) }
    try scene.comeToRest()
    #expect(try scene.here() == [1, 4])
    // By its address, too.
    let wish = DownloadIntent.Enqueue(address: try .on("media.example", "4.mp3"))
    guard case .enqueued(_, created: false)? = try scene.world.send(.downloads(.enqueue(wish))) else {
      Issue.record("it is there")
      return
    }
    try scene.refresh(appeared: [scene.content(5, daysAgo: 1)])
    try scene.comeToRest()
    #expect(try scene.here() == [1, 4, 5])
  }

  @Test(
    "Of a feed that was empty when it was read first a rule takes what it says when the episodes appear",
    arguments: [(FeedRules.auto(newest: 3), [298, 299, 300]), (.auto(), []), (.auto(.all), Array(1...300))])
  func emptyFirst(rules: FeedRules, expected: [Int]) throws {
    let scene = try RuleScene()
    try scene.subscribe(rules)
    try scene.refresh()
    scene.world.advance(seconds: 2 * 86_400)
    try scene.refresh(appeared: scene.contents(1...300))
    try scene.comeToRest()
    #expect(try scene.here() == expected)
    try scene.refresh(appeared: [scene.content(301, daysAgo: 0)])
    try scene.comeToRest()
    #expect(try scene.here() == expected + [301])
  }

  @Test("However much there is, keep converges in one run, in turns of bounded work")
  func convergence() throws {
    let scene = try RuleScene()
    scene.world.checksInvariants = false
    try scene.subscribe(.auto(.all))
    try scene.refresh(appeared: scene.contents(1...700))
    try scene.comeToRest()
    #expect(try scene.here().count == 700)
    try scene.set(.auto(.all, keep: .init(newest: 3)))
    var numbers = [scene.world.downloads.counts[.completed, default: 0]]
    #expect(numbers[0] >= 700 - RulesStore.Limits.decisions)
    while scene.world.dispatcher.state.rules.owesWork {
      try scene.world.send(.timeCame)
      numbers.append(scene.world.downloads.counts[.completed, default: 0])
    }
    #expect(numbers.last == 3)
    for (former, next) in zip(numbers, numbers.dropFirst()) { #expect(former - next <= RulesStore.Limits.decisions) }
    try scene.comeToRest()
    #expect(try scene.here() == [698, 699, 700])
  }

  @Test("What has been here for its days goes when they are over, by a timer")
  func days() throws {
    let scene = try RuleScene()
    try scene.subscribe(.auto(.all, keep: .init(days: 3)))
    try scene.refresh(appeared: scene.contents(1...2))
    try scene.comeToRest()
    scene.world.advance(seconds: 86_400)
    try scene.refresh(appeared: [scene.content(3, daysAgo: 0)])
    try scene.comeToRest()
    let due = try #require(scene.world.dispatcher.state.rules.dueAt)
    #expect(due == World.beginning.advanced(byDays: 3))
    scene.world.advance(seconds: 2 * 86_400)
    try scene.world.restart()
    try scene.comeToRest()
    #expect(try scene.here() == [3])
    #expect(try scene.verdict(1) == RuleVerdict(.deleted, .exceeds(.days(3))))
  }

  @Test("The place of one that a person removes is not filled with an older one")
  func noFilling() throws {
    let scene = try RuleScene()
    try scene.subscribe(.auto(keep: .init(newest: 2)))
    try scene.refresh(appeared: scene.contents(1...2))
    scene.world.advance(seconds: 60)
    try scene.refresh(appeared: try (10...15).map { try scene.content($0, daysAgo: 20 - $0) })
    try scene.comeToRest()
    #expect(try scene.here() == [14, 15])
    try scene.remove(15)
    try scene.refresh(appeared: [scene.content(16, daysAgo: 0)])
    try scene.comeToRest()
    #expect(try scene.here() == [14, 16])
    #expect(try scene.verdict(13) == RuleVerdict(.notDownloaded, .wouldExceed(.newest(2))))
  }

  @Test("A file that two episodes share is no rule's to delete")
  func shared() throws {
    let scene = try RuleScene()
    try scene.subscribe(.auto(keep: .init(newest: 1)))
    try scene.refresh(appeared: scene.contents(1...1))
    let other = try #require(FeedID("other"))
    try scene.subscribe(.none, id: other)
    try scene.refresh(appeared: [scene.content(20, daysAgo: 1)], id: other)
    try scene.refresh(appeared: [scene.content(20, daysAgo: 1)])
    try scene.comeToRest()
    let items = try scene.items().filter { $0.feed == other }
    try scene.world.send(.podcasts(.download(.many(items.map(\.episode.id)))))
    try scene.refresh(appeared: [scene.content(21, daysAgo: 0)])
    try scene.comeToRest()
    #expect(Set(try scene.here()) == [20, 21])
  }
}
