import Flux
import PodfluxCore

/// What is known of feeds and episodes independently of the tables: the rows as they were written, and which episode
/// each truly is.
final class FeedModel {
  private(set) var feeds: [Feed.Key: Feed] = [:]
  private(set) var episodes: [EpisodeID: Episode] = [:]
  /// The episodes of each feed, in the order in which they were added.
  private var ids: [Feed.Key: [EpisodeID]] = [:]
  /// The same by what they truly are: mostly one each.
  private var idsByTruth: [Feed.Key: [Int?: [EpisodeID]]] = [:]
  /// Everything that the feed has said of each episode, the last at the end.
  private var histories: [EpisodeID: [EpisodeContent]] = [:]
  /// The origins for which the client has given a feed its headers.
  private(set) var keyedOrigins: [Feed.Key: WebAddress] = [:]
  /// The refreshes that have not ended, as they were started.
  var live: [FeedRefresh.ID: SimulatedRefresh] = [:]
  /// The live refreshes whose bytes count as cellular.
  var cellular: Set<FeedRefresh.ID> = []
  /// The refreshes of this session that have ended.
  var ended: Set<FeedRefresh.ID> = []
  /// What the last whole body of each feed was.
  var shown: [Feed.Key: (FeedAnswer.Showing, FeedValidators)] = [:]
  /// The episodes that each feed had when it was last read without a gap.
  private(set) var read: [Feed.Key: Set<Int>] = [:]
  /// The feeds of which something was read inside, at some time.
  var readInside: Set<Feed.Key> = []
  /// How often a refresh has written something of an episode.
  private(set) var episodeWrites = 0

  func feed(_ id: FeedID) -> Feed? { feeds.values.first { $0.id == id } }

  func episodes(of feed: Feed.Key) -> [Episode] {
    ids[feed, default: []].compactMap { episodes[$0] }
  }

  /// The episodes of a feed that are truly one, in the order in which they were added.
  func episodes(of feed: Feed.Key, being truth: Int?) -> [Episode] {
    (idsByTruth[feed]?[truth] ?? []).compactMap { episodes[$0] }
  }

  /// What the episodes of a feed truly are.
  func truths(of feed: Feed.Key) -> Set<Int> {
    Set((idsByTruth[feed] ?? [:]).keys.compactMap(\.self))
  }

  /// The addresses that an episode's file had.
  func formerAddresses(of episode: EpisodeID) -> [WebAddress] {
    (histories[episode] ?? []).dropLast().compactMap { $0.enclosure?.address }
  }

  /// How many episodes a feed has.
  func count(of feed: Feed.Key) -> Int { ids[feed]?.count ?? 0 }

  /// A feed was read without a gap, as far as the product can tell.
  func noteRead(_ feed: Feed.Key) {
    read[feed] = truths(of: feed)
  }

  /// A process has begun: nothing of the former one goes on.
  func begin() {
    (live, cellular, ended) = ([:], [], [])
  }

  /// A refresh has ended.
  func forget(_ refresh: FeedRefresh.ID) {
    live[refresh] = nil
    cellular.remove(refresh)
  }

  // MARK: Writes

  /// Takes a write in, which must be allowed by the rules of identity.
  func follow(_ write: FeedWrite) throws {
    switch write {
    case .feed(let feed):
      if feeds[feed.key] == nil || feeds[feed.key]?.wishes.headers != feed.wishes.headers {
        keyedOrigins[feed.key] = feed.address
      }
      var feed = feed
      // The standing has a table of its own.
      feed.standing = feeds[feed.key]?.standing ?? Feed.Standing()
      feeds[feed.key] = feed
    case .noFeed(let feed, _):
      feeds[feed.key] = nil
      idsByTruth[feed.key] = nil
      for id in ids.removeValue(forKey: feed.key) ?? [] { (episodes[id], histories[id]) = (nil, nil) }
    case .allDue(let now):
      for (key, feed) in feeds where !feed.wishes.isPaused && !feed.refreshes.hasEnded {
        feeds[key]?.refreshes.next = now
      }
    case .broughtForward(let latest, let moment):
      for (key, feed) in feeds { if let due = feed.due, due > latest { feeds[key]?.refreshes.next = moment } }
    case .refusedDue(let session, let now):
      for (key, feed) in feeds
      where feed.session == session && feed.refreshes.error?.code == .unauthorized && !feed.wishes.isPaused
        && !feed.refreshes.hasEnded
      {
        feeds[key]?.refreshes.next = now
      }
    case .episode(let episode): try add(episode)
    case .changed(let change, let key): try note(change, of: key)
    case .missing(let isMissing, let ids, let key):
      episodeWrites += 1
      for id in ids where episodes[id]?.feed == key { episodes[id]?.isMissingFromFeed = isMissing }
    case .download(let download, let episode): try assign(download, to: episode)
    case .standing(let standing, let key): feeds[key]?.standing = standing
    case .ruling(let ruling, let episode, _): episodes[episode]?.ruling = ruling
    case .marked, .rulesDue: break
    }
  }

