import Flux
import Testing
import Texts

@testable import PodfluxCore

@Suite("Files of many feeds")
struct AdoptionPlannerTests {
  private static let comparable = ComparableText(folding: { FoldedText.of($0) })

  private func episode(_ id: Int64, _ title: String, _ file: String, _ length: Int64? = nil) throws -> AdoptableEpisode
  {
    AdoptableEpisode(
      id: EpisodeID(number: id), title: title,
      enclosure: .init(address: try WebAddress("https://example.org/\(file)"), length: length))
  }

  private func file(_ path: String, length: Int64 = 70) -> FoundFile {
    FoundFile(place: EntryPath(bytes: Array(path.utf8)), length: length, inode: 9)
  }

  private func names() throws -> FeedNames {
    var names = FeedNames(comparing: Self.comparable)
    for (key, titles) in [
      (1, ["Night Trains"]), (2, ["The Small Print", "Small Print"]), (3, ["Café"]), (4, ["News"]), (5, ["NEWS!"]),
    ] {
      names.add(FeedName(key: Int64(key), id: try #require(FeedID("f\(key)")), titles: titles))
    }
    return names
  }

  @Test(
    "A folder, or the file's name, names its feed",
    arguments: [
      ("Night Trains/x.mp3", 1), ("night_trains/x.mp3", 1), ("old/Night Trains/Season 1/x.mp3", 1),
      ("Night Trains/Small Print/x.mp3", 2), ("Cafe/x.mp3", 3), ("News/x.mp3", nil), ("x.mp3", nil),
      ("Night Trains - x.mp3", 1), ("mine/x - The Small Print.mp3", 2), ("mine/x Night Trains y.mp3", nil),
    ] as [(String, Feed.Key?)])
  func feeds(path: String, expected: Feed.Key?) throws {
    let found = try names().feeds(ofFileAt: EntryPath(bytes: Array(path.utf8)))
    #expect(found.count == 1 ? found.first == expected : expected == nil)
  }

  @Test("Of several feeds with one title the one that a person names has the file")
  func feedsOfOneTitle() throws {
    let names = try names()
    for path in ["News/x.mp3", "News - x.mp3"] {
      let place = EntryPath(bytes: Array(path.utf8))
      #expect(names.feeds(ofFileAt: place) == [4, 5])
      #expect(names.feeds(ofFileAt: place, preferring: 5) == [5])
      #expect(names.feeds(ofFileAt: place, preferring: 1) == [4, 5])
    }
    #expect(names.feeds(titled: "news", preferring: 4) == [4])
    #expect(try plan([file("News/Vienna.mp3")], only: 4).isEmpty == false)
  }

  @Test("A file that is named after the title of several feeds is left, and the reason says so")
  func manyFeeds() throws {
    var reasons: [String] = []
    let album: [String: AdoptableFile.Tags] = ["mine/2.mp3": .init(album: "news")]
    let files = [file("News/1.mp3"), file("mine/2.mp3"), file("mine/3.mp3")]
    _ = try plan(files, tags: album, noteReason: { reasons.append($0) })
    let many = "2 feeds have the title after which it is named; adopt for one of them by its id"
    #expect(reasons == [many, many, "no episode is like it"])
  }

  private func plan(
    _ files: [FoundFile], in adopting: Adopting = .init(), only: Feed.Key? = nil,
    likeness: MediaCheck.Likeness? = .media,
    obstacle: String? = nil, tags: [String: AdoptableFile.Tags] = [:], tagReadings: Int = 9,
    noteRead: (String) -> Void = { _ in }, noteReason: (String) -> Void = { _ in }
  ) throws -> [String] {
    var planner = AdoptionPlanner(
      adopting, names: try names(), onlyFeed: only, comparing: Self.comparable, tagReadings: tagReadings)
    for file in files { planner.add(file) }
    func readTags(_ file: FoundFile) -> AdoptableFile.Tags? {
      noteRead(file.place.text)
      return tags[file.place.text]
    }
    for file in planner.filesWithoutFeed { planner.placeByAlbum(file, readTags: readTags) }
    let episodes: [Feed.Key: [AdoptableEpisode]] = [
      1: [try episode(1, "Vienna", "v.mp3", 70), try episode(2, "Border", "long-name.mp3", 71)],
      2: [try episode(3, "Clause 7", "c7.mp3", 72), try episode(4, "Vienna", "v2.mp3")],
    ]
    for feed in planner.feedsWithFiles {
      planner.match(
        filesOf: feed, titled: ["Night Trains"], with: episodes[feed] ?? [], readTags: readTags,
        likeness: { _ in likeness }, obstacle: { _ in obstacle })
    }
    if planner.hasStrays {
      for feed in episodes.keys.sorted() where only == nil || only == feed {
        planner.matchStrays(with: episodes[feed] ?? [])
      }
      planner.decideStrays(likeness: { _ in likeness }, obstacle: { _ in obstacle })
    }
    return planner.takeSteps().map { step in
      noteReason(step.because)
      let episodes = step.finding.pairing.map { " \($0.episodes.map(\.number))" } ?? ""
      return "\(step.decision) \(step.finding.place?.text ?? "")\(episodes)"
    }
  }

  @Test("The files of each feed are matched with its episodes, and others by name and length alone")
  func matches() throws {
    #expect(
      try plan([
        file("Night Trains/Vienna.mp3"), file("mine/long-name.mp3", length: 71), file("mine/v2.mp3"),
        file("The Small Print/Vienna.mp3"), file("zz.mp3"),
      ]) == [
        "adopt Night Trains/Vienna.mp3 [1]", "adopt The Small Print/Vienna.mp3 [4]", "adopt mine/long-name.mp3 [2]",
        "leave mine/v2.mp3", "leave zz.mp3",
      ])
  }

  @Test("Of one feed no other feed's files are looked at, unless a folder is named with it")
  func oneFeed() throws {
    let files = [
      file("Night Trains/Vienna.mp3"), file("The Small Print/Vienna.mp3"), file("mine/Vienna.mp3", length: 7),
      file("mine/c7.mp3", length: 72),
    ]
    #expect(try plan(files, only: 2) == ["adopt The Small Print/Vienna.mp3 [4]", "adopt mine/c7.mp3 [3]"])
    let mine = Adopting(folder: try LibraryPath(validating: "mine"))
    #expect(
      try plan(files.filter { mine.includes($0.place) }, in: mine, only: 2)
        == ["adopt mine/Vienna.mp3 [4]", "adopt mine/c7.mp3 [3]"])
  }

