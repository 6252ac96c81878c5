import Flux

/// A subscription to a feed, as its row has it.
///
/// ```swift
/// for item in feeds.items { print(item.feed.id, item.feed.shownTitle, item.feed.refreshes.error?.message ?? "") }
/// ```
public struct Feed: Hashable, Sendable {
  /// The number of its row; none is given twice.
  ///
  /// Use: `feed.key`. Clients name a feed by its `FeedID` instead.
  public typealias Key = Int64

  public let key: Key
  public package(set) var id: FeedID
  /// Where the feed is, as far as is known.
  public var address: WebAddress
  public var wishes: Wishes
  /// What the feed says of its podcast; nil before its first refresh.
  public var podcast: PodcastContent?
  public var refreshes: Refreshes
  /// How far its rules have come; `RuleTable` writes it.
  public var standing: Standing
  /// How many episodes the library knows of it.
  public var episodes: Int64
  /// When it was subscribed to.
  public var added: Timestamp
  /// The session that its requests belong to, and those for its episodes, as far as they go to the session's hosts.
  public var session: Session.Key?

  /// What a client says of the feed.
  ///
  /// ```swift
  /// let wishes = Feed.Wishes(group: "News", network: .unmetered, rules: .init(keep: .init(newest: 5)))
  /// _ = try await podflux.dispatch(.podcasts(.subscribe(.init(address: address, wishes: wishes))))
  /// ```
  public struct Wishes: Hashable, Sendable {
    /// A title instead of the feed's own.
    public var title: String?
    /// The group that people put it in; parts of nested groups are separated by `/`.
    public var group: String?
    /// Headers for the feed's own origin. They may contain secrets: never show or log them.
    public var headers: [Header]
    /// The `User-Agent` of its requests instead of the settings'.
    public var userAgent: String?
    public var network: NetworkPolicy
    /// Whether only a client's request refreshes it.
    public var isPaused: Bool
    /// The template for the names of its files instead of the settings'; nil for that.
    public var filenameTemplate: NameTemplate?
    /// What its episodes are downloaded and deleted by.
    public var rules: FeedRules

    /// Every part is empty by default.
    public init(
      title: String? = nil, group: String? = nil, headers: [Header] = [], userAgent: String? = nil,
      network: NetworkPolicy = .inherit, isPaused: Bool = false, filenameTemplate: NameTemplate? = nil,
      rules: FeedRules = .none
    ) {
      self.title = title
      self.group = group
      self.headers = headers
      self.userAgent = userAgent
      self.network = network
      self.isPaused = isPaused
      self.filenameTemplate = filenameTemplate
      self.rules = rules
    }
  }

  /// What the feed's refreshes have brought, and when the next one is due.
  ///
  /// Use: `feed.refreshes`.
  public struct Refreshes: Hashable, Sendable {
    /// When the last one succeeded.
    public var last: Timestamp?
    /// When the next one is due.
    public var next: Timestamp
    /// How many have failed since then.
    public var failures: Int
    /// Why the last one failed; nil if it did not.
    public var error: DownloadError?
    /// What conditional requests are made with.
    package var validators: FeedValidators
    /// The addresses that it was at before, the latest last, at most `formerAddressLimit`.
    public var formerAddresses: [WebAddress]
    /// How often it is refreshed, as its last body gave it; nil before the first one.
    package var rhythm: FeedRhythm?
    /// The newest episode of the library when the feed was last read without a gap: of later ones some may be missing
    /// between them and these; 0 before the first time. A feed of an older library counts as never read so.
    public var readTo: Int64
    /// Whether its server has said that it is gone for good (410).
    public var hasEnded: Bool
    /// Whether a client has asked for the next one: then it comes although the feed is paused or has ended.
    public var isAsked: Bool
    /// Where the feed was read: that decides where the addresses that it names may lead.
    package var readFrom: AddressClass
    /// Whether the feed itself has named its present address, at a public one.
    public var isLed: Bool

    /// How many former addresses are kept; the oldest go first.
    package static let formerAddressLimit = 16
    /// The count of failures stays there.
    package static let failureLimit = 1_000_000

    package init(
      last: Timestamp? = nil, next: Timestamp, failures: Int = 0, error: DownloadError? = nil,
      validators: FeedValidators = .init(), formerAddresses: [WebAddress] = [], rhythm: FeedRhythm? = nil,
      readTo: Int64 = 0, hasEnded: Bool = false, isAsked: Bool = false, readFrom: AddressClass = .unknown,
      isLed: Bool = false
    ) {
      self.last = last
      self.next = next
      self.failures = failures
      self.error = error
      self.validators = validators
      self.formerAddresses = formerAddresses
      self.rhythm = rhythm
      self.readTo = readTo
      self.hasEnded = hasEnded
      self.isAsked = isAsked
      self.readFrom = readFrom
      self.isLed = isLed
    }
  }