  private func assign(_ download: DownloadID, to id: EpisodeID) throws {
    if let episode = episodes[id],
      let other = episodes(of: episode.feed).first(where: { $0.id != id && $0.download == download })
    {
      throw Violation(.ownDownload, "\(id), \(episode.content.summary), gets \(download), which is that of \(other.id)")
    }
    episodes[id]?.download = download
  }

  private func add(_ episode: Episode) throws {
    episodeWrites += 1
    let truth = SimulatedItem.truth(of: episode.content)
    for known in episodes(of: episode.feed, being: truth) where mustBe(episode.content, known) {
      throw Violation(
        .oneEpisode, "\(episode.content.summary) becomes \(episode.id), and is \(known.id), \(known.content.summary)")
    }
    episodes[episode.id] = episode
    ids[episode.feed, default: []].append(episode.id)
    idsByTruth[episode.feed, default: [:]][truth, default: []].append(episode.id)
    histories[episode.id] = [episode.content]
  }

  private func note(_ change: RefreshReport.EpisodeChange, of key: Feed.Key) throws {
    episodeWrites += 1
    guard let known = episodes[change.id], known.feed == key else {
      throw Violation(.mirror, "\(change.id) is changed, and is no episode of its feed")
    }
    guard SimulatedItem.truth(of: known.content) == SimulatedItem.truth(of: change.content) else {
      throw Violation(
        .twoEpisodes, "\(change.id) was \(known.content.summary) and becomes \(change.content.summary)")
    }
    episodes[change.id]?.content = change.content
    episodes[change.id]?.isMissingFromFeed = false
    histories[change.id]?.append(change.content)
  }

  /// Takes marks as they are, after a statement that may have changed any.
  func adoptMarks(of rows: [Episode]) {
    for row in rows { episodes[row.id]?.marks = row.marks }
  }

  /// Takes what rules have come to as it is, after a statement that may have changed any.
  func adoptStandings(of rows: [Feed]) {
    for row in rows { feeds[row.key]?.standing = row.standing }
  }

  // MARK: Identity

  /// Whether the rules of identity leave no doubt that a content is a known episode's: by the guid, by the address of
  /// the file, or by title and date; and no other episode of the feed has ever had that.
  private func mustBe(_ content: EpisodeContent, _ known: Episode) -> Bool {
    let former = histories[known.id] ?? []
    let others = episodes(of: known.feed).filter { $0.id != known.id }.flatMap { histories[$0.id] ?? [] }
    func isItsOwn<Name: Equatable>(_ name: Name?, _ nameOf: (EpisodeContent) -> Name?) -> Bool {
      guard let name else { return false }
      return former.contains { nameOf($0) == name } && !others.contains { nameOf($0) == name }
    }
    let (hasTitle, hasDate) = (content.title == known.content.title, content.published == known.content.published)
    let hasFile = isItsOwn(content.enclosure?.address) { $0.enclosure?.address }
    // A guid may be a position in the feed, where a title does not tell which episode it is.
    let hasOwnTitle = hasTitle && !others.contains { $0.title == content.title }
    if isItsOwn(content.guid, { $0.guid }), hasOwnTitle || hasDate || hasFile { return true }
    if hasFile, hasTitle, hasDate { return true }
    return hasTitle && hasDate && content.seconds == known.content.seconds
      && !others.contains { $0.title == content.title && $0.published == content.published }
      && !isReadAsTwo(SimulatedItem.truth(of: content), of: known.feed)
  }

  /// Whether one refresh has read an episode in two documents, between which its publisher has changed both its guid
  /// and the address of its file: as far as the refresh can tell they are two.
  private func isReadAsTwo(_ truth: Int?, of feed: Feed.Key) -> Bool {
    live.values.filter { $0.refresh.feed.key == feed }.contains { refresh in
      let items = refresh.showings.flatMap(\.items).filter { $0.truth == truth }
      return items.contains { item in
        items.contains { $0.address != item.address && ($0.guid == nil || $0.guid != item.guid) }
      }
    }
  }
}

extension EpisodeContent {
  /// The traits that identify an episode, for messages.
  var summary: String {
    "\(link?.description ?? "-"): guid \(guid ?? "-"), \(title ?? "-"), "
      + "\(published.map { "\($0.moment.milliseconds)" } ?? "-"), \(enclosure?.address.description ?? "-")"
  }
}
