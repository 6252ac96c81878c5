import Flux

/// Episodes as rules look at them. A turn reads them, and so does a plan that changes nothing.
package protocol RuleReading {
  /// Calls the body with a feed's episodes, the newest first, until it returns false. Cost: the feed's episodes, of
  /// which one at a time is in memory.
  func walk(_ scope: RuleScope, at moment: ConditionMoment, _ body: (RuledEpisode) throws -> Bool) throws
  /// Some of a feed's episodes, the newest first. Cost: theirs.
  func some(_ episodes: [EpisodeID], of scope: RuleScope, at moment: ConditionMoment) throws -> [RuledEpisode]
  /// How many of a feed's episodes up to its watermark, in a part of them, have a file, are in the feed and meet the
  /// condition. Cost: the feed's episodes, a fifth of what a walk takes for each.
  func countThere(_ scope: RuleScope, in part: RulePart, at moment: ConditionMoment) throws -> Int64
  /// The number of the library's last episode.
  func lastEpisode() throws -> Int64
}

/// Which episodes rules look at.
package struct RuleScope: Hashable, Sendable {
  package var feed: Feed.Key
  /// The condition of `autoDownload`.
  package var condition: EpisodeCondition
  package var watermark: Int64?
  /// Whether it is decided about all that were there: then of these only what rules have downloaded matters.
  package var isSettled: Bool

  package init(feed: Feed.Key, rules: FeedRules, watermark: Int64?, isSettled: Bool) {
    self.feed = feed
    condition = rules.autoDownload?.condition ?? .everything
    self.watermark = watermark
    self.isSettled = isSettled
  }
}

/// What rules need to know of a feed to say something of its episodes.
package struct RuledFeed: Hashable, Sendable {
  package var key: Feed.Key
  package var rules: FeedRules
  package var standing: Feed.Standing

  package init(key: Feed.Key, rules: FeedRules, standing: Feed.Standing) {
    self.key = key
    self.rules = rules
    self.standing = standing
  }
}

/// A part of a feed's episodes in their order.
package enum RulePart: Hashable, Sendable {
  case all
  case newer(than: RuledEpisode.Place)
  case older(than: RuledEpisode.Place)
}

/// A download that the storage quota may delete.
package struct ReleasableDownload: Hashable, Sendable {
  package var episode: EpisodeID
  package var download: DownloadID
  package var bytes: Int64

  package init(episode: EpisodeID, download: DownloadID, bytes: Int64) {
    self.episode = episode
    self.download = download
    self.bytes = bytes
  }
}

/// The port of the rules' tables. All calls belong to the turn's transaction.
package protocol RuleTables {
  /// What the feeds' rules have come to.
  var rules: any RuleTable { get }
}

/// What rules have come to, and when they are applied next, to read. Each call costs a bounded number of index
/// look-ups unless it says otherwise.
package protocol RuleTableReader: RuleReading {
  /// The feeds whose rules have been due for longest, besides some.
  func due(at now: Timestamp, limit: Int, besides held: Set<Feed.Key>) throws -> [Feed.Key]
  /// When the first rules are due, besides those of some feeds.
  func nextMoment(besides held: Set<Feed.Key>) throws -> Timestamp?
  /// When the newest of a feed's episodes was published that were added until then. Cost: the feed's episodes.
  func newest(of feed: Feed.Key, addedBy moment: Timestamp) throws -> Timestamp?
  /// The place of the episode with this download among others; nil if there is none.
  func place(having download: DownloadID) throws -> RuledEpisode.Place?
  /// The oldest completed downloads of all feeds that rules have asked for, without favorites, and of these only such
  /// as are older than a place.
  func releasable(olderThan place: RuledEpisode.Place?, limit: Int) throws -> [ReleasableDownload]
  /// How many bytes all of these have together. Cost: linear in what rules have downloaded.
  func releasableBytes(olderThan place: RuledEpisode.Place?) throws -> Int64
  /// The episodes of a download that a rule has asked for, favorites too.
  func ruledEpisodes(having download: DownloadID) throws -> [EpisodeID]
  /// The only episode of a download, complete or not, that a rule has asked for, if it is no favorite; nil otherwise.
  func episode(ruledInto download: DownloadID) throws -> EpisodeID?
}

/// What rules have come to, and when they are applied next, to read and to write. Each call costs a bounded
/// number of index look-ups unless it says otherwise.
package protocol RuleTable: RuleTableReader {
  func update(_ standing: Feed.Standing, of feed: Feed.Key) throws
  /// Makes the rules due now of the feeds that have episodes with this download, and keep a part of what there is.
  /// Returns these feeds.
  func makeDue(having download: DownloadID, at now: Timestamp) throws -> [Feed.Key]
  /// Makes the rules of this episode's feed due now, if it has any. Returns that feed.
  func makeDue(of episode: EpisodeID, at now: Timestamp) throws -> [Feed.Key]
  /// Makes the rules of all feeds due now. Returns those that have rules. Cost: linear in them.
  func makeAllDue(at now: Timestamp) throws -> [Feed.Key]
  /// Notes what a rule has done about an episode; nil forgets it.
  func write(_ ruling: Episode.Ruling?, of episode: EpisodeID) throws
}

extension Episode {
  /// What a rule has last done about an episode.
  ///
  /// Use: `episode.ruling`, nil if no rule has done anything.
  public enum Ruling: Hashable, Sendable, Codable {
    /// The rule has added the episode's download.
    case downloaded(RuleReason)
    /// The rule has deleted the episode's download.
    case deleted(RuleReason)
    /// The rule did not take the episode when it was new.
    case passedOver(RuleReason)
  }
}
