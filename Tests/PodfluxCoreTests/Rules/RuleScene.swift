import Flux
import Testing

@testable import PodfluxCore

/// A feed with rules on the real stores, and services that do all they are asked for.
struct RuleScene {
  static let feed: FeedID = {
    guard let id = FeedID("f") else { preconditionFailure("a letter is an id") }
    return id
  }()

  let world: World

  init(_ settings: @escaping (inout SettingsPatch) -> Void = { _ in }) throws {
    world = try World {
      $0.maxConcurrent = 64
      $0.maxPerHost = 64
      settings(&$0)
    }
  }

  /// A scene under a quota in which these episodes have appeared, and all has come that can.
  static func filled(quota: Int64, _ rules: FeedRules, with numbers: ClosedRange<Int>) throws -> RuleScene {
    let scene = try RuleScene { $0.storageQuotaBytes = quota }
    try scene.subscribe(rules)
    try scene.refresh(appeared: scene.contents(numbers))
    try scene.comeToRest()
    return scene
  }

  // MARK: When

  func subscribe(_ rules: FeedRules, id: FeedID = Self.feed) throws {
    let address = try WebAddress("https://feeds.example/\(id).xml")
    try world.send(.podcasts(.subscribe(.init(id: id, address: address, wishes: .init(rules: rules)))))
  }

  func set(_ rules: FeedRules) throws {
    var update = PodcastIntent.Update()
    update.rules = rules
    try world.send(.podcasts(.update(Self.feed, update)))
  }

  /// Reads the feed to its end, or to that of a document which ends early.
  func refresh(
    appeared: [EpisodeContent] = [], missing: [EpisodeID] = [], returned: [EpisodeID] = [], id: FeedID = Self.feed,
    endingEarly: Bool = false
  ) throws {
    if world.dispatcher.state.podcasts.live[id] == nil { try world.send(.podcasts(.refresh(.one(id)))) }
    let refresh = try #require(world.dispatcher.state.podcasts.live[id]).id
    for start in stride(from: 0, to: appeared.count, by: RefreshReport.episodesAtOnce) {
      let page = Array(appeared[start..<min(start + RefreshReport.episodesAtOnce, appeared.count)])
      try world.send(.refresh(RefreshReport(refresh: refresh, news: .appeared(page))))
    }
    if !missing.isEmpty || !returned.isEmpty {
      try world.send(.refresh(RefreshReport(refresh: refresh, news: .listed(missing: missing, returned: returned))))
    }
    guard !endingEarly else {
      let news = RefreshReport.News.failed(.feedEndsEarly, next: world.clock.wall.advanced(byDays: 10))
      try world.send(.refresh(RefreshReport(refresh: refresh, news: news)))
      return
    }
    let findings = RefreshReport.Findings(
      podcast: PodcastContent(title: "Show"), validators: FeedValidators(bodyHash: "1"),
      next: world.clock.wall.advanced(byDays: 10))
    try world.send(.refresh(RefreshReport(refresh: refresh, news: .refreshed(findings))))
  }

  /// An episode that was published so many days ago.
  func content(_ number: Int, daysAgo: Int? = nil, length: Int64 = 100) throws -> EpisodeContent {
    EpisodeContent(
      guid: "g\(number)", title: "Episode \(number)",
      published: daysAgo.flatMap { PublicationDate(world.clock.wall.advanced(byDays: -$0), offsetSeconds: 0) },
      enclosure: .init(address: try .on("media.example", "\(number).mp3"), mediaType: "audio/mpeg", length: length))
  }

  /// Episodes of which each was published on another day, the newest first.
  func contents(_ numbers: ClosedRange<Int>) throws -> [EpisodeContent] {
    try numbers.reversed().map { try content($0, daysAgo: 1_000 - $0) }
  }

  /// Does all that is to be done: downloads arrive, files are deleted, rules are applied.
  func comeToRest(at sourceLocation: SourceLocation = #_sourceLocation) throws {
    for _ in 0..<5_000 {
      if let id = world.attempts.keys.min(), let attempt = world.attempts[id] {
        if world.downloads.live[id]?.isStopping == true {
          try world.report(id, .stopped(kept: nil))
        } else {
          let length = attempt.description.expectedLength ?? 100
          // A number of its own for each file.
          let inode = id.description.utf8.reduce(UInt64(7)) { ($0 &* 31) &+ UInt64($1) }
          var file = try PublishedFile.sample("\(id).mp3", length: length, inode: inode)
          file.modifiedNanoseconds = 1
          try world.finish(id, as: file)
        }
      } else if !world.downloads.deletions.underWay.isEmpty {
        try world.carryOutDeletions()
      } else if world.dispatcher.state.rules.owesWork {
        try world.send(.timeCame)
      } else {
        return
      }
    }
    Issue.record("it does not come to rest", sourceLocation: sourceLocation)
  }

  func remove(_ number: Int) throws {
    let item = try #require(try item(number))
    try world.send(.downloads(.remove(.one(try #require(item.episode.download)), deletingFile: true)))
  }

  /// A person changes the file of an episode, and a verification finds that.
  func edit(_ number: Int, _ change: (inout PublishedFile) -> Void) throws {
    let id = try #require(try item(number)?.episode.download)
    guard case .completed(var file) = try world.row(id).state else { throw Refusal(.notFound, "the file of \(number)") }
    change(&file)
    try world.send(.downloads(.verify(.one(id))))
    try world.verified(id, .modified(file))
  }

  func ask(for number: Int) throws {
    try world.send(.podcasts(.download(.one(try #require(try item(number)).episode.id))))
  }

  func mark(_ number: Int, _ marking: PodcastIntent.EpisodeMarking) throws {
    try world.send(.podcasts(.mark(.one(try #require(try item(number)).episode.id), marking)))
  }

  // MARK: Then

  func items() throws -> [EpisodesSnapshot.Item] {
    try page(behind: nil, limit: 1000).items
  }

  /// The same, read in pages.
  func items(inPagesOf limit: Int) throws -> [EpisodesSnapshot.Item] {
    var (items, cursor) = ([EpisodesSnapshot.Item](), EpisodeCursor?.none)
    repeat {
      let page = try page(behind: cursor, limit: limit)
      items += page.items
      cursor = page.next
    } while cursor != nil
    return items
  }

  private func page(behind cursor: EpisodeCursor?, limit: Int) throws -> EpisodesSnapshot {
    try world.database.read {
      try $0.episodes(
        .init(order: .init(.added), limit: limit, after: cursor), at: ConditionMoment(now: world.clock.wall))
    }
  }

  func item(_ number: Int) throws -> EpisodesSnapshot.Item? {
    try items().first { $0.episode.content.guid == "g\(number)" }
  }

  /// The numbers of the episodes that are here.
  func here() throws -> [Int] {
    try items().filter { $0.state == .completed }.compactMap { Int($0.episode.content.guid?.dropFirst() ?? "") }
      .sorted()
  }

  func verdict(_ number: Int) throws -> RuleVerdict? { try item(number)?.verdict }

  /// All pages of a plan.
  func plan(_ rules: FeedRules, limit: Int = 1000) throws -> RulesPlan {
    var whole = RulesPlan()
    var cursor: RulesCursor?
    repeat {
      let query = RulesQuery(feed: Self.feed, rules: rules, limit: limit, after: cursor)
      let page = try #require(
        try world.database.read { try $0.rulesPlan(query, at: ConditionMoment(now: world.clock.wall)) })
      whole.downloads += page.downloads
      whole.deletions += page.deletions
      cursor = page.next
    } while cursor != nil
    return whole
  }
}
