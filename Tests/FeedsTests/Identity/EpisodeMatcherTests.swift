import Flux
import PodfluxCore
import Testing

@testable import Feeds

/// Each rule of identity by its cases.
@Suite("Which known episode an item is")
struct EpisodeMatcherTests {
  /// A known episode 1, an item, and whether they are the same.
  struct Case: Sendable, CustomTestStringConvertible {
    var story: String
    var known: EpisodeIdentity
    var item: EpisodeIdentity
    var isSame: Bool
    var formerGuids: [String] = []
    var formerEnclosures: [String] = []

    var testDescription: String { story }
  }

  private static let first = identity("g1", "1.mp3", "One", day: 1, seconds: 1800)

  private static let cases = [
    Case(story: "nothing has changed", known: first, item: first, isSame: true),
    // The guid.
    Case(
      story: "the URL changes under the same guid", known: first, item: first.with { $0.enclosure = url("x.mp3") },
      isSame: true),
    Case(
      story: "a guid is posted again with another date", known: first, item: first.with { $0.published = day(9) },
      isSame: true),
    Case(
      story: "URL and title change under the same guid and date", known: first,
      item: identity("g1", "x.mp3", "Uno", day: 1), isSame: true),
    Case(
      story: "URL, title and date change under the same guid", known: first,
      item: identity("g1", "x.mp3", "Uno", day: 9, seconds: 1800), isSame: false),
    Case(
      story: "a guid alone has nothing that speaks against it", known: first, item: identity("g1", nil, "Uno", day: 9),
      isSame: true),
    Case(
      story: "a former guid comes back", known: first, item: identity("g0", "x.mp3", "One", day: 9), isSame: true,
      formerGuids: ["g0"]),
    Case(
      story: "a former guid is used for another episode", known: first, item: identity("g0", "x.mp3", "Two", day: 9),
      isSame: false, formerGuids: ["g0"]),
    Case(
      story: "guids that differ in their normalization are two",
      known: identity("caf\u{E9}", "1.mp3", nil), item: identity("cafe\u{301}", "1.mp3", nil), isSame: false),
    // The enclosure.
    Case(
      story: "the guid changes while URL, title and date stay", known: first, item: first.with { $0.guid = "g2" },
      isSame: true),
    Case(
      story: "the guid changes in a feed without dates", known: identity("g1", "1.mp3", "One"),
      item: identity("g2", "1.mp3", "One"), isSame: true),
    Case(
      story: "guid and title change", known: first, item: identity("g2", "1.mp3", "Uno", day: 1), isSame: false),
    Case(
      story: "guid and date change", known: first, item: identity("g2", "1.mp3", "One", day: 9), isSame: false),
    Case(
      story: "the guid changes, and there is but a URL", known: identity("g1", "1.mp3", nil),
      item: identity("g2", "1.mp3", nil), isSame: false),
    Case(
      story: "the guid goes, the title too", known: first, item: identity(nil, "1.mp3", nil, day: 1), isSame: true),
    Case(
      story: "an episode without a guid gets one", known: identity(nil, "1.mp3", "One", day: 1),
      item: identity("g1", "1.mp3", "Uno", day: 1), isSame: true),
    Case(
      story: "an episode without a guid is published again", known: identity(nil, "1.mp3", "One", day: 1),
      item: identity(nil, "1.mp3", "One", day: 9), isSame: true),
    Case(
      story: "latest.mp3 with another title and date", known: identity(nil, "latest.mp3", "One", day: 1),
      item: identity(nil, "latest.mp3", "Two", day: 2), isSame: false),
    Case(
      story: "latest.mp3 with another title and no date", known: identity(nil, "latest.mp3", "One"),
      item: identity(nil, "latest.mp3", "Two"), isSame: false),
    Case(
      story: "a URL is all there is", known: identity(nil, "1.mp3", nil), item: identity(nil, "1.mp3", nil, seconds: 9),
      isSame: true),
    Case(
      story: "two queries are two files", known: identity(nil, "play.php?id=7", "Show", day: 1),
      item: identity(nil, "play.php?id=8", "Show", day: 2), isSame: false),
    Case(
      story: "a former URL comes back with the title", known: identity(nil, "2.mp3", "One", day: 1),
      item: identity(nil, "1.mp3", "One", day: 9), isSame: true, formerEnclosures: ["1.mp3"]),
    Case(
      story: "a former URL is used for another episode", known: identity(nil, "2.mp3", "One", day: 1),
      item: identity(nil, "1.mp3", "Two", day: 9), isSame: false, formerEnclosures: ["1.mp3"]),
    // Title and date.
    Case(
      story: "guid and URL change while title, date and length stay", known: first,
      item: identity("g2", "x.mp3", "One", day: 1, seconds: 1850), isSame: true),
    Case(
      story: "guid and URL change, and so does the length", known: first,
      item: identity("g2", "x.mp3", "One", day: 1, seconds: 3600), isSame: false),
    Case(
      story: "guid and URL change, and no length is known", known: first,
      item: identity("g2", "x.mp3", "One", day: 1), isSame: false),
    Case(
      story: "the seconds count before the bytes",
      known: identity(nil, "1.mp3", "One", day: 1, seconds: 1800, bytes: 9),
      item: identity(nil, "x.mp3", "One", day: 1, seconds: 1800, bytes: 9_000_000), isSame: true),
    Case(
      story: "the bytes are similar", known: identity(nil, "1.mp3", "One", day: 1, bytes: 8_000_000),
      item: identity(nil, "x.mp3", "One", day: 1, bytes: 9_000_000), isSame: true),
    Case(
      story: "the bytes are not similar", known: identity(nil, "1.mp3", "One", day: 1, bytes: 8_000_000),
      item: identity(nil, "x.mp3", "One", day: 1, bytes: 9_500_000), isSame: false),
    Case(
      story: "a URL is signed anew, and no length is known", known: identity(nil, "1.mp3?sign=1", "One", day: 1),
      item: identity(nil, "1.mp3?sign=2", "One", day: 1), isSame: true),
    Case(
      story: "an episode gets its enclosure", known: identity(nil, nil, "One", day: 1),
      item: identity(nil, "1.mp3", "One", day: 1, seconds: 1800), isSame: true),
    Case(
      story: "the date is another by a second", known: identity(nil, nil, "One", day: 1),
      item: identity(nil, nil, "One", day: 1).with { $0.published?.milliseconds += 1000 }, isSame: false),
    Case(
      story: "titles that differ in their normalization are two", known: identity(nil, nil, "caf\u{E9}", day: 1),
      item: identity(nil, nil, "cafe\u{301}", day: 1), isSame: false),
    Case(
      story: "a title without a date tells nothing", known: identity(nil, nil, "One"),
      item: identity(nil, nil, "One", seconds: 5), isSame: false),
    Case(
      story: "hostile lengths", known: identity(nil, "1.mp3", "One", day: 1, seconds: .min, bytes: .max),
      item: identity(nil, "x.mp3", "One", day: 1, seconds: .max, bytes: .min), isSame: false),
  ]

