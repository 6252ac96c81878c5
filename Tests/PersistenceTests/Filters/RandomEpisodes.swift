import Flux
import Testing
import Texts

@testable import Persistence
@testable import PodfluxCore

/// Random episodes, as plain values: what filters over them are expected to show and to count follows from each alone.
struct RandomEpisodes {
  struct Known {
    let id: EpisodeID
    let feed: Feed.Key
    var content: EpisodeContent
    let added: Timestamp
    var marks = Episode.Marks()
    var download: DownloadID?
  }

  /// Titles of feeds: two of them fold alike, and one is no filter's name.
  static let titles = ["Show", "SHOW", "Zo\u{E9} & Co", "Kühe", "a\u{1}b"]
  static let now = RandomDownloads.now

  var random: SeededGenerator
  var feeds: [(key: Feed.Key, title: String)] = []
  var episodes: [Known] = []
  var downloads: [DownloadID: DownloadState.Kind] = [:]
  var today = LocalDay(RandomDownloads.today)

  init(seed: UInt64) { random = SeededGenerator(seed: seed, index: 0) }

  mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

  mutating func one<Value>(of values: [Value]) throws -> Value {
    try #require(values.randomElement(using: &random))
  }

  mutating func moment() -> Timestamp {
    let days = [0, 0, 1, 3, 6, 7, 20, 29, 30, 200, 364, 365, 900].randomElement(using: &random) ?? 0
    let seconds = Int64.random(in: -90_000...90_000, using: &random)
    return Self.now.advanced(byDays: -days).advanced(byMilliseconds: seconds * 1000)
  }

  mutating func content() throws -> EpisodeContent {
    var content = EpisodeContent(guid: "\(Int.random(in: 0...1 << 40, using: &random))")
    content.title = try one(of: [nil, "Alpha beta", "Über Kühe 2", "x-ray", "\u{1F600} nine"])
    content.published = chance(25) ? nil : PublicationDate(moment())
    let mebibyte: Int64 = 1 << 20
    let length = try one(of: [nil, 0, 25 * mebibyte - 1, 25 * mebibyte, 100 * mebibyte, 500 * mebibyte, Sample.longest])
    let type = try one(of: [nil, "audio/mpeg", "Video/mp4"])
    if chance(80) {
      content.enclosure = .init(address: try WebAddress("https://m.example/e"), mediaType: type, length: length)
    }
    return content
  }

  mutating func selection() throws -> FilterSelection {
    let filters = FilterCatalogue.groups(over: .episodes).flatMap(\.filters).map(\.id)
    let podcasts = ["show", "Zoe & co", "absent", "Kühe"].compactMap { FilterID(group: .podcast, value: $0) }
    let active =
      chance(30)
      ? []
      : (filters + podcasts + podcasts).shuffled(using: &random).prefix(
        Int.random(in: 1...5, using: &random))
    let texts = ["", "", "", "alph", "be al", "kuhe", "uber zo", "lpha", "2", "\u{1F600}", "ray", "sho x"]
    return FilterSelection(active: Array(active), text: try one(of: texts))
  }

  // MARK: What is expected

  /// Whether an episode is shown by the active filters of all groups but one, and has the words of the text.
  func shows(_ selection: FilterSelection, without group: FilterGroup.ID? = nil, _ episode: Known) -> Bool {
    let active = Dictionary(grouping: selection.active.filter { $0.group != group }, by: \.group)
    return active.values.allSatisfy { $0.contains { meets($0, episode) } } && finds(selection.text, episode)
  }

  func meets(_ filter: FilterID, _ episode: Known) -> Bool {
    let length = episode.content.enclosure?.length
    let age = today.age(of: episode.content.published?.moment ?? episode.added)
    switch (filter.group, filter.value) {
    case (.state, let value): return (episode.download.flatMap { downloads[$0] }?.rawValue ?? "none") == value
    case (.podcast, let value): return FoldedText.of(title(of: episode)) == FoldedText.of(value)
    case (.media, let value): return episode.content.mediaKind.rawValue == value
    case (.time, "today"): return age < 1
    case (.time, "week"): return age < 7
    case (.time, "month"): return age < 30
    case (.time, "year"): return age < 365
    case (.time, _): return age >= 365
    case (.size, let value): return SizeClass(bytes: length).rawValue == value
    case (.played, let value): return episode.marks.isPlayed == (value == "yes")
    case (.favorite, let value): return episode.marks.isFavorite == (value == "yes")
    default: return false
    }
  }

  private func finds(_ text: String, _ episode: Known) -> Bool {
    let there = words((episode.content.title ?? "") + " " + title(of: episode))
    let sought = words(text)
    guard !sought.isEmpty else { return text.isEmpty }
    return sought.allSatisfy { word in there.contains { $0.hasPrefix(word) } }
  }

  private func words(_ text: String) -> [String] {
    FoldedText.of(text).split { !$0.isLetter && !$0.isNumber }.map { String($0) }
  }

  private func title(of episode: Known) -> String { feeds.first { $0.key == episode.feed }?.title ?? "" }
}
