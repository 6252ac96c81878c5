import Flux
import PodfluxCore
import Testing

@testable import Feeds

/// What must hold of any feeds, over feeds drawn by a seed.
@Suite("Properties of identity")
struct EpisodeMatcherPropertyTests {
  /// A library's episodes of one feed, as refreshes change them.
  private struct Shelf {
    var episodes: [KnownEpisode] = []
    var nextKey: Int64 = 1

    /// Refreshes from a document, and returns the key of each item; nil for repeated ones.
    mutating func refresh(_ items: [EpisodeIdentity]) -> [Int64?] {
      var matcher = EpisodeMatcher(episodes)
      return zip(items, matcher.matches(items)).map { item, match in
        switch match {
        case .repeated, .undecided: return nil
        case .new:
          episodes.append(KnownEpisode(key: nextKey, identity: item))
          nextKey += 1
          return nextKey - 1
        case .known(let key):
          guard let index = episodes.firstIndex(where: { $0.key == key }) else { return nil }
          let former = episodes[index].formerNames(afterBecoming: item)
          episodes[index] = KnownEpisode(
            key: key, identity: item, formerGuids: former.guids, formerEnclosures: former.enclosures)
          return key
        }
      }
    }
  }

  /// An item of few names, so that all collisions occur.
  private func collidingItem(using random: inout SeededGenerator) -> EpisodeIdentity {
    func maybe<Value>(_ values: [Value]) -> Value? {
      Int.random(in: 0..<4, using: &random) == 0 ? nil : values.randomElement(using: &random)
    }
    return identity(
      maybe(["g", "h", "i"]), maybe(["1.mp3", "2.mp3", "2.mp3?x=1", "3.mp3"]), maybe(["One", "Two"]),
      day: maybe([1, 2]),
      seconds: maybe([100, 1000, 1050]), bytes: maybe([5000]))
  }

  @Test("A refresh twice changes nothing", arguments: [UInt64(1), 2, 3, 4])
  func idempotence(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for round in 0..<500 {
      var shelf = Shelf()
      for _ in 0..<8 {
        let items = (0..<Int.random(in: 1...12, using: &random)).map { _ in collidingItem(using: &random) }
        let keys = shelf.refresh(items)
        let claimed = keys.compactMap(\.self)
        #expect(Set(claimed).count == claimed.count, "an episode is two items, seed \(seed), round \(round)")
        let before = shelf.episodes
        #expect(shelf.refresh(items) == keys, "seed \(seed), round \(round)")
        #expect(shelf.episodes == before, "seed \(seed), round \(round)")
      }
    }
  }

  /// What publishers do to an episode between two refreshes without making another one of it.
  private func changed(_ item: EpisodeIdentity, number: Int, using random: inout SeededGenerator) -> EpisodeIdentity {
    item.with { item in
      switch Int.random(in: 0..<8, using: &random) {
      case 0 where item.enclosure != nil: item.guid = "new guid \(number)"
      case 1: item.enclosure = url("moved/\(number).mp3")
      case 2: item.title = "Renamed \(number)"
      case 3: item.published = item.published?.advanced(byMilliseconds: 1_000_000)
      case 4: item.seconds = item.seconds.map { $0 + 30 }
      case 5:
        item.guid = "new guid \(number)"
        item.enclosure = url("moved/\(number).mp3")
      default: break
      }
    }
  }

  @Test(
    "In a well-formed feed the order of the items does not matter, and each episode is kept",
    arguments: [UInt64(5), 6])
  func order(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for round in 0..<200 {
      var shelf = Shelf()
      var items = (0..<20).map { (number: Int) in
        identity(
          "guid \(number)", "\(number).mp3", "Title \(number)", day: number, seconds: 1800, bytes: 30_000_000)
      }
      let keys = shelf.refresh(items)
      for change in 1...3 {
        items = items.enumerated().map { changed($1, number: $0 + change * 100, using: &random) }
        let place = (0..<items.count).shuffled(using: &random)
        var other = shelf
        #expect(shelf.refresh(items) == keys, "seed \(seed), round \(round)")
        #expect(other.refresh(place.map { items[$0] }) == place.map { keys[$0] }, "seed \(seed), round \(round)")
        #expect(other.episodes == shelf.episodes, "seed \(seed), round \(round)")
      }
    }
  }

  @Test("An episode is found by each of its former names")
  func formerNames() {
    var shelf = Shelf()
    let first = identity("g0", "0.mp3", "One", day: 1)
    _ = shelf.refresh([first])
    for number in 1...10 {
      #expect(shelf.refresh([first.with { $0.guid = "g\(number)" }]) == [1])
      #expect(
        shelf.refresh([
          first.with {
            $0.guid = "g\(number)"; $0.enclosure = url("\(number).mp3")
          }
        ]) == [1])
      #expect(shelf.refresh([first.with { $0.guid = "g\(number)" }]) == [1])
    }
    for number in 0...9 {
      var (byGuid, byEnclosure) = (shelf, shelf)
      #expect(byGuid.refresh([identity("g\(number)", "x.mp3", "One", day: 9)]) == [1])
      #expect(byEnclosure.refresh([identity(nil, "\(number + 1).mp3", "Uno", day: 1)]) == [1])
    }
  }
}
