import Flux

/// What the rules tell other stores.
package enum RulesEvent: Sendable {
  /// A rule wants the download of an episode.
  case wanted(EpisodeID, DownloadIntent.Enqueue)
  /// Downloads are to go, with their files; and for which one that waits for their room, if it is for one.
  case unwanted([DownloadID], for: DownloadID?)
}

/// The rules of feeds: which episodes are downloaded and deleted without being asked each time.
///
/// The tables say which feeds' rules are due, so that a start goes on where a crash has ended it, and memory does not
/// grow with the library. Each turn carries out a bounded number of decisions; the next one follows at once while there
/// are more. It ends a batch before the downloads do, which then start what it wants. Its aspects: `+Applying` (what
/// rules do), `+Quota` (room that the storage quota needs).
package struct RulesStore: DomainStore {
  /// The parts of other stores that this store reads.
  package struct Context: Sendable {
    /// Whether anything may be started.
    var isScheduling: Bool
    /// The context of conditions.
    var moment: @Sendable (Timestamp) -> ConditionMoment
    /// What the storage quota leaves no room for.
    var quotaNeeds: @Sendable (borrowing StoreTurn<RulesStore>) throws -> [QuotaNeed]
    /// The storage quota in bytes; 0 for none.
    var quotaBytes: Int64
    /// Whether rows and files are being compared.
    var isComparing: Bool
  }

  /// The limits of a turn.
  package enum Limits {
    /// How many decisions it carries out.
    package static let decisions = 256
    /// Of how many feeds.
    package static let feeds = 64
  }

  /// When the first rules are due; nil if none are.
  package internal(set) var dueAt: Timestamp?
  /// When the turn follows that makes room; nil if none is needed, or nothing could go for it.
  private var roomAt: Timestamp?
  private var hasDue = false
  /// The feeds whose rules are due and must wait before they delete anything.
  var held: Set<Feed.Key> = []
  /// The held feeds that wait until rows and files have been compared: a row may name a file that a person has moved.
  var awaitingComparison: Set<Feed.Key> = []
  /// Deletions that were due by then are left to another engine; nil if none are.
  private(set) var owedUntil: Timestamp?
  /// The searches for room that have found nothing.
  var searches = FruitlessSearches()

  /// Whether something is left to be done now, or as soon as it is known what has room: a drain waits for that.
  package var owesWork: Bool { hasDue || roomAt != nil }

  /// When something is to be done next; nil if nothing is.
  package var nextMoment: Timestamp? { Timestamp.earlier(dueAt, roomAt) }

  /// Makes the store. It keeps nothing in memory that its tables do not hold, but for what waits.
  package init() {}

  /// Whether the store does something for a call of the list; a case that a method below handles is named here too.
  /// Most batches end without any rule to apply.
  ///
  /// - Parameter needingRoom: Whether the storage quota leaves no room for something.
  func isConcerned(by call: StoreCall, at now: Timestamp, needingRoom: Bool) -> Bool {
    switch call {
    case .handle(.recovered), .receive(.podcasts), .receive(.downloads(.enqueued)), .receive(.downloads(.finished)),
      .receive(.downloads(.applied)), .receive(.downloads(.edited)), .receive(.downloads(.returned)),
      .receive(.downloads(.lacksRoom)), .receive(.downloads(.retriedForRules)), .receive(.cleanup(.ended)):
      true
    case .handle, .receive: false
    case .endBatch: owesWork || isDue(at: now) || needingRoom
    }
  }

  /// Looks what is due when a library was opened.
  package mutating func handle(
    _ action: Action, in turn: inout StoreTurn<Self>, reading context: Context
  ) throws -> Reply? {
    if case .recovered(let recovery) = action {
      dueAt = turn.now
      owedUntil = recovery.mayDeleteOwed ? nil : turn.now
    }
    return nil
  }

  /// Notes what makes rules due, and what has become of an episode's download.
  package mutating func receive(_ event: StoreEvent, in turn: inout StoreTurn<Self>, reading context: Context) throws {
    let (rules, now) = (turn.tables.rules, turn.now)
    try followSearches(event, in: turn)
    switch event {
    case .podcasts(.rulesChanged(let key, let former)): try follow(key, from: former, in: turn)
    case .podcasts(.hasNews(let key)): try noteNews(of: key, in: turn)
    case .podcasts(.wasReadWhole(let key)): try noteEnd(of: key, in: turn)
    case .podcasts(.remarked(.one(let id))): noteDue(try rules.makeDue(of: id, at: now), at: now)
    case .podcasts(.remarked(.many(let ids))):
      for id in ids { noteDue(try rules.makeDue(of: id, at: now), at: now) }
    case .podcasts(.remarked(.matching)): noteDue(try rules.makeAllDue(at: now), at: now)
    // From now on it is the person's: what a rule has done about it before does not count.
    case .podcasts(.wanted(let episode, _)), .podcasts(.claimed(let episode, _)): try rules.write(nil, of: episode)
    // The download existed before, so no rule has requested it.
    case .downloads(.enqueued(let episode, _, isNew: false)): try rules.write(nil, of: episode)
    case .downloads(.returned(let episode)):
      try rules.write(.downloaded(.hasReturned), of: episode)
      noteDue(try rules.makeDue(of: episode, at: now), at: now)
    // What a person has made of it is nothing that a rule has fetched.
    case .downloads(.edited(let id)):
      for episode in try rules.ruledEpisodes(having: id) { try rules.write(nil, of: episode) }
    case .downloads(.finished(let id)):
      if try dropTooLarge(id, quota: context.quotaBytes, in: &turn) { break }
      noteDue(try rules.makeDue(having: id, at: now), at: now)
    // Many that had failed may be too many together.
    case .downloads(.retriedForRules): noteDue(try rules.makeAllDue(at: now), at: now)
    case .cleanup(.ended):
      // Room was not looked for meanwhile.
      roomAt = now
      guard !held.isEmpty else { break }
      (held, awaitingComparison, dueAt, hasDue) = ([], [], now, true)
    case .downloads(.lacksRoom): if !searches.coverAll { roomAt = now }
    default: break
    }
  }

  /// Applies the rules that are due, and frees what the storage quota needs.
  package mutating func endBatch(in turn: inout StoreTurn<Self>, reading context: Context) throws {
    guard context.isScheduling else { return }
    roomAt = nil
    try applyRules(reading: context, in: &turn)
    hasDue = isDue(at: turn.now)
  }

  private func isDue(at now: Timestamp) -> Bool { dueAt.map { $0 <= now } ?? false }

  // MARK: What makes rules due

  /// A feed's rules have changed. What is there when `autoDownload` is set is told from what appears later.
  private mutating func follow(_ key: Feed.Key, from former: FeedRules, in turn: borrowing StoreTurn<Self>) throws {
    guard let feed = try turn.tables.feeds.find(key) else { return }
    let rules = feed.wishes.rules
    var standing = feed.standing
    if rules.autoDownload != former.autoDownload {
      let watermark = feed.refreshes.last == nil || feed.waitsForEpisodes ? nil : try turn.tables.rules.lastEpisode()
      standing = Feed.Standing(rules, watermark: watermark, due: nil)
    }
    try makeDue(key, standing, in: turn)
  }

  /// Episodes of a feed are new, changed or back.
  private mutating func noteNews(of key: Feed.Key, in turn: borrowing StoreTurn<Self>) throws {
    guard let feed = try turn.tables.feeds.find(key), feed.wishes.rules.autoDownload != nil,
      feed.standing.watermark != nil
    else { return }
    try makeDue(key, feed.standing, in: turn)
  }

  /// A feed was read to its end. The episodes of the first such reading count as there before the rule.
  private mutating func noteEnd(of key: Feed.Key, in turn: borrowing StoreTurn<Self>) throws {
    guard let feed = try turn.tables.feeds.find(key), feed.standing.watermark == nil, !feed.waitsForEpisodes else {
      return
    }
    var standing = feed.standing
    standing.watermark = try turn.tables.rules.lastEpisode()
    try makeDue(key, standing, in: turn)
  }

  private mutating func makeDue(
    _ key: Feed.Key, _ standing: Feed.Standing, in turn: borrowing StoreTurn<Self>
  ) throws {
    var standing = standing
    standing.due = turn.now
    noteDue([key], at: turn.now)
    try turn.tables.rules.update(standing, of: key)
  }

  private mutating func noteDue(_ feeds: [Feed.Key], at now: Timestamp) {
    guard !feeds.isEmpty else { return }
    held.subtract(feeds)
    awaitingComparison.subtract(feeds)
    dueAt = now
  }
}

extension Feed {
  /// Whether a rule takes some of what is there, and nothing is: a failing server may have hidden it.
  fileprivate var waitsForEpisodes: Bool { episodes == 0 && wishes.rules.autoDownload?.allowance ?? 0 > 0 }
}

extension RulesStore.Context {
  /// Copies what this context has of the stores.
  init(_ stores: borrowing Stores) {
    let (localTime, obstacles) = (stores.network.state.localTime, stores.downloads.obstacles)
    isScheduling = stores.lifecycle.isScheduling
    moment = { ConditionMoment(now: $0, today: localTime.day(at: $0), obstacles: obstacles) }
    let (downloads, settings) = (stores.downloads, stores.settings.settings)
    quotaBytes = settings.storageQuotaBytes
    isComparing = stores.cleanup.isComparing
    // Something may have gone since the downloads looked.
    quotaNeeds = { downloads.room.needs.isEmpty ? [] : try downloads.findQuotaNeeds(settings, in: $0) }
  }
}
