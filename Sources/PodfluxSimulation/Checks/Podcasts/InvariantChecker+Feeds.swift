import Flux
import PodfluxCore

/// Checks of feeds and episodes after a batch.
extension InvariantChecker {
  func checkFeeds(_ batch: Batch, _ changes: Changes, in process: SimulatedProcess) throws {
    let world = process.world
    guard world.feeds != nil else { return }
    let writes = process.ledger.notes.feedWrites
    let before = feeds.feeds
    let isMarked = writes.contains { if case .marked(hasChanged: true) = $0 { true } else { false } }
    let marked = isMarked ? try Self.storedEpisodes(world) : []
    // Clients mark episodes, and no rule does: what rules do in the batch, they do about episodes that are marked so.
    feeds.adoptMarks(of: marked)
    for write in writes {
      noteCause(write)
      try checkRule(write, changes, batch, world)
      try feeds.follow(write)
    }
    // Those that the batch has added may be marked, too.
    feeds.adoptMarks(of: marked)
    if writes.contains(where: { if case .rulesDue = $0 { true } else { false } }) {
      feeds.adoptStandings(of: try Self.storedFeeds(world))
    }
    try checkOutlived(batch, changes, writes)
    try checkRefused(changes, writes)
    noteFeedResults(batch, in: world)
    try checkSubscriptions(before, batch, world)
    for (action, outcome) in zip(batch.actions, batch.turnout.outcomes) {
      guard case .refresh(let report) = action, case .handled = outcome else { continue }
      try check(report, batch, world)
    }
    try checkNothingIsDue(batch, in: process)
  }

  // MARK: What clients were promised

  private func noteFeedResults(_ batch: Batch, in world: World) {
    for (action, outcome) in zip(batch.actions, batch.turnout.outcomes) {
      guard case .intent(.podcasts(let intent)) = action, case .handled(let reply) = outcome else { continue }
      world.listener.noteResult(of: intent, reply)
      guard case .import = intent else { continue }
      for feed in feeds.feeds.values where world.listener.wishes[feed.id] == nil {
        world.listener.noteImport(of: feed)
      }
    }
  }

  private func checkSubscriptions(_ before: [Feed.Key: Feed], _ batch: Batch, _ world: World) throws {
    let wishes = world.listener.wishes
    for key in feeds.feeds.keys.sorted() {
      guard let feed = feeds.feeds[key] else { continue }
      guard wishes[feed.id] == feed.wishes else {
        throw Violation(
          .acknowledged, "\(feed.id) has \(feed.wishes), and its client asked for \(wishes[feed.id] as Any)")
      }
      guard feed.episodes == Int64(feeds.count(of: feed.key)) else {
        throw Violation(.counts, "\(feed.id) counts \(feed.episodes) episodes")
      }
      if let former = before[feed.key] { try checkMove(of: feed, from: former, batch, world) }
      if feed.refreshes.error?.code == .gone, feed.refreshes.failures > 0, !feed.refreshes.hasEnded {
        throw Violation(.goneForGood, "\(feed.id) is gone, and goes on")
      }
      // A clock that was years ahead may have been set right since a refresh has decided it.
      let latest = world.options.faults.contains(.years) ? max(latestWall, batch.clock.wall) : batch.clock.wall
      guard feed.refreshes.next <= latest.advanced(byDays: Self.longestWaitDays) else {
        throw Violation(.rhythm, "\(feed.id) is refreshed only at \(feed.refreshes.next)")
      }
    }
    guard feeds.feeds.count == wishes.count else {
      let hasFailed = batch.actions.contains {
        if case .refresh(let report) = $0, case .failed = report.news { true } else { false }
      }
      throw Violation(
        hasFailed ? .goneForGood : .acknowledged,
        "\(wishes.keys.sorted()) are subscribed to, and there are "
          + "\(feeds.feeds.values.map(\.id).sorted())")
    }
  }

  /// `Retry-After` puts a refresh off by a week at most; the clock may be set between a report and its commit.
  private static let longestWaitDays = 10

  /// The publisher moves a feed: there must be an episode of it, if it has any.
  private func checkMove(of feed: Feed, from former: Feed, _ batch: Batch, _ world: World) throws {
    guard feed.address != former.address else { return }
    let isAsked = batch.actions.contains {
      if case .intent(.podcasts(.update(feed.id, let update))) = $0 { update.address != nil } else { false }
    }
    guard !isAsked else { return }
    for case .refresh(let report) in batch.actions where report.news == .moved(feed.address) {
      guard let refresh = feeds.live[report.refresh], refresh.refresh.feed.key == feed.key,
        let shown = refresh.firstShowings.last, let podcast = world.feeds?.podcasts[shown.podcast],
        !refresh.known.isEmpty, refresh.known.isDisjoint(with: podcast.truths)
      else { continue }
      let truths = podcast.truths
      // A client may have given it the address of another podcast, which its row names since, or which leads on at
      // once.
      if podcast.isTold(in: former.podcast) { continue }
      let first = refresh.firstShowings[0]
      let isLedOn =
        refresh.firstShowings.count > 1
        && (first.podcast == shown.podcast || !truths.isDisjoint(with: first.items.map(\.truth)))
      guard !isLedOn else { continue }
      throw Violation(
        .moves, "\(feed.id) moves from \(former.address) to \(feed.address), which has none of its episodes")
    }
  }

