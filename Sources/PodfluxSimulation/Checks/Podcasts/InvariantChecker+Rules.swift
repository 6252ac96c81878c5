import Flux
import PodfluxCore

/// Checks of what rules do.
extension InvariantChecker {
  /// Checks a write before it is taken in: the copy is what the rule saw.
  func checkRule(_ write: FeedWrite, _ changes: Changes, _ batch: Batch, _ world: World) throws {
    switch write {
    case .standing(let standing, let key): try check(standing, of: key)
    case .ruling(.downloaded(.hasReturned)?, let id, let download):
      guard let row = download.flatMap({ lastRow($0, changes) }), row.state.kind == .completed, row.origin == .auto
      else { throw Violation(.explained, "the file of \(id) is said to be back that a rule had downloaded") }
    case .ruling(.downloaded(let reason)?, let id, _): try checkDownload(of: id, because: reason)
    case .ruling(.deleted(let reason)?, let id, let download?):
      try checkDeletion(of: id, download, because: reason, changes, batch, world)
    default: break
    }
  }

  /// No episode that existed when a rule was set counts as new.
  private func check(_ standing: Feed.Standing, of key: Feed.Key) throws {
    guard let feed = feeds.feeds[key], let watermark = standing.watermark, watermark != feed.standing.watermark else {
      return
    }
    guard let last = feeds.episodes(of: key).map(\.id.number).max(), last > watermark else { return }
    throw Violation(.noFlood, "\(feed.id) has an episode e\(last), and takes what is behind e\(watermark) for new")
  }

  private func checkDownload(of id: EpisodeID, because reason: RuleReason) throws {
    guard let episode = feeds.episodes[id], let feed = feeds.feeds[episode.feed] else {
      throw Violation(.explained, "a rule wants \(id), which is no episode")
    }
    guard episode.download == nil else {
      throw Violation(.fetchedOnce, "\(id) of \(feed.id) had the download \(episode.download as Any) before")
    }
    guard feed.wishes.rules.autoDownload != nil, let watermark = feed.standing.watermark,
      episode.content.enclosure != nil,
      !episode.isMissingFromFeed, !episode.marks.isArchived
    else { throw Violation(.explained, "no rule of \(feed.id) wants \(id) (\(reason))") }
    guard id.number <= watermark else { return }
    guard case .isAmong = reason else {
      guard reason == .takesAll else { throw Violation(.noFlood, "\(id) of \(feed.id) was there (\(reason))") }
      return
    }
    guard let rank = reason.rank, let limit = reason.limit, rank <= limit else {
      throw Violation(.noFlood, "\(id) of \(feed.id) is beyond its rule: \(reason)")
    }
  }

  private func checkDeletion(
    of id: EpisodeID, _ download: DownloadID, because reason: RuleReason, _ changes: Changes, _ batch: Batch,
    _ world: World
  ) throws {
    guard let episode = feeds.episodes[id], let feed = feeds.feeds[episode.feed] else {
      throw Violation(.explained, "a rule deletes \(id), which is no episode")
    }
    let quota = world.process?.dispatcher.state.settings.settings.storageQuotaBytes ?? .max
    // What is on its way goes only if it can never have room.
    if reason == .exceedsQuotaAlone, case .downloaded? = episode.ruling, !episode.marks.isFavorite,
      let row = lastRow(download, changes), row.state.kind != .completed, row.origin == .auto,
      row.progress.total ?? 0 > quota
    {
      return
    }
    if try isWithdrawn(episode, download, because: reason, by: feed.wishes.rules.keep, changes) { return }
    guard case .downloaded? = episode.ruling, !episode.marks.isFavorite,
      let row = lastRow(download, changes), case .completed(let file) = row.state, row.origin == .auto
    else {
      let row = lastRow(download, changes).map { "\($0.state), \($0.origin)" } ?? "gone"
      throw Violation(
        .explained,
        "\(id) of \(feed.id) is no rule's to delete (\(reason)): \(episode.ruling as Any), \(episode.marks), \(row)")
    }
    try checkOwed(episode, row, because: reason, in: world)
    guard !edited.contains(download) else {
      throw Violation(.explained, "a rule deletes \(id) of \(feed.id), whose file a person has changed (\(reason))")
    }
    let place = Self.place(of: episode)
    let newer = feeds.episodes(of: feed.key).filter { other in
      guard !other.marks.isFavorite, Self.place(of: other) > place else { return false }
      // What did not fit in, in this batch, keeps older ones from fitting in.
      switch other.ruling {
      case .downloaded?: return true
      case .deleted(.exceeds(.bytes))?: return reason.clause == .bytes
      case .deleted?, .passedOver?, nil: return false
      }
    }
    let lengths = newer.compactMap { $0.download }.compactMap { lastRow($0, changes) }.compactMap { row in
      if case .completed(let file) = row.state { file.length } else { nil as Int64? }
    }
    let keep = feed.wishes.rules.keep
    let isExplained =
      switch reason {
      case .exceeds(.newest(let limit)): keep?.newest.map(Int64.init) == limit && lengths.count >= limit
      case .exceeds(.bytes(let limit)):
        keep?.bytes == limit && !lengths.isEmpty && lengths.reduce(file.length, +) > limit
      case .exceeds(.days(let days)):
        keep?.days.map(Int64.init) == days
          && (row.dates.finished.map { $0.advanced(byDays: Int(days)) <= batch.clock.wall } ?? false)
      case .exceedsQuotaAlone:
        file.length > quota
      case .exceedsQuota:
        world.process?.dispatcher.state.settings.settings.storageQuotaBytes ?? 0 > 0
      default: false
      }
    if reason == .exceedsQuota { try checkIsOldest(episode) }
    guard isExplained else {
      throw Violation(.explained, "\(id) of \(feed.id) is deleted because of \(reason), with \(lengths) newer ones")
    }
  }