  @Test("The rules", arguments: cases)
  func rules(_ example: Case) {
    let known = KnownEpisode(
      key: 1, identity: example.known, formerGuids: example.formerGuids,
      formerEnclosures: example.formerEnclosures.compactMap { url($0) })
    var matcher = EpisodeMatcher([known])
    #expect(matcher.matches([example.item]) == [example.isSame ? .known(1) : .new])
    #expect(matcher.unmatched == (example.isSame ? [] : [1]))
    #expect(matcher.match(example.item) == .repeated)
  }

  /// What the items of a document are, with these known episodes, whose keys are 1, 2, ….
  private func matches(_ items: [EpisodeIdentity], known: [EpisodeIdentity]) -> [EpisodeMatcher.Match] {
    var matcher = EpisodeMatcher(known.enumerated().map { KnownEpisode(key: Int64($0 + 1), identity: $1) })
    return matcher.matches(items)
  }

  @Test("An item whose title and date alone are a known episode's is that unless a later item is")
  func namesake() {
    let nine = identity("nine", "9.mp3", "Service", day: 1, seconds: 3600)
    let eleven = identity("eleven", "11.mp3", "Service", day: 1, seconds: 3500)
    #expect(matches([eleven, nine], known: [nine]) == [.new, .known(1)])
    #expect(matches([nine, eleven], known: [nine]) == [.known(1), .new])
    #expect(matches([eleven], known: [nine]) == [.known(1)])
    #expect(matches([eleven, nine], known: [nine, eleven]) == [.known(2), .known(1)])
    let (early, late) = (identity(nil, "9.mp3", "S", day: 1), identity(nil, "11.mp3", "S", day: 1, seconds: 9))
    #expect(matches([late.with { $0.seconds = nil }, early], known: [early]) == [.new, .known(1)])
    var matcher = EpisodeMatcher([KnownEpisode(key: 1, identity: nine)])
    #expect(matcher.match(eleven) == .undecided && matcher.unmatched == [1])
    #expect(matcher.decide([eleven]) == [.known(1)] && matcher.unmatched.isEmpty)
  }