  /// No download goes because of what happens to feeds, unless its client has said so.
  private func checkOutlived(_ batch: Batch, _ changes: Changes, _ writes: [FeedWrite]) throws {
    let isOfFeedsOnly = batch.actions.allSatisfy { action in
      switch action {
      case .intent(.podcasts), .refresh: true
      default: false
      }
    }
    guard isOfFeedsOnly else { return }
    var mayGo = Set(Self.deletedByRules(writes))
    for write in writes {
      guard case .noFeed(let feed, let downloads) = write, batch.deletesFiles(of: feed.id) else { continue }
      mayGo.formUnion(downloads)
    }
    for id in changes.before.keys.sorted() where rows[id] == nil && !mayGo.contains(id) {
      throw Violation(.downloadsOutlive, "\(id) is gone, and no client has asked for that")
    }
  }

  // MARK: Scheduling

  /// A living feed that is due and may be refreshed is being refreshed.
  private func checkNothingIsDue(_ batch: Batch, in process: SimulatedProcess) throws {
    let stores = process.dispatcher.state
    let isHandled = zip(batch.actions, batch.turnout.outcomes).contains {
      if case .handled = $1 { !$0.isReading } else { false }
    }
    guard isHandled, stores.lifecycle.isScheduling else { return }
    let live = stores.podcasts.live
    guard live.count < PodcastsStore.Limits.refreshes else { return }
    let path = stores.network.state.path
    let due = feeds.feeds.values.filter { feed in
      live[feed.id] == nil && feed.due.map { $0 <= batch.clock.wall } ?? false
    }
    for feed in due.sorted(by: { $0.key < $1.key }) {
      guard let due = feed.due, !isParked(feed, at: batch.clock.wall) else { continue }
      let isFree = path.status == .online && path.isUnmetered || !stores.downloads.needsPath(feed.address.host)
      let onHost = process.refreshes.keys.filter { feeds.live[$0]?.refresh.feed.address.host == feed.address.host }
        .count
      guard isFree, onHost < PodcastsStore.Limits.refreshesPerHost else { continue }
      throw Violation(
        .rhythm, "\(feed.id) is due since \(due.milliseconds - World.beginning), and nothing refreshes it")
    }
  }

  // MARK: Rows

  private static func storedEpisodes(_ world: World) throws -> [Episode] {
    try world.database.read { tables in
      try tables.episodes(
        EpisodesQuery(order: .init(.added), limit: 100_000), at: ConditionMoment(now: world.clock.wall)
      ).items.map(\.episode)
    }
  }

  private static func storedFeeds(_ world: World) throws -> [Feed] {
    var feeds: [Feed] = []
    try world.database.read { try $0.forEachFeed { feeds.append($0) } }
    return feeds
  }

  /// Compares the copy with the tables.
  func compareFeeds(_ world: World) throws {
    guard world.feeds != nil else { return }
    let stored = try Self.storedEpisodes(world)
    guard stored.count == feeds.episodes.count else {
      throw Violation(.mirror, "\(stored.count) episodes instead of \(feeds.episodes.count)")
    }
    for row in stored where feeds.episodes[row.id] != row {
      throw Violation(.mirror, "\(row) was not written, but \(feeds.episodes[row.id] as Any)")
    }
    var count = 0
    try world.database.read { tables in
      try tables.forEachFeed { row in
        count += 1
        guard feeds.feeds[row.key] != row else { return }
        throw Violation(.mirror, "\(row) was not written, but \(feeds.feeds[row.key] as Any)")
      }
    }
    guard count == feeds.feeds.count else { throw Violation(.mirror, "\(count) feeds instead of \(feeds.feeds.count)") }
  }
}

extension DownloadsStore {
  /// Whether what is asked of a host needs a path: it is another machine, or has led to one.
  func needsPath(_ host: String) -> Bool { !WebAddress.isLoopback(host) || departing.contains(host) }
}

extension Batch {
  /// Whether a client has asked for the files of a feed to go with it.
  fileprivate func deletesFiles(of feed: FeedID) -> Bool {
    actions.contains { $0 == .intent(.podcasts(.unsubscribe(feed, deletingFiles: true))) }
  }
}