  package init(
    key: Key, id: FeedID, address: WebAddress, wishes: Wishes, podcast: PodcastContent? = nil, refreshes: Refreshes,
    standing: Standing = .init(), episodes: Int64 = 0, added: Timestamp, session: Session.Key? = nil
  ) {
    self.key = key
    self.id = id
    self.address = address
    self.wishes = wishes
    self.podcast = podcast
    self.refreshes = refreshes
    self.standing = standing
    self.episodes = episodes
    self.added = added
    self.session = session
  }

  /// When the engine refreshes it next; nil if it never does by itself.
  public var due: Timestamp? {
    refreshes.isAsked || !(wishes.isPaused || refreshes.hasEnded) ? refreshes.next : nil
  }

  /// Who has named its address: a person, unless it has moved there from a public one by itself.
  package var namer: AddressNamer { refreshes.isLed ? .feed(.public) : .person }

  /// The title that people see: the client's, else the feed's, else its host.
  public var shownTitle: String { wishes.title ?? podcast?.title ?? address.host }
}

/// What a feed says of its podcast, as the library keeps it.
///
/// Use: `feed.podcast`, nil until the feed was read once.
public struct PodcastContent: Hashable, Sendable, Codable {
  /// The limits of what is kept.
  package enum Limits {
    /// The longest title, author and language, in bytes.
    package static let titleBytes = 1024
    /// The longest description, in bytes.
    package static let descriptionBytes = 16 << 10
  }

  public var title: String?
  public var link: String?
  public var image: String?
  public var description: String?
  public var language: String?
  public var author: String?
  /// `podcast:guid`, by which a feed that has moved is known again.
  public var guid: String?

  package init(
    title: String? = nil, link: String? = nil, image: String? = nil, description: String? = nil,
    language: String? = nil, author: String? = nil, guid: String? = nil
  ) {
    self.title = title
    self.link = link
    self.image = image
    self.description = description
    self.language = language
    self.author = author
    self.guid = guid
  }
}

/// How often a feed is refreshed, by what its last body says. A 304 says nothing of it.
package struct FeedRhythm: Hashable, Sendable, Codable {
  /// How many quiet hours or days there are at most.
  package static let quietTimeLimit = 24

  /// The time between two refreshes, before the settings limit it and a draw spreads it.
  package var intervalSeconds: Int64
  /// `skipHours`: hours from 0 to 23, in UTC, without refreshes.
  package var quietHours: [Int64]
  /// `skipDays`: days without refreshes, from 1 for Monday to 7.
  package var quietDays: [Int64]

  package init(intervalSeconds: Int64, quietHours: [Int64] = [], quietDays: [Int64] = []) {
    self.intervalSeconds = intervalSeconds
    self.quietHours = quietHours
    self.quietDays = quietDays
  }
}

/// What the server has said of the feed's last body, and how far that is believed (RFC 9110 section 8.8).
package struct FeedValidators: Hashable, Sendable, Codable {
  /// `ETag`, as sent.
  package var entityTag: String?
  /// `Last-Modified`, as sent.
  package var lastModified: String?
  /// The hash of the body that they belong to. Nil if that is to be read again, at the latest a day after `fullBodyAt`:
  /// the feed could not follow where it leads.
  package var bodyHash: String?
  /// When the server last sent the whole body; since then it has said that nothing changed.
  package var fullBodyAt: Timestamp?
  /// Whether the server has called a changed feed unchanged: then each request asks for the whole.
  package var isDistrusted: Bool
  /// Whether the notes of the episodes were read from the body: where notes are wanted, one without is read again
  /// although it has not changed.
  package var hasNotes: Bool

  /// Every part is empty by default.
  package init(
    entityTag: String? = nil, lastModified: String? = nil, bodyHash: String? = nil, fullBodyAt: Timestamp? = nil,
    isDistrusted: Bool = false, hasNotes: Bool = false
  ) {
    self.entityTag = entityTag
    self.lastModified = lastModified
    self.bodyHash = bodyHash
    self.fullBodyAt = fullBodyAt
    self.isDistrusted = isDistrusted
    self.hasNotes = hasNotes
  }

  /// Whether the body is to be read again although it has not changed.
  package var isToBeReadAgain: Bool { bodyHash == nil && fullBodyAt != nil }
}