  @Test("Guids that are positions join no two episodes of one title, however many are new")
  func positions() {
    func item(_ position: Int, _ number: Int, _ title: String?) -> EpisodeIdentity {
      identity("\(position)", "\(number).mp3", title, day: number)
    }
    for title in ["News", nil] {
      let known = [item(2, 1, title), item(1, 2, title)]
      let shifted = [item(1, 3, title), item(2, 2, title), item(3, 1, title)]
      #expect(matches(shifted, known: known) == [.new, .known(2), .known(1)])
      #expect(matches([item(1, 4, title), item(2, 3, title)], known: known) == [.new, .new])
    }
    // All of them have moved as well.
    let known = [item(2, 1, "News"), item(1, 2, "News")].map { $0.with { $0.seconds = 300 } }
    let moved = [item(1, 3, "News"), item(2, 2, "News"), item(3, 1, "News")].map { item in
      item.with { ($0.enclosure, $0.seconds) = (url("x\(item.guid ?? "").mp3"), 300) }
    }
    #expect(matches(moved, known: known) == [.new, .known(2), .known(1)])
    #expect(matches(moved.reversed(), known: known) == [.known(1), .known(2), .new])
    // The first one is not known as one of several: it is the later item by its URL.
    let first = item(1, 1, "News")
    #expect(matches([item(1, 2, "News"), item(2, 1, "News")], known: [first]) == [.new, .known(1)])
  }

