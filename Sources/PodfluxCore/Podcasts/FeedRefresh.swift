import Flux

/// Everything that one refresh of a feed needs to know: it asks for nothing later.
package struct FeedRefresh: Hashable, Sendable {
  /// Which refresh it is.
  package struct ID: Hashable, Sendable {
    package var feed: FeedID
    /// The sequence number of the action that started it: unique within a library.
    package var generation: Int64

    package init(feed: FeedID, generation: Int64) {
      self.feed = feed
      self.generation = generation
    }
  }

  package var id: ID
  /// The feed as its row was when the refresh began.
  package var feed: Feed
  /// The settings at its start. Later changes of settings do not affect it.
  package var settings: Settings
  /// The route that its connections must take.
  package var route: Route
  /// The credentials that its requests to the feed's host are sent with; nil for none.
  package var session: SessionUse?
  /// A random number that spreads the next refresh over time.
  package var draw: UInt64

  package init(
    id: ID, feed: Feed, settings: Settings, route: Route, session: SessionUse? = nil, draw: UInt64
  ) {
    self.id = id
    self.feed = feed
    self.settings = settings
    self.route = route
    self.session = session
    self.draw = draw
  }
}

extension DownloadError {
  /// The feed of another podcast is at the feed's address.
  package static let otherPodcast = DownloadError(
    .notMedia,
    "another podcast is at the feed's address; if it is the right one, remove the feed and subscribe to it again")
  /// The feed's address leads to another feed.
  package static let leadsToOtherFeed = DownloadError(
    .notMedia, "the feed's address leads to another feed; if it is the right one, subscribe to that address")
  /// The address to which the feed is said to have moved has another feed.
  package static let otherFeedAtNewAddress = DownloadError(.notMedia, "the new address has another feed")
  /// The server answered 410, but not at the feed's own address: that one may lead elsewhere the next time.
  package static let goneElsewhere = DownloadError(
    .httpStatus, "the server answered 410 at an address to which the feed's own one leads for now", status: 410)

  /// A feed's response was complete, and the document in it was not: its last tag never came. What had come of it is
  /// told before the refresh fails with this.
  package static let feedEndsEarly = DownloadError(
    .lengthMismatch, "the feed's document ends early: its last tag is missing, and so may be episodes")
}

/// A report of a refresh to the stores.
package struct RefreshReport: Hashable, Sendable {
  package var refresh: FeedRefresh.ID
  package var news: News
  /// How many bytes of bodies have come over the network since its last report.
  package var fetched: Int64
  /// Where the documents so far were read; unknown before the first.
  package var readFrom: AddressClass

  package init(refresh: FeedRefresh.ID, news: News, fetched: Int64 = 0, readFrom: AddressClass = .unknown) {
    self.refresh = refresh
    self.news = news
    self.fetched = fetched
    self.readFrom = readFrom
  }

  /// How many episodes a report tells of at most: a turn takes some milliseconds. Most feeds have no more, and each
  /// commit writes the last pages of all indexes again.
  package static let episodesAtOnce = 256
  /// From so many bytes of notes on a report tells of no further episode.
  package static let notesBytesAtOnce = 1 << 20

  /// What can happen in a refresh.
  package enum News: Hashable, Sendable {
    /// What the feed says of its podcast so far, before the first episodes of a feed that was never read: a download of
    /// theirs bears the podcast's title.
    case described(PodcastContent)
    /// The feed has episodes that the library does not know. Waits for `proceed`, unless the refresh ends with it.
    case appeared([EpisodeContent])
    /// The feed says something else of these than it did. The same.
    case changed([EpisodeChange])
    /// These have left the feed, and those are in it again. The same.
    case listed(missing: [EpisodeID], returned: [EpisodeID])
    /// The publisher has moved the feed to this address for good.
    case moved(WebAddress)
    /// The refresh has ended; everything that is in the feed has been told before.
    case refreshed(Findings)
    /// The refresh has ended without the whole feed; of one whose document ended early, what it had was told before.
    /// The next one comes at that moment.
    case failed(DownloadError, next: Timestamp)
    /// The refresh has ended because it was told to.
    case stopped

    /// Whether it is the refresh's last report.
    package var isEnd: Bool {
      switch self {
      case .refreshed, .failed, .stopped: true
      case .described, .appeared, .changed, .listed, .moved: false
      }
    }
  }

  /// A known episode that the feed says something else of.
  package struct EpisodeChange: Hashable, Sendable {
    package var id: EpisodeID
    package var content: EpisodeContent
    /// The names that it had before, those that it has just lost included.
    package var formerNames: EpisodeTraces.FormerNames

    package init(id: EpisodeID, content: EpisodeContent, formerNames: EpisodeTraces.FormerNames) {
      self.id = id
      self.content = content
      self.formerNames = formerNames
    }
  }

  /// What a whole refresh has come to.
  package struct Findings: Hashable, Sendable {
    /// What the feed says of its podcast; nil if nothing has changed.
    package var podcast: PodcastContent?
    package var validators: FeedValidators
    /// How often the feed is refreshed; nil if there was no new body.
    package var rhythm: FeedRhythm?
    /// When the next refresh is due.
    package var next: Timestamp
    /// Whether a further document of the feed could not be read: there may be episodes that the library does not know,
    /// older than some that it knows.
    package var hasGap: Bool
    /// Whether there was a new body.
    package var hasBody: Bool { rhythm != nil }

    package init(
      podcast: PodcastContent?, validators: FeedValidators, rhythm: FeedRhythm? = nil, next: Timestamp,
      hasGap: Bool = false
    ) {
      self.podcast = podcast
      self.validators = validators
      self.rhythm = rhythm
      self.next = next
      self.hasGap = hasGap
    }
  }
}
