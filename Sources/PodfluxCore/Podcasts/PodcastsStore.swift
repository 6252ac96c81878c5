import Flux

/// Events by which the podcasts inform other stores.
package enum PodcastsEvent: Sendable {
  case wanted(EpisodeID, DownloadIntent.Enqueue)
  /// A person wants an episode that has this download already.
  case claimed(EpisodeID, DownloadID)
  /// The episode of a download that was refused is at another address by now: the download is to go on there.
  case renewed(DownloadID, DownloadIntent.Enqueue)
  /// Downloads are to go, with their files.
  case unwanted([DownloadID])
  /// A feed's rules have changed.
  case rulesChanged(Feed.Key, from: FeedRules)
  /// Episodes of a feed with rules are new, changed or back.
  case hasNews(Feed.Key)
  /// The episodes of these downloads have notes, or other ones than before.
  case noted([DownloadID])
  /// A feed with rules was read to its end.
  case wasReadWhole(Feed.Key)
  /// A person has taken marks from episodes.
  case remarked(PodcastIntent.EpisodeSelection)
  /// A refresh has fetched so many bytes over cellular.
  case fetchedOverCellular(Int64)
  /// What refreshes find about their sessions.
  case session(SessionSignal)
  /// A feed that has these downloads has another session than before, or none.
  case sessionChanged([DownloadID], from: Session.Key?, to: Session.Key?)
}

