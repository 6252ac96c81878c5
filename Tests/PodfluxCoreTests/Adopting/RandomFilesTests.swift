import Flux
import Testing

@testable import PodfluxCore

/// Libraries of which the tests know whose each file is.
@Suite("Files of random libraries")
struct RandomFilesTests {
  private static let podcast = "The Small Print"
  private static let words = [
    "Interview", "News", "Border", "Night", "Über", "Café", "Part", "Best", "of", "the", "Clause", "Łódź", "2", "7",
    "Don't", "Live", "Special", "Termination", "Москва", "Q&A",
  ]

  /// A feed, of which some episodes are gone from the library's knowledge, and files of all of them.
  private struct Library {
    var episodes: [AdoptableEpisode] = []
    /// The files, and whose each is; nil for no episode's.
    var files: [(file: AdoptableFile, truth: EpisodeID?)] = []

    init(_ random: inout SeededGenerator) throws {
      var titles: Set<String> = []
      let count = 5 + random.below(60)
      let hasNumbers = random.once(in: 2)
      var day: Int64 = 16_000
      for number in 1...count {
        var title = (0...random.below(4)).map { _ in random.pick(RandomFilesTests.words) }.joined(separator: " ")
        // Titles are told twice now and then.
        if titles.contains(title), !random.once(in: 3) { title += " \(number * 37)" }
        titles.insert(title)
        // Some feeds have two episodes a day.
        day += Int64(random.below(9))
        let published = Timestamp(day: day).advanced(byMilliseconds: Int64(random.below(86_400)) * 1000)
        let shown = random.once(in: 6) ? "#\(number) \(title)" : title
        let length = Int64(5_000_000 + random.below(1000) * 4096)
        let episode = AdoptableEpisode(
          id: EpisodeID(number: Int64(number)), title: shown,
          published: random.once(in: 12) ? nil : PublicationDate(published),
          season: nil, number: hasNumbers ? String(number) : nil,
          enclosure: .init(
            address: try WebAddress("https://example.org/\(random.once(in: 4) ? "audio" : "sp\(number * 7919)").mp3"),
            length: random.once(in: 5) ? nil : length))
        let file = Library.file(of: episode, title, number, published, length, &random)
        // An episode that the library does not know has a file too, and none is to be taken for it.
        let isKnown = !random.once(in: 6)
        if isKnown { episodes.append(episode) }
        if random.once(in: 2) { files.append((file, isKnown ? episode.id : nil)) }
      }
      for number in 0..<random.below(8) {
        files.append((AdoptableFile(name: "noise \(number * 13).mp3", length: Int64(random.below(9_000_000))), nil))
      }
    }

    private static func file(
      of episode: AdoptableEpisode, _ title: String, _ number: Int, _ published: Timestamp, _ length: Int64,
      _ random: inout SeededGenerator
    ) -> AdoptableFile {
      let date = CivilDate(daysSince1970: published.day)
      let day = date.text ?? ""
      let name =
        switch random.below(9) {
        case 0: "\(day) \(title)"
        case 1: "\(RandomFilesTests.podcast) - \(day) - \(title)"
        case 2: "\(title) - \(RandomFilesTests.podcast) (\(day))"
        case 3: "\(day) \(title)".split(separator: " ").joined(separator: "_")
        case 4: "#\(number) \(title) \(day)"
        case 5: "\(date.day).\(date.month).\(date.year) \(title)"
        case 6: day
        case 7: "\(RandomFilesTests.podcast) - Episode \(number) - \(day)"
        default: episode.enclosure.flatMap { RemoteName.lastPathComponent(ofURL: $0.address.description) } ?? day
        }
      let isExact = random.once(in: 2)
      return AdoptableFile(
        name: name + (name.hasSuffix(".mp3") ? "" : ".mp3"),
        length: isExact ? length : length + 1 + Int64(random.below(5000)),
        modified: random.once(in: 3) ? published : Timestamp(day: 19_000 + Int64(random.below(400))))
    }
  }

  @Test("Every file that is taken belongs to its true episode, and to no other file's", arguments: 1...60)
  func truth(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed, index: 1)
    let library = try Library(&random)
    let matcher = EpisodeFileMatcher(
      library.episodes, podcast: [Self.podcast], comparing: EpisodeFileMatcherTests.comparable)
    let verdicts = matcher.verdicts(on: library.files.map(\.file))
    var owners: Set<EpisodeID> = []
    for (file, verdict) in zip(library.files, verdicts) {
      guard let taken = verdict.taken else { continue }
      #expect(taken == file.truth, "seed \(seed): \(file.file.name): \(verdict)")
      #expect(owners.insert(taken).inserted, "seed \(seed): \(file.file.name) has another's episode")
    }
  }

  @Test("Most files of random libraries are taken")
  func most() throws {
    var (taken, all) = (0, 0)
    for seed in 1...60 {
      var random = SeededGenerator(seed: UInt64(seed), index: 1)
      let library = try Library(&random)
      let matcher = EpisodeFileMatcher(
        library.episodes, podcast: [Self.podcast], comparing: EpisodeFileMatcherTests.comparable)
      all += library.files.count { $0.truth != nil }
      taken += matcher.verdicts(on: library.files.map(\.file)).count { $0.doubt == nil }
    }
    #expect(taken * 10 > all * 6, "\(taken) of \(all)")
  }

  @Test("The order of files and episodes decides nothing", arguments: 1...10)
  func order(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed, index: 1)
    let library = try Library(&random)
    let files = library.files.map(\.file)
    func taken(_ files: [AdoptableFile], _ episodes: [AdoptableEpisode]) -> [EpisodeID?] {
      EpisodeFileMatcher(episodes, podcast: [Self.podcast], comparing: EpisodeFileMatcherTests.comparable)
        .verdicts(on: files).map(\.taken)
    }
    #expect(taken(files, library.episodes) == taken(files.reversed(), library.episodes.reversed()).reversed())
  }
}

extension SeededGenerator {
  fileprivate mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
  fileprivate mutating func once(in draws: Int) -> Bool { below(draws) == 0 }
  fileprivate mutating func pick(_ texts: [String]) -> String { texts[below(texts.count)] }
}