  @Test("A new item of an episode's title and date does not take it while another one has its guid")
  func namesakeOfPostedAgain() {
    let known = [1, 2, 3].map { (number: Int) in
      identity("g\(number)", "\(number).mp3", "News", day: number, seconds: 900)
    }
    let again = identity("g1", "x.mp3", "News", day: 9, seconds: 900)
    let namesake = identity("g4", "4.mp3", "News", day: 1, seconds: 901)
    for items in [[again, namesake], [namesake, again]] { #expect(matches(items, known: known) == [.new, .new]) }
    #expect(matches([namesake], known: known) == [.known(1)])
    #expect(matches([namesake, again], known: Array(known.prefix(1))) == [.new, .known(1)])
  }

  @Test("A guid that several known episodes have, or one had formerly, keeps them from a new namesake too")
  func namesakeOfSharedGuid() {
    let known = [(1, "One"), (2, "News")].map { (number: Int, title: String) in
      identity("g", "\(number).mp3", title, day: number, seconds: 900)
    }
    let again = identity("g", "x.mp3", "News", day: 9, seconds: 900)
    let namesake = identity("g4", "4.mp3", "News", day: 2, seconds: 901)
    for items in [[again, namesake], [namesake, again]] { #expect(matches(items, known: known) == [.new, .new]) }
    #expect(matches([namesake], known: known) == [.known(2)])
    // The other one of another title is nothing that the item could be.
    let moved = identity("g5", "5.mp3", "One", day: 1, seconds: 900)
    #expect(matches([again, moved], known: known) == [.new, .known(1)])

    func former(_ items: [EpisodeIdentity]) -> [EpisodeMatcher.Match] {
      var matcher = EpisodeMatcher([
        KnownEpisode(key: 1, identity: known[1].with { $0.guid = "g0" }, formerGuids: ["g"])
      ])
      return matcher.matches(items)
    }
    #expect(former([namesake, again]) == [.new, .known(1)])
    #expect(former([namesake]) == [.known(1)])
  }

  @Test("What is posted again with its guid, at another address and date, is known by a title and length of its own")
  func postedAgain() {
    let known = [identity("a", "a.mp3", "A", day: 1, seconds: 900), identity("b", "b.mp3", "B", day: 2, seconds: 900)]
    let again = identity("a", "x.mp3", "A", day: 9, seconds: 905)
    #expect(matches([again], known: known) == [.known(1)])
    #expect(matches([again.with { $0.seconds = nil }], known: known) == [.known(1)])
    #expect(matches([again.with { $0.seconds = 1800 }], known: known) == [.new])
    #expect(matches([again.with { $0.title = nil }], known: known) == [.known(1)])
    #expect(matches([again.with { $0.title = "C" }], known: known) == [.new])
  }

  @Test("The episodes of a bulletin have one title, one day and one length: another guid and URL make another one")
  func bulletin() {
    let known = (1...3).map { identity("g\($0)", "\($0).mp3", "News", day: 1, seconds: 300) }
    let next = identity("g4", "4.mp3", "News", day: 1, seconds: 310).with { $0.isDateOnly = true }
    #expect(matches([next], known: known) == [.new])
    // With a time of the day, or a title of its own, it is one that was published anew.
    #expect(matches([next.with { $0.isDateOnly = false }], known: known) == [.known(1)])
    #expect(matches([next], known: Array(known.prefix(1))) == [.known(1)])
    #expect(matches([next.with { $0.guid = nil }], known: known) == [.known(1)])
  }

  @Test("A guid that every item has decides nothing")
  func sharedGuid() {
    let (one, two) = (identity("g", "1.mp3", "One", day: 1), identity("g", "2.mp3", "Two", day: 2))
    let three = identity("g", "3.mp3", "Three", day: 3)
    #expect(matches([one, two], known: []) == [.new, .new])
    #expect(matches([three, two, one], known: [one, two]) == [.new, .known(2), .known(1)])
    #expect(matches([two.with { $0.title = "Zwei" }], known: [one, two]) == [.known(2)])
    // With title and exact date it has moved.
    let moved = two.with { $0.enclosure = url("x.mp3") }
    #expect(matches([moved], known: [one, two]) == [.known(2)])
    #expect(matches([moved.with { $0.isDateOnly = true }], known: [one, two]) == [.new])
    // Also when one episode is known so far.
    #expect(matches([two, one], known: [one]) == [.new, .known(1)])
  }

  @Test("Episodes that share a URL are told apart by title and date")
  func sharedEnclosure() {
    let (one, two) = (identity(nil, "latest.mp3", "News", day: 1), identity(nil, "latest.mp3", "News", day: 2))
    #expect(matches([two, one], known: []) == [.new, .new])
    #expect(matches([two, one], known: [one, two]) == [.known(2), .known(1)])
    #expect(matches([identity(nil, "latest.mp3", "News", day: 3)], known: [one, two]) == [.new])
    #expect(matches([identity("g", "latest.mp3", "News", day: 2)], known: [one, two]) == [.known(2)])
    let (a, b) = (identity("a", "latest.mp3", "News", day: 1), identity("b", "latest.mp3", "News", day: 1))
    #expect(matches([a, b], known: []) == [.new, .new])
    #expect(matches([b, a], known: [a, b]) == [.known(2), .known(1)])
  }

  @Test("An item that a document has twice is one episode")
  func repetition() {
    let one = Self.first
    #expect(matches([one, one], known: []) == [.new, .repeated])
    #expect(matches([one, one], known: [one]) == [.known(1), .repeated])
    #expect(matches([one, one.with { $0.published = day(9) }], known: []) == [.new, .repeated])
    #expect(matches([one, one.with { $0.title = "Uno" }], known: []) == [.new, .repeated])
    let placed = identity(nil, "1.mp3", "One", day: 1)
    #expect(matches([placed, placed.with { $0.seconds = 5 }], known: []) == [.new, .repeated])
    #expect(matches([placed, placed.with { $0.title = "Uno" }], known: []) == [.new, .new])
    let titled = identity(nil, nil, "One", day: 1)
    #expect(matches([titled, titled, titled.with { $0.seconds = 5 }], known: []) == [.new, .repeated, .new])
  }

  @Test("Two items that could be one known episode are not both it")
  func claims() {
    let one = Self.first
    let moved = one.with { $0.enclosure = url("x.mp3") }
    #expect(matches([moved, one], known: [one]) == [.known(1), .new])
    let renamed = one.with { $0.guid = "g2" }
    #expect(matches([one, renamed], known: [one]) == [.known(1), .new])
    // The next refresh finds both again.
    #expect(matches([one, renamed], known: [one, renamed]) == [.known(1), .known(2)])
  }

  @Test("A current name counts before a former one")
  func precedence() {
    let (one, two) = (identity("g1", "1.mp3", "One", day: 1), identity("g2", "2.mp3", "Two", day: 2))
    var matcher = EpisodeMatcher([
      KnownEpisode(key: 1, identity: two, formerGuids: ["g1"], formerEnclosures: [url("1.mp3")].compactMap(\.self)),
      KnownEpisode(key: 2, identity: one),
    ])
    #expect(matcher.match(one.with { $0.title = "Uno" }) == .known(2))
    #expect(matcher.unmatched == [1])
  }

  @Test("A changed name becomes a former one, the oldest go, and a current one is none")
  func formerNames() throws {
    var episode = KnownEpisode(key: 1, identity: identity("g0", "0.mp3", "One"))
    for number in 1...20 {
      let next = identity("g\(number)", "\(number).mp3", "One")
      (episode.formerGuids, episode.formerEnclosures) = episode.formerNames(afterBecoming: next)
      episode.identity = next
    }
    #expect(episode.formerGuids == (4...19).map { "g\($0)" })
    #expect(episode.formerEnclosures == (4...19).map { url("\($0).mp3") })

    let back = episode.formerNames(afterBecoming: identity("g10", "10.mp3", "One"))
    #expect(back.guids.last == "g20" && !back.guids.contains("g10") && back.guids.count == 16)
    #expect(back.enclosures.last == url("20.mp3") && back.enclosures.count == 16)
    // Another spelling of a URL is no other name, and a feed that says no guid any more leaves the last one.
    let tracked = try WebAddress("http://pdst.fm/e/a.example/20.mp3")
    let same = episode.formerNames(afterBecoming: EpisodeIdentity(enclosure: tracked, title: "One"))
    #expect(same.enclosures == episode.formerEnclosures && same.guids.last == "g20")
  }

  @Test("An item costs the same in a feed of any size, also if all episodes have equal names")
  func cost() {
    for number in [2_000, 20_000] {
      for variant in 0..<4 {
        let feed = (0..<number).map { index in
          switch variant {
          case 0: identity("g\(index)", "\(index).mp3", "T\(index)", day: index)
          case 1: identity("g", "latest.mp3", "T\(index)", day: index)
          case 2: identity("g", "latest.mp3", "T", day: 1, seconds: Int64(index) * 1000)
          default: identity(nil, nil, "T", day: 1, seconds: Int64(index))
          }
        }
        let known = feed.enumerated().map { KnownEpisode(key: Int64($0), identity: $1) }
        let start = ContinuousClock.now
        var matcher = EpisodeMatcher(known)
        for item in feed { _ = matcher.match(item) }
        for item in feed {
          _ = matcher.match(
            item.with {
              $0.title = "Other"; $0.seconds = 1
            })
        }
        print("\(number) items of variant \(variant): \(ContinuousClock.now - start)")
        if variant == 0 { #expect(matcher.unmatched.isEmpty) }
      }
    }
  }
}
