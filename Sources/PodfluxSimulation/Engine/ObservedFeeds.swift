import Flux
import PodfluxCore

/// What a transaction has written to feeds and episodes, in order.
enum FeedWrite {
  case feed(Feed)
  /// The feed is forgotten, which had episodes with these downloads.
  case noFeed(Feed, downloads: [DownloadID])
  case allDue(Timestamp)
  /// The feeds that were due after a moment are due at another one.
  case broughtForward(from: Timestamp, to: Timestamp)
  /// The feeds of a session that were refused are due.
  case refusedDue(Session.Key, Timestamp)
  case episode(Episode)
  case changed(RefreshReport.EpisodeChange, of: Feed.Key)
  case missing(Bool, [EpisodeID], of: Feed.Key)
  case download(DownloadID, of: EpisodeID)
  /// Episodes are marked; whether that has changed any.
  case marked(hasChanged: Bool)
  case standing(Feed.Standing, of: Feed.Key)
  /// The rules of some feeds are due.
  case rulesDue
  /// What a rule has done about an episode, and the download that this had.
  case ruling(Episode.Ruling?, of: EpisodeID, download: DownloadID?)
}

struct ObservedFeeds: FeedTable {
  let inner: any FeedTable
  let episodes: any EpisodeTable
  let notes: TransactionNotes
  let sabotage: Sabotage?

  func insert(
    _ id: FeedID, at address: WebAddress, wishes: Feed.Wishes, session: Session.Key?, next: Timestamp, added: Timestamp
  ) throws -> Feed.Key {
    let key = try inner.insert(id, at: address, wishes: wishes, session: session, next: next, added: added)
    if let feed = try inner.find(key) { notes.feedWrites.append(.feed(feed)) }
    return key
  }

  func update(_ feed: Feed) throws { try write(feed, with: inner.update) }
  func updateRefreshes(of feed: Feed) throws { try write(feed, with: inner.updateRefreshes) }

  private func write(_ feed: Feed, with write: (Feed) throws -> Void) throws {
    var feed = feed
    switch sabotage {
    case .distrustForgotten: feed.refreshes.validators.isDistrusted = false
    case .goneForgotten where feed.refreshes.hasEnded: return try delete(feed.key)
    case .goneIgnored: feed.refreshes.hasEnded = false
    case .failingGivenUp where feed.refreshes.failures > 1:
      feed.refreshes.next = feed.refreshes.next.advanced(byDays: 13)
    default: break
    }
    try write(feed)
    notes.feedWrites.append(.feed(feed))
  }

  func delete(_ key: Feed.Key) throws {
    if let feed = try inner.find(key) {
      notes.feedWrites.append(.noFeed(feed, downloads: try episodes.ownDownloads(of: key)))
    }
    try inner.delete(key)
  }

  func makeAllDue(at now: Timestamp) throws -> Int {
    notes.feedWrites.append(.allDue(now))
    return try inner.makeAllDue(at: now)
  }

  func bringForward(dueAfter latest: Timestamp, to moment: Timestamp) throws -> Bool {
    guard sabotage != .farRefreshesKept, try inner.bringForward(dueAfter: latest, to: moment) else { return false }
    notes.feedWrites.append(.broughtForward(from: latest, to: moment))
    return true
  }

  func makeRefusedDue(of session: Session.Key, at now: Timestamp) throws {
    notes.feedWrites.append(.refusedDue(session, now))
    try inner.makeRefusedDue(of: session, at: now)
  }

  func nextMoment(after now: Timestamp) throws -> Timestamp? {
    sabotage == .feedAlarmLost ? nil : try inner.nextMoment(after: now)
  }

  func due(
    at now: Timestamp, on hosts: HostScope, besides live: Set<Feed.Key>,
    judging judge: (FeedID, QueueLane) -> DueVerdict
  ) throws -> [Feed] {
    switch sabotage {
    case .feedPolicyIgnored:
      try inner.due(at: now, on: hosts, besides: live) { id, lane in
        var lane = lane
        lane.policy = .any
        return judge(id, lane)
      }
    case .refreshedTooSoon: try inner.due(at: now.advanced(byDays: 1), on: hosts, besides: live, judging: judge)
    default: try inner.due(at: now, on: hosts, besides: live, judging: judge)
    }
  }

