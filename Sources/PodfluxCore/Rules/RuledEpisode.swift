import Flux

/// What rules look at of an episode.
package struct RuledEpisode: Hashable, Sendable {
  package var id: EpisodeID
  package var place: Place
  /// The length in bytes that the feed claims.
  package var length: Int64?
  /// Whether the feed names a file for it.
  package var hasFile: Bool
  /// Whether it meets the condition of `autoDownload`.
  package var isMatching: Bool
  package var isMissingFromFeed: Bool
  package var isArchived: Bool
  package var isFavorite: Bool
  /// Whether it appeared later than its date says that it should have.
  package var isBackdated: Bool
  /// Why it was passed over when it was new. What has become of the others since then does not bring it back.
  package var passedOver: RuleReason?
  package var download: Presence

  package init(
    id: EpisodeID, place: Place, length: Int64? = nil, hasFile: Bool = true, isMatching: Bool = true,
    isMissingFromFeed: Bool = false, isArchived: Bool = false, isFavorite: Bool = false, isBackdated: Bool = false,
    passedOver: RuleReason? = nil, download: Presence = .never
  ) {
    self.id = id
    self.place = place
    self.length = length
    self.hasFile = hasFile
    self.isMatching = isMatching
    self.isMissingFromFeed = isMissingFromFeed
    self.isArchived = isArchived
    self.isFavorite = isFavorite
    self.isBackdated = isBackdated
    self.passedOver = passedOver
    self.download = download
  }

  /// Where an episode stands among others. One is newer that was published later, but no date counts that lies behind
  /// the episode's first appearance. Of equals that one is newer which appeared later or, since feeds begin with their
  /// newest episode, came first in its document.
  package struct Place: Hashable, Sendable, Comparable {
    /// When it was published, or else added; never later than added.
    package var moment: Timestamp
    package var added: Timestamp
    package var id: EpisodeID

    package init(moment: Timestamp, added: Timestamp, id: EpisodeID) {
      self.moment = moment
      self.added = added
      self.id = id
    }

    /// Whether the first place is older than the second.
    package static func < (lhs: Self, rhs: Self) -> Bool {
      (lhs.moment, lhs.added, rhs.id) < (rhs.moment, rhs.added, lhs.id)
    }
  }

  /// Whether an episode has a download, and whether a person or a rule has requested it.
  package enum Presence: Hashable, Sendable {
    /// The episode never had a download.
    case never
    /// The episode had a download, which was removed.
    case gone
    /// A person has requested the episode's download, or that of another episode with the same file.
    case requested
    /// A rule has requested the episode's download.
    case ruled(State)

    /// How far a download is that a rule has requested. Rules withdraw an untouched one and delete a completed one.
    package enum State: Hashable, Sendable {
      /// The download has not been started, and no byte of it was received.
      case untouched
      /// The download is neither untouched nor at its end.
      case pending
      case failed
      case completed(bytes: Int64, at: Timestamp)
    }
  }
}