/// The podcasts: which feeds are subscribed to, which episodes each has, and which feeds are refreshed now.
///
/// Rows live in the tables; memory holds the refreshes under way, so it does not grow with the library. Its aspects:
/// `+Intents` (what clients want of feeds), `+Episodes` (what they want of episodes), `+Reports` (what refreshes find),
/// `+Addresses` (addresses that have expired), `+Scheduling` (which feeds are refreshed), `+Lateness` (old
/// episodes that appear late).
package struct PodcastsStore: DomainStore {
  /// The parts of other stores that this store reads.
  package typealias Context = RequestContext

  /// A refresh that has not ended.
  package struct LiveRefresh: Hashable, Sendable {
    package var id: FeedRefresh.ID
    /// The feed's row.
    var key: Feed.Key
    /// When it began. All episodes that it finds count as added then: of those without a date the first in the document
    /// is the newest, also where they are told in several reports.
    var began: Timestamp
    var policy: NetworkPolicy
    /// Its requests to the feed's host.
    var request: LiveRequest
    var isStopping = false
    /// Whether the feed is gone or is another one: then its reports concern no row.
    var isDisowned = false
  }

  /// The limits of refreshes.
  package enum Limits {
    /// How many are under way at once: those that have an exchange, which are fewer, those that wait for one with
    /// their requests ready, and those whose last reports are not committed.
    package static let refreshes = 64
    /// How many are under way at once on one host: a host that does not answer leaves room for others.
    package static let refreshesPerHost = 32
    /// How long after a refresh that succeeded a feed is not refreshed for the sake of an address that has expired, in
    /// milliseconds.
    package static let freshAddressMilliseconds: Int64 = 600_000
    /// How many fresh addresses of an episode are tried, one after the other, if none leads to a byte: where all are
    /// refused, they have not expired.
    package static let freshAddresses = 5
    /// How many episodes of feeds that are gone a turn deletes: it takes some milliseconds.
    package static let forgottenAtOnce = 500
    /// After how long a feed is looked at again whose session could not log in, in milliseconds.
    package static let loginFailedMilliseconds: Int64 = 86_400_000
    /// The longest time between two refreshes of a feed, in minutes, unless the settings allow a longer one: a week, as
    /// servers may ask for.
    package static let longestWaitMinutes: Int64 = 7 * 24 * 60
    /// How many days an episode may be published late.
    package static let lateDays = 2
  }

  /// The refreshes that have not ended, by feed.
  package internal(set) var live: [FeedID: LiveRefresh] = [:]
  /// When the first feed is due that is not; nil if there is none.
  package internal(set) var wakeAt: Timestamp?
  /// Whether episodes of feeds that are gone may be left. A start finds out.
  var mayHaveLeft = true
  /// When the next of them are deleted; nil if none is left.
  var forgetsAt: Timestamp?
  /// The hosts with feeds that may be refreshed now and could not be when the store looked last; nil for any host.
  var hostsToSearch: Set<String>?
  /// What stood in the way of requests when the store looked last.
  var seenObstacles = SeenObstacles()

  /// Whether a refresh is alive.
  package var hasLiveWork: Bool { !live.isEmpty }

  /// When something is to be done next; nil if nothing is.
  package var nextMoment: Timestamp? { Timestamp.earlier(wakeAt, forgetsAt) }

  /// Makes the store. It keeps nothing in memory that its tables do not hold.
  package init() {}

  /// Takes in what clients want and what refreshes report.
  package mutating func handle(
    _ action: Action, in turn: inout StoreTurn<Self>, reading context: Context
  ) throws -> Reply? {
    switch action {
    case .intent(.podcasts(let intent)): return try handle(intent, reading: context, in: &turn)
    case .refresh(let report): try handle(report, reading: context, in: &turn)
    case .recovered, .timeCame:
      hostsToSearch = nil
      guard let latest = Self.latestMoment(under: context.settings, at: turn.now) else { break }
      try turn.tables.feeds.bringForward(dueAfter: latest, to: turn.now)
    case .intent(.stop): if context.lifecycle.isEnding { stopRefreshes(in: &turn) }
    default: break
    }
    return nil
  }

  /// The latest moment at which a feed can be due: only a clock that was wrong can have named a later one. nil if the
  /// present one is none that a right clock can show.
  static func latestMoment(under settings: Settings, at now: Timestamp) -> Timestamp? {
    now.latestEnd(ofWaitsUpTo: max(Limits.longestWaitMinutes, Int64(settings.feedRefreshMaxMinutes)) * 60_000)
  }

  /// Whether the store does something for a call of the list; a case that a method below handles is named here too.
  static func isConcerned(by call: StoreCall) -> Bool {
    switch call {
    case .handle(.intent(.podcasts)), .handle(.intent(.stop)), .handle(.refresh), .handle(.recovered),
      .handle(.timeCame), .receive(.downloads(.enqueued)), .receive(.downloads(.failedAtAddress)),
      .receive(.settings), .receive(.sessions), .endBatch:
      true
    case .handle, .receive: false
    }
  }

  /// Notes which download an episode has got, and looks again when settings have changed.
  package mutating func receive(_ event: StoreEvent, in turn: inout StoreTurn<Self>, reading context: Context) throws {
    switch event {
    case .downloads(.enqueued(let episode, let id, _)): try turn.tables.episodes.setDownload(id, of: episode)
    case .downloads(.failedAtAddress(let id)): try seekAddress(for: id, in: &turn)
    case .settings: hostsToSearch = nil
    case .sessions(.made(let session, for: .feed(let key))): try set(session, of: key, in: &turn)
    case .sessions(.asked(let session)):
      try turn.tables.feeds.makeRefusedDue(of: session, at: turn.now)
      hostsToSearch = nil
    default: break
    }
  }

  /// Starts the refreshes that are due and may run, and stops those that may not run any more.
  package mutating func endBatch(in turn: inout StoreTurn<Self>, reading context: Context) throws {
    guard context.lifecycle.isScheduling else { return }
    stopWhatMayNotRun(reading: context, in: &turn)
    try startDueRefreshes(reading: context, in: &turn)
    try forgetLeftEpisodes(in: turn)
  }

  /// Deletes some episodes of feeds that are gone, and has the next turn follow at once if there are more: commands get
  /// their turn between two of them.
  private mutating func forgetLeftEpisodes(in turn: borrowing StoreTurn<Self>) throws {
    guard mayHaveLeft else { return }
    mayHaveLeft = try turn.tables.episodes.forgetLeft(limit: Limits.forgottenAtOnce)
    forgetsAt = mayHaveLeft ? turn.now : nil
  }
}
