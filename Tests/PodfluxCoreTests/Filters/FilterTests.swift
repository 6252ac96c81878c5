import Flux
import Testing

@testable import PodfluxCore

@Suite("Filters, traits and conditions")
struct FilterTests {
  private static func traits(
    _ kind: DownloadState.Kind = .queued, size: SizeClass = .small, media: MediaKind = .audio
  ) -> Traits {
    Traits(
      kind: kind, isHeld: false, reason: nil, error: nil, media: media, size: size, age: .day, origin: .user,
      network: .inherit)
  }

  @Test("Filters of one group are alternatives, groups narrow each other")
  func selection() throws {
    let ids = try ["state:failed", "size:small", "state:paused"].map { try #require(FilterID($0)) }
    let condition: Condition = FilterSelection(active: ids).condition()
    #expect(condition.isMet(by: Self.traits(.failed), podcast: nil) == true)
    #expect(condition.isMet(by: Self.traits(.paused), podcast: nil) == true)
    #expect(condition.isMet(by: Self.traits(.queued), podcast: nil) == false)
    #expect(condition.isMet(by: Self.traits(.failed, size: .huge), podcast: nil) == false)
    let everything: Condition = FilterSelection().condition()
    #expect(everything.isMet(by: Self.traits(), podcast: nil) == true)
    let others: [FilterGroup.ID: Condition] = FilterSelection(active: ids).conditions(without: .state)
    #expect(others == [.size: .sizes([.small])])
  }

  @Test("A filter's count applies the other groups, not its own")
  func counting() throws {
    let ids = try ["state:failed", "podcast:Show"].map { try #require(FilterID($0)) }
    var counter = FilterCounter<Traits>(FilterSelection(active: ids))
    counter.count(3, podcast: "Show", traits: Self.traits(.failed))
    counter.count(5, podcast: "Show", traits: Self.traits(.queued))
    counter.count(7, podcast: "Other", traits: Self.traits(.failed, media: .video))
    counter.count(11, podcast: nil, traits: Self.traits(.queued))
    // What a damaged database may hold is no filter.
    counter.count(13, podcast: "\u{13}how", traits: Self.traits(.failed))
    let groups = counter.groups()
    func counts(_ id: FilterGroup.ID) -> [String: Int] {
      let filters = groups.first { $0.id == id }?.filters ?? []
      return Dictionary(uniqueKeysWithValues: filters.filter { $0.count > 0 }.map { ($0.filter.id.value, $0.count) })
    }
    #expect(groups.map(\.id) == FilterCatalogue.groups().map(\.id))
    #expect(counts(.state) == ["failed": 3, "queued": 5])
    #expect(counts(.podcast) == ["Show": 3, "Other": 7])
    #expect(counts(.media) == ["audio": 3])
    #expect(counts(.everything).isEmpty)
  }

  @Test("Filters over episodes tell podcasts apart by what conditions look at, and count marks and missing downloads")
  func episodes() throws {
    let ids = try ["podcast:show", "played:no"].map { try #require(FilterID($0)) }
    var counter = FilterCounter<EpisodeTraits>(FilterSelection(active: ids)) { $0.lowercased() }
    var traits = EpisodeTraits(
      state: nil, media: .audio, size: .small, age: .week, isPlayed: false, isFavorite: true)
    counter.count(3, podcast: "Show", key: "show", traits: traits)
    counter.count(4, podcast: "SHOW", key: "show", traits: traits)
    counter.count(5, podcast: "TALK", key: "talk", traits: traits)
    counter.count(6, podcast: "Talk", key: "talk", traits: traits)
    traits.isPlayed = true
    traits.state = .completed
    counter.count(9, podcast: "Show", key: "show", traits: traits)
    let groups = counter.groups()
    #expect(groups.map(\.id) == [.state, .podcast, .media, .time, .size, .played, .favorite])
    let counts = groups.flatMap(\.filters).filter { $0.count > 0 }.map { "\($0.filter.id) \($0.count)" }
    #expect(
      counts == [
        "state:none 7", "podcast:TALK 11", "podcast:show 7", "media:audio 7", "time:week 7", "time:month 7",
        "time:year 7", "size:small 7", "played:yes 9", "played:no 7", "favorite:yes 7",
      ])
  }

  @Test("Each subject has conditions for its filters, and traits meet what the conditions say")
  func meanings() throws {
    for filter in FilterCatalogue.groups().flatMap(\.filters) {
      #expect(Condition(filter.meaning).isMet(by: Self.traits(), podcast: nil) == Self.traits().meet(filter.meaning))
      #expect(FilterCatalogue.has(filter.id, over: .downloads))
    }
    let never = EpisodeCondition.any([])
    for filter in FilterCatalogue.groups(over: .episodes).flatMap(\.filters) {
      #expect(EpisodeCondition(filter.meaning) != never, "\(filter.id)")
      #expect(FilterCatalogue.has(filter.id, over: .episodes))
    }
    #expect(!FilterCatalogue.has(try #require(FilterID("origin:auto")), over: .episodes))
    #expect(!FilterCatalogue.has(try #require(FilterID("state:none")), over: .downloads))
    #expect(FilterCatalogue.has(try #require(FilterID("podcast:x")), over: .episodes))
  }

  @Test(
    "Invalid names give no filter",
    arguments: ["", "state", "state:", "state:mood", "mood:x", "podcast:", ":x", "podcast:a\u{13}", "podcast:\u{9F}"])
  func names(text: String) {
    #expect(FilterID(text) == nil)
  }

  @Test("A condition beyond traits is undecided, unless the rest decides")
  func undecided() {
    let open = Condition.titleContains(["x"])
    let (yes, no) = (Condition.states([.queued]), Condition.states([.failed]))
    let traits = Self.traits()
    #expect(open.isMet(by: traits, podcast: nil) == nil)
    #expect(Condition.not(open).isMet(by: traits, podcast: nil) == nil)
    #expect(Condition.all([open, yes]).isMet(by: traits, podcast: nil) == nil)
    #expect(Condition.all([open, no]).isMet(by: traits, podcast: nil) == false)
    #expect(Condition.any([open, yes]).isMet(by: traits, podcast: nil) == true)
    #expect(Condition.any([open, no]).isMet(by: traits, podcast: nil) == nil)
    #expect(Condition.podcasts(["Show"]).isMet(by: traits, podcast: "Show") == true)
    #expect(Condition.podcasts(["Show"]).isMet(by: traits, podcast: nil) == false)
  }

  @Test(
    "An age counts whole days",
    arguments: [
      (Int64(-1), AgeClass.day), (0, .day), (1, .week), (6, .week), (7, .month), (29, .month), (30, .year),
      (364, .year),
      (365, .older),
    ])
  func ages(days: Int64, age: AgeClass) {
    #expect(AgeClass(days: days) == age)
  }

  @Test(
    "A day begins at midnight UTC, before 1970 too, and does not overflow",
    arguments: [
      (Int64(0), Int64(0)), (86_399_999, 0), (86_400_000, 1), (-1, -1), (-86_400_000, -1), (-86_400_001, -2),
      (Int64.max, Int64.max / 86_400_000), (Int64.min, Int64.min / 86_400_000 - 1),
    ])
  func days(milliseconds: Int64, day: Int64) {
    #expect(Timestamp(milliseconds: milliseconds).day == day)
  }

  @Test("Each length is in the class with its bounds")
  func sizes() {
    for size in SizeClass.allCases {
      guard let bytes = size.bytes else { continue }
      #expect(SizeClass(bytes: bytes.lowerBound) == size)
      #expect(SizeClass(bytes: bytes.upperBound) == size)
    }
    #expect(SizeClass(bytes: nil) == .unknown)
  }

  @Test(
    "An address's media kind comes from its last component",
    arguments: [
      ("https://a.example/e.mp3", MediaKind.audio), ("https://a.example/e.MP4?x=.mp3", .video),
      ("https://a.example/e.mp3#t", .audio), ("https://a.example/dir.mp3/e", .other),
      ("https://a.example/e.mp3/", .audio),
      ("https://a.example/e%2Emp3", .audio), ("https://a.mp3", .other), ("https://a.example/.mp3", .other),
      ("https://a.example/e.zip", .other), ("https://a.example/", .other), ("https://a.example/e.m4a.mov", .video),
    ])
  func media(url: String, media: MediaKind) {
    #expect(MediaKind(ofURL: url) == media)
  }
}
