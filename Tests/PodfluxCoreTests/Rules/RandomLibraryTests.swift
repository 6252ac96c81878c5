import Flux
import Testing

@testable import PodfluxCore

@Suite("Plans of random libraries")
struct RandomLibraryTests {
  private static let libraries: UInt64 = 160
  private static let parts: UInt64 = 8

  @Test("What a plan says is what then happens", arguments: 0..<parts)
  func plans(part: UInt64) throws {
    for seed in stride(from: part, to: Self.libraries, by: UInt64.Stride(Self.parts)) {
      var library = try RandomLibrary(seed: seed)
      try library.live()
    }
  }
}

/// A feed with a past, and a change of its rules.
private struct RandomLibrary {
  private let seed: UInt64
  private let scene: RuleScene
  private var random: SeededGenerator
  private var last = 0

  init(seed: UInt64) throws {
    (self.seed, random) = (seed, SeededGenerator(seed: seed))
    scene = try RuleScene()
    scene.world.checksInvariants = false
  }

  mutating func live() throws {
    try scene.subscribe(chance(2) ? rules() : .none)
    for _ in 0..<number(1...4) {
      try grow()
      if chance(2) { try interfere() }
      if chance(4) { try scene.world.restart() }
      try scene.comeToRest()
    }
    for _ in 0..<2 { try change() }
  }

  /// The rules change, and all that was planned happens, and nothing else.
  private mutating func change() throws {
    let rules = rules()
    let plan = try scene.plan(rules, limit: number(1...9))
    #expect(plan == (try scene.plan(rules)), "the pages of seed \(seed)")
    let before = try states()
    try scene.set(rules)
    let (all, some) = (try scene.items(), try scene.items(inPagesOf: number(1...4)))
    #expect(some.map(\.verdict) == all.map(\.verdict), "why, a few at a time, seed \(seed)")
    try scene.comeToRest()
    let after = try states()
    let (come, gone) = (after.subtracting(before), before.subtracting(after))
    #expect(come == Set(plan.downloads.map(\.episode)), "what comes of seed \(seed)")
    #expect(gone == Set(plan.deletions.map(\.episode)), "what goes of seed \(seed) by \(rules): \(plan.deletions)")
    for item in try scene.items() {
      if let entry = plan.downloads.first(where: { $0.episode == item.episode.id }) {
        #expect(item.verdict == RuleVerdict(.downloaded, entry.reason), "why it comes, seed \(seed)")
      }
      if plan.deletions.contains(where: { $0.episode == item.episode.id }) {
        #expect(item.verdict?.outcome == .deleted && item.verdict?.reason.rule == .keep, "why it goes, seed \(seed)")
      }
      if item.state == nil, rules.autoDownload != nil { #expect(item.verdict != nil, "why not, seed \(seed)") }
    }
    #expect(try scene.plan(rules) == RulesPlan(), "at rest nothing is left, seed \(seed)")
  }

  private func states() throws -> Set<EpisodeID> {
    Set(try scene.items().filter { $0.state == .completed }.map(\.episode.id))
  }

  private mutating func grow() throws {
    scene.world.advance(seconds: Int64(number(0...20)) * 43_200)
    var contents: [EpisodeContent] = []
    for _ in 0..<number(0...15) {
      last += 1
      var content = try scene.content(
        last, daysAgo: chance(6) ? nil : number(-3...(chance(3) ? 900 : 9)), length: Int64(number(1...200)))
      if chance(9) { content.enclosure = nil }
      contents.append(content)
    }
    let known = try scene.items()
    let missing = known.filter { _ in chance(9) }.map(\.episode.id)
    let returned = known.filter { $0.episode.isMissingFromFeed && chance(2) }.map(\.episode.id)
    try scene.refresh(appeared: contents, missing: missing, returned: returned)
  }

  private mutating func interfere() throws {
    for item in try scene.items() where chance(5) {
      let id = item.episode.id
      switch number(0...3) {
      case 0: _ = try scene.world.dispatch([.podcasts(.download(.one(id)))])
      case 1: try scene.world.send(.podcasts(.mark(.one(id), .init(isFavorite: chance(2)))))
      case 2: try scene.world.send(.podcasts(.mark(.one(id), .init(isArchived: chance(2)))))
      default:
        guard item.state != nil, let download = item.episode.download else { continue }
        try scene.world.send(.downloads(.remove(.one(download), deletingFile: true)))
      }
    }
  }

  private mutating func rules() -> FeedRules {
    var rules = FeedRules()
    if !chance(8) {
      rules.autoDownload = .init(
        since: chance(3) ? .all : .subscribe, newest: chance(2) ? number(0...9) : nil,
        order: chance(3) ? .oldest : .newest)
      if chance(3) { rules.autoDownload?.condition = .bytes(atLeast: Int64(number(0...100)), atMost: nil) }
      if chance(6) { rules.autoDownload?.condition = .not(.titleContains(["1"])) }
    }
    if chance(2) {
      rules.keep = .init(
        newest: chance(2) ? number(1...6) : nil, days: chance(4) ? number(1...20) : nil,
        bytes: chance(3) ? Int64(number(50...900)) : nil)
    }
    return rules
  }

  private mutating func chance(_ number: Int) -> Bool { Int.random(in: 0..<number, using: &random) == 0 }

  private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
}