  func find(_ id: FeedID) throws -> Feed? { try inner.find(id) }
  func find(_ key: Feed.Key) throws -> Feed? { try inner.find(key) }
  func find(at address: WebAddress) throws -> FeedID? { try inner.find(at: address) }
  func count() throws -> Int { try inner.count() }
}

struct ObservedEpisodes: EpisodeTable {
  let inner: any EpisodeTable
  let downloads: any DownloadTable
  let notes: TransactionNotes
  let sabotage: Sabotage?

  func insert(
    _ contents: [EpisodeContent], of feed: Feed.Key, added: Timestamp, isBackdated: (EpisodeContent) -> Bool
  ) throws -> [EpisodeID] {
    let ids = try inner.insert(contents, of: feed, added: added, isBackdated: isBackdated)
    for (id, var content) in zip(ids, contents) {
      // Notes have a table of their own.
      content.notes = nil
      notes.feedWrites.append(
        .episode(Episode(id: id, feed: feed, content: content, added: added, isBackdated: isBackdated(content))))
    }
    return ids
  }

  func update(_ change: RefreshReport.EpisodeChange, of feed: Feed.Key) throws -> UpdatedEpisode? {
    var change = change
    if sabotage == .notesStale, try inner.hasNotes(change.id) { change.content.notes = nil }
    let updated = try inner.update(change, of: feed)
    change.content.notes = nil
    if updated != nil { notes.feedWrites.append(.changed(change, of: feed)) }
    return updated
  }

  func setMissing(_ isMissing: Bool, _ episodes: [EpisodeID], of feed: Feed.Key) throws {
    switch (sabotage, isMissing) {
    case (.missingNotMarked, true), (.returnNotMarked, false): return
    case (.downloadGoesWithEpisode, true):
      for id in episodes {
        guard let download = try inner.find(id)?.download, try downloads.contains(download) else { continue }
        try downloads.delete(download)
      }
    default: break
    }
    try inner.setMissing(isMissing, episodes, of: feed)
    notes.feedWrites.append(.missing(isMissing, episodes, of: feed))
  }

  func setDownload(_ download: DownloadID, of episode: EpisodeID) throws {
    try inner.setDownload(download, of: episode)
    notes.feedWrites.append(.download(download, of: episode))
  }

  func mark(_ episode: EpisodeID, _ marking: PodcastIntent.EpisodeMarking) throws -> Bool? {
    let hasChanged = try inner.mark(episode, marking)
    notes.feedWrites.append(.marked(hasChanged: hasChanged == true))
    return hasChanged
  }

  func mark(
    _ condition: EpisodeCondition, _ marking: PodcastIntent.EpisodeMarking, at moment: ConditionMoment
  ) throws -> Int {
    let changed = try inner.mark(condition, marking, at: moment)
    notes.feedWrites.append(.marked(hasChanged: changed > 0))
    return changed
  }

  func find(_ id: EpisodeID) throws -> Episode? {
    // Behind a change the store looks whether the episode's download is to go on elsewhere.
    if sabotage == .freshAddressIgnored, case .changed(let change, _)? = notes.feedWrites.last, change.id == id {
      return nil
    }
    return try inner.find(id)
  }

  func notes(of episode: EpisodeID) throws -> EpisodeNotes? { try inner.notes(of: episode) }
  func hasNotes(_ episode: EpisodeID) throws -> Bool { try inner.hasNotes(episode) }
  func index(of episode: Episode) throws -> Int64? { try inner.index(of: episode) }
  func forgetLeft(limit: Int) throws -> Bool { try inner.forgetLeft(limit: limit) }
  func find(having download: DownloadID) throws -> Episode? { try inner.find(having: download) }
  func formerEnclosures(of episode: EpisodeID) throws -> [WebAddress] { try inner.formerEnclosures(of: episode) }
  func wanted(_ condition: EpisodeCondition, at moment: ConditionMoment, limit: Int) throws -> [Episode] {
    try inner.wanted(condition, at: moment, limit: limit)
  }
  func downloads(of feed: Feed.Key) throws -> [DownloadID] { try inner.downloads(of: feed) }
  func ownDownloads(of feed: Feed.Key) throws -> [DownloadID] { try inner.ownDownloads(of: feed) }
}