  @Test("The tags of a file are read once where its name, time and length leave a doubt, and nowhere else")
  func tags() throws {
    var read: [String] = []
    let files = [
      file("Night Trains/Vienna.mp3"), file("Night Trains/0001.mp3", length: 60),
      file("Night Trains/0002.mp3", length: 60), file("x/0003.mp3"),
    ]
    #expect(
      try plan(files, tags: ["Night Trains/0001.mp3": .init(title: "Border")], noteRead: { read.append($0) }) == [
        "adopt Night Trains/0001.mp3 [2]", "leave Night Trains/0002.mp3", "adopt Night Trains/Vienna.mp3 [1]",
        "leave x/0003.mp3",
      ])
    #expect(read.sorted() == ["Night Trains/0001.mp3", "Night Trains/0002.mp3", "x/0003.mp3"])
  }

  @Test("A file that names no feed is compared with the episodes of the one feed that is its album")
  func album() throws {
    let files = [file("mine/0001.mp3"), file("mine/0002.mp3"), file("mine/0003.mp3")]
    let tags: [String: AdoptableFile.Tags] = [
      "mine/0001.mp3": .init(title: "Border", album: "night trains"),
      // Several feeds have that title.
      "mine/0002.mp3": .init(title: "Border", album: "News"), "mine/0003.mp3": .init(title: "Clause 7"),
    ]
    #expect(
      try plan(files, tags: tags)
        == ["adopt mine/0001.mp3 [2]", "leave mine/0002.mp3", "leave mine/0003.mp3"])
    // Of another feed's album nothing is said.
    #expect(try plan(files, only: 2, tags: tags).isEmpty)
  }

  @Test("A run reads the tags of so many files, and goes by names behind them")
  func tagLimit() throws {
    var count = 0
    let files = (1...5).map { file("Night Trains/000\($0).mp3") }
    let tags: [String: AdoptableFile.Tags] = ["Night Trains/0001.mp3": .init(title: "Border")]
    let steps = try plan(files, tags: tags, tagReadings: 2, noteRead: { _ in count += 1 })
    #expect(count == 2 && steps.count == 5 && steps.first == "adopt Night Trains/0001.mp3 [2]")
  }

  @Test("Twins of no known feed are offered, and neither is taken")
  func twins() throws {
    #expect(
      try plan([file("a/long-name.mp3", length: 71), file("b/long-name.mp3", length: 71)])
        == ["offer a/long-name.mp3 [2]", "offer b/long-name.mp3 [2]"])
  }

  @Test("An episode that gets a file of its feed's folder gets no other one by name and length")
  func oneFileEach() throws {
    #expect(
      try plan([file("Night Trains/Border.mp3", length: 60), file("mine/long-name.mp3", length: 71)])
        == ["adopt Night Trains/Border.mp3 [2]", "offer mine/long-name.mp3 [2]"])
  }

  @Test("What is no media, or has an obstacle, or a name that no row can have, is left")
  func leaves() throws {
    let vienna = file("Night Trains/Vienna.mp3")
    for likeness in [nil, .unrecognized, .other] as [MediaCheck.Likeness?] {
      #expect(try plan([vienna], likeness: likeness) == ["leave Night Trains/Vienna.mp3 [1]"])
    }
    #expect(try plan([vienna], obstacle: "no") == ["leave Night Trains/Vienna.mp3 [1]"])
    #expect(
      try plan([file("Night Trains/ Vienna .mp3/Vienna.mp3")]) == ["adopt Night Trains/ Vienna .mp3/Vienna.mp3 [1]"])
    #expect(try plan([file("Night Trains\\/Vienna.mp3")]) == ["leave Night Trains\\/Vienna.mp3 [1]"])
  }
}
