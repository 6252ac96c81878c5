import Flux
import Foundation
import Testing

@testable import Persistence
@testable import PodfluxCore

/// Draws downloads, conditions, filters and orders from a seed.
struct RandomDownloads {
  static let today: Int64 = 20_000
  static let now = Timestamp(milliseconds: today * 86_400_000 + 5_000)
  static let loopback = ["127.0.0.1:8080", "127.9.9.9", "localhost", "[::1]:80"]
  static let hosts = ["a.example", "b.example", "127.0.0.1.example", "localhost.example"] + loopback
  static let podcasts: [String?] = [
    nil, "", "Show", "show", "Zo\u{E9}", "Zoe\u{301}", "\u{1F600} talk", "nul\u{0}inside",
  ]
  static let words = [
    "Alpha", "alphabet", "B\u{E9}ta", "beta", "GAMMA", "\u{1F600}", "x-y", "12", "\"quote\"", "NOT", "*",
  ]

  var random: SeededGenerator
  /// Whether downloads have sessions: no version before the 22nd migration knew any.
  var hasSessions = false

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed, index: 0)
  }

  mutating func one<Value>(of values: [Value]) throws -> Value {
    try #require(values.randomElement(using: &random))
  }

  mutating func some<Value>(of values: [Value]) -> [Value] {
    Array(values.shuffled(using: &random).prefix(Int.random(in: 0...3, using: &random)))
  }

  mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

  /// Near the boundaries of age classes, and far from them.
  mutating func moment() throws -> Timestamp {
    let day = Self.today - (try one(of: [-400, -1, 0, 1, 5, 6, 7, 8, 29, 30, 31, 364, 365, 366, 5_000]))
    return Timestamp(milliseconds: day * 86_400_000 + (try one(of: [0, 1, 5_000, 86_399_999])))
  }

  mutating func length() throws -> Int64? {
    let mebibyte: Int64 = 1 << 20
    return try one(of: [
      nil, 0, 1, 25 * mebibyte - 1, 25 * mebibyte, 100 * mebibyte - 1, 100 * mebibyte, 500 * mebibyte - 1,
      500 * mebibyte, Sample.longest,
    ])
  }

  mutating func text() -> String? {
    chance(20) ? nil : some(of: Self.words).joined(separator: " ")
  }

  mutating func state() throws -> DownloadState {
    let code = try one(of: DownloadError.Code.allCases.suffix(5))
    let error = DownloadError(code, "it failed", shortBytes: chance(50) ? 5 : nil)
    let names = ["a.mp3", "b.MP4", "c.pdf", "d"]
    let file = PublishedFile(
      path: try LibraryPath(validating: try one(of: names)), length: try length() ?? 7, inode: 1)
    return try one(of: [
      .queued, .queued, .queued, .paused, .waiting(.retry(at: Self.now, after: error)),
      .waiting(.storage(until: Self.now, after: error)), .running(.receiving), .running(.publishing(file)),
      .completed(file), .failed(error),
    ])
  }

  mutating func networks() throws -> Download.Networks {
    let policies: [NetworkPolicy] = [.inherit, .inherit, .unmetered, .any]
    return Download.Networks(own: try one(of: policies), podcast: try one(of: policies))
  }

  mutating func namer() throws -> AddressNamer {
    hasSessions ? try one(of: [.person, .person] + AddressClass.allCases.map(AddressNamer.feed)) : .person
  }

  mutating func session() throws -> Session.Key? { hasSessions ? try one(of: [nil, nil, nil, 1, 2, 1000]) : nil }

  /// All kinds of obstacles, but mostly few of them.
  mutating func obstacles() throws -> Obstacles {
    let spent = SpentBudget(usedBytes: 5, budgetBytes: 4, until: Self.now)
    var classes = NetworkClasses()
    classes.user = try one(of: [.unmetered, .any])
    classes.auto = try one(of: [.unmetered, .any])
    return Obstacles(
      unmetered: try one(of: [nil, nil, .policy, .network, .schedule(until: nil)]),
      any: try one(of: [nil, nil, .budget(spent), .network]),
      all: try one(of: [nil, nil, .schedule(until: Self.now), .storage(shortBytes: 7)]), classes: classes,
      cooldowns: some(of: Self.hosts).reduce(into: [:]) { $0[$1] = Self.now }, departing: Set(some(of: Self.loopback)),
      parked: hasSessions ? Set(some(of: [1, 2, 1000])) : [])
  }

  mutating func download(_ number: Int) throws -> Download {
    let path = try one(of: ["e.mp3", "e.m4v?x=.mp3", "dir.mp3/e", "e.zip", "", "%65.opus"])
    let host = try one(of: Self.hosts)
    var download = Download(
      id: try #require(DownloadID("d\(number)")), address: try WebAddress("https://\(host)/\(path)"),
      description: .init(
        podcast: try one(of: Self.podcasts), title: text(), published: try published(),
        mirrors: [try WebAddress("https://mirror.example/e.mp3")], expectedLength: try length()),
      rank: .init(priority: try one(of: Priority.allCases), position: Int64.random(in: 0..<20, using: &random)),
      origin: try one(of: Origin.allCases), state: .queued, progress: .init(total: try length()), failures: 0,
      dates: .init(added: try moment()), isHeld: chance(15), networks: try networks(),
      session: try session(), namer: try namer())
    try change(&download, to: try state())
    return download
  }

  private mutating func published() throws -> PublicationDate? {
    chance(30) ? nil : PublicationDate(try moment())
  }

  /// Applies changes that turns make.
  mutating func change(_ download: inout Download) throws {
    switch Int.random(in: 0..<9, using: &random) {
    case 6: download.progress.durable = try one(of: [0, 1, 65_536, 1 << 40, Sample.longest])
    case 7:
      (download.networks, download.session) = (try networks(), try session())
      download.namer = try namer()
    case 0: download.isHeld.toggle()
    case 1: download.progress.total = try length()
    case 2: download.description.podcast = try one(of: Self.podcasts)
    case 3: download.description.title = text()
    case 4: download.round.source = 1 - download.round.source
    case 5: download.description.published = try published()
    default: try change(&download, to: try state())
    }
  }

  private func change(_ download: inout Download, to state: DownloadState) throws {
    download.state = state
    download.dates.finished = state.kind == .completed ? Self.now : nil
  }

  // MARK: Questions

  mutating func condition(depth: Int = 0) throws -> Condition {
    switch Int.random(in: 0..<(depth < 3 ? 21 : 16), using: &random) {
    case 0, 1: return .states(some(of: DownloadState.Kind.allCases))
    case 2: return .reasons(some(of: [.retry, .storage, .host, .network, .policy, .schedule, .budget, .auth]))
    case 3, 4: return .podcasts(some(of: Self.podcasts.compactMap(\.self) + ["Zoe\u{301}", "absent", "nul"]))
    case 5: return .origins(some(of: Origin.allCases))
    case 6: return .media(some(of: MediaKind.allCases))
    case 7: return .sizes(some(of: SizeClass.allCases))
    case 8: return .ages(some(of: AgeClass.allCases))
    case 9: return .networks(some(of: NetworkPolicy.allCases))
    case 10: return .errorCodes(some(of: DownloadError.Code.allCases.suffix(5)))
    case 11: return .titleContains(some(of: ["lph", "BETA", "b\u{E9}t", "", "\u{1F600}", "quote\"", "zzz"]))
    case 12: return .published(after: chance(50) ? try moment() : nil, before: chance(50) ? try moment() : nil)
    case 13:
      return chance(50) ? .newerThanDays(try one(of: [0, 1, 7, 365])) : .olderThanDays(try one(of: [0, 7, 36_500]))
    case 14: return .bytes(atLeast: chance(50) ? try length() : nil, atMost: chance(50) ? try length() : nil)
    case 15:
      let numbers = (0..<Int.random(in: 0...40, using: &random)).map { _ in Int.random(in: 0..<500, using: &random) }
      return .ids(try numbers.map { try #require(DownloadID("d\($0)")) })
    case 16, 17: return .all(try conditions(depth))
    case 18, 19: return .any(try conditions(depth))
    default: return .not(try condition(depth: depth + 1))
    }
  }

  private mutating func conditions(_ depth: Int) throws -> [Condition] {
    try (0..<Int.random(in: 0...3, using: &random)).map { _ in try condition(depth: depth + 1) }
  }

  mutating func selection() throws -> FilterSelection {
    let filters = FilterCatalogue.groups().flatMap(\.filters).map(\.id).filter { $0.group != .everything || chance(20) }
    let podcasts = try ["Show", "Zo\u{E9}", "absent"].map { try #require(FilterID(group: .podcast, value: $0)) }
    let active = chance(40) ? [] : some(of: filters + podcasts + podcasts)
    let texts = [
      "alph", "b\u{EA}T", "gamma alpha", "be al", "alpha al x", "show 12", "x", "y", "12", "\"quo", "NOT", "* AND (",
      "zo", "\u{1F600}", "  ", "\u{435}ж", "\u{3BF}νειρων", "strasse",
    ]
    return FilterSelection(active: active, text: chance(60) ? "" : try one(of: texts))
  }

  mutating func query() throws -> DownloadsQuery {
    DownloadsQuery(
      condition: chance(30) ? .everything : try condition(), isUnfiltered: chance(30),
      order: DownloadOrder(try one(of: DownloadOrderKey.allCases), isReversed: chance(50)),
      limit: try one(of: [1, 3, 10, 100]))
  }
}