  /// Whether a rule withdraws a download of which no byte has come, since newer ones are enough that are here or on
  /// their way.
  private func isWithdrawn(
    _ episode: Episode, _ download: DownloadID, because reason: RuleReason, by keep: FeedRules.Keep?, _ changes: Changes
  ) throws -> Bool {
    guard case .downloaded? = episode.ruling, !episode.marks.isFavorite, let row = lastRow(download, changes),
      row.state.kind == .queued || row.state.kind == .waiting, row.progress.durable == 0, row.origin == .auto
    else { return false }
    let place = Self.place(of: episode)
    let newer = feeds.episodes(of: episode.feed).filter { other in
      guard case .downloaded? = other.ruling, !other.marks.isFavorite, Self.place(of: other) > place else {
        return false
      }
      // An episode whose download is decided in this turn has no row yet.
      guard let id = other.download else { return true }
      return lastRow(id, changes).map { $0.state.kind != .failed } ?? false
    }
    switch reason {
    case .exceeds(.newest(let limit)) where keep?.newest.map(Int64.init) == limit && newer.count >= limit: return true
    // The bytes are not recounted here: an episode whose download is gone may have been too large.
    case .exceeds(.bytes(let limit)) where keep?.bytes == limit: return true
    default:
      throw Violation(.explained, "\(episode.id) is withdrawn because of \(reason), with \(newer.count) newer ones")
    }
  }

  /// The storage quota takes the oldest first, of all feeds: no older one is left.
  private func checkIsOldest(_ episode: Episode) throws {
    let place = Self.place(of: episode)
    guard let older = releasable.first(where: { Self.place(of: $0) < place }) else { return }
    throw Violation(.quota, "\(episode.id) goes for the quota before \(older.id), which is older")
  }

  /// The episodes whose files rules may delete: they have fetched them, and no person wants to keep them.
  private var releasable: [Episode] {
    var owners: [DownloadID: Int] = [:]
    for episode in feeds.episodes.values { if let download = episode.download { owners[download, default: 0] += 1 } }
    return feeds.episodes.values.filter { episode in
      guard case .downloaded? = episode.ruling, !episode.marks.isFavorite, feeds.feeds[episode.feed] != nil,
        let id = episode.download, owners[id] == 1, let row = rows[id], row.state.kind == .completed
      else { return false }
      return row.origin == .auto
    }
  }

  /// How many bytes the files have that are there.
  var completedBytes: Int64 {
    rows.values.reduce(0) { bytes, row in
      if case .completed(let file) = row.state { bytes + file.length } else { bytes }
    }
  }

  /// The same, and what downloads have kept that have failed: a file that is in another one's way stays partial.
  private var storedBytes: Int64 {
    rows.values.reduce(completedBytes) { bytes, row in
      if case .completed = row.state { bytes } else { bytes + row.progress.durable }
    }
  }

  /// A storage quota was set when nothing moved, and what that has started has ended.
  func checkQuota(_ quota: Int64, before: [DownloadID: Download]) throws {
    try checkKept(quota)
    let gone = feeds.episodes.values.filter { episode in
      episode.download.map { before[$0] != nil && rows[$0] == nil } ?? false
    }
    guard let newest = gone.max(by: { Self.place(of: $0) < Self.place(of: $1) }),
      case .completed(let file)? = newest.download.flatMap({ before[$0] })?.state, storedBytes + file.length <= quota
    else { return }
    throw Violation(.quota, "\(newest.id) goes for a quota of \(quota), which \(storedBytes) bytes do not need")
  }

  /// Nothing is there that could go for the quota.
  func checkKept(_ quota: Int64) throws {
    guard completedBytes > quota, let rest = releasable.first else { return }
    throw Violation(.quota, "\(completedBytes) bytes are there, the quota is \(quota), and \(rest.id) could go")
  }

  private static func place(of episode: Episode) -> RuledEpisode.Place {
    let moment = min(episode.content.published?.moment ?? episode.added, episode.added)
    return RuledEpisode.Place(moment: moment, added: episode.added, id: episode.id)
  }

  /// The downloads that rules have deleted in a batch.
  static func deletedByRules(_ writes: [FeedWrite]) -> [DownloadID] {
    writes.compactMap { if case .ruling(.deleted?, _, let download?) = $0 { download } else { nil } }
  }

  /// When nothing moves any more, rules would do nothing.
  func checkRulesDone(in world: World) throws {
    for feed in feeds.feeds.values.sorted(by: { $0.key < $1.key }) where feed.wishes.rules != .none {
      // What never arrives, because a person has paused it, takes no other's place.
      let states = feeds.episodes(of: feed.key).compactMap { $0.download.flatMap { rows[$0]?.state.kind } }
      guard states.allSatisfy({ $0 == .completed || $0 == .failed }) else { continue }
      let query = RulesQuery(feed: feed.id, rules: feed.wishes.rules)
      let plan = try world.database.read { try $0.rulesPlan(query, at: ConditionMoment(now: world.clock.wall)) }
      guard let plan, plan.downloads.isEmpty, plan.deletions.isEmpty else {
        throw Violation(.rulesDone, "\(feed.id) with \(feed.wishes.rules) and \(feed.standing) would \(plan as Any)")
      }
    }
  }
}
