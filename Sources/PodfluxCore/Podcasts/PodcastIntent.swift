import Flux

/// What clients want of feeds and episodes (see the article Protocol).
///
/// ```swift
/// _ = try await podflux.dispatch(.podcasts(.subscribe(.init(address: address))))
/// _ = try await podflux.dispatch(.podcasts(.refresh(.all)))
/// ```
public enum PodcastIntent: Hashable, Sendable {
  case subscribe(Subscription)
  case unsubscribe(FeedID, deletingFiles: Bool)
  case update(FeedID, Update)
  case refresh(FeedSelection)
  /// Subscribes to the feeds of an OPML document. The engine reads the document before a turn sees it.
  case importDocument(Document)
  /// Subscribes to each feed of a list that is not subscribed to.
  case `import`(FeedList)
  case download(EpisodeSelection)
  case mark(EpisodeSelection, EpisodeMarking)

  /// A client's wish for a feed. It creates none where a feed with its id or address exists.
  ///
  /// ```swift
  /// let wish = PodcastIntent.Subscription(id: FeedID("nights"), address: address, wishes: .init(title: "Nights"))
  /// let reply = try await podflux.dispatch(.podcasts(.subscribe(wish)))
  /// guard case .subscribed(let id, let created) = reply else { return }
  /// print(id, created ? "is new" : "was there already")
  /// ```
  public struct Subscription: Hashable, Sendable {
    /// The client's id for it; without one the engine makes one.
    public var id: FeedID?
    public var address: WebAddress
    public var wishes: Feed.Wishes
    public var session: SessionChoice?

    public init(
      id: FeedID? = nil, address: WebAddress, wishes: Feed.Wishes = .init(), session: SessionChoice? = nil
    ) {
      self.id = id
      self.address = address
      self.wishes = wishes
      self.session = session
    }
  }

  /// A change of a subscription; nil leaves a value unchanged.
  ///
  /// ```swift
  /// var update = PodcastIntent.Update()
  /// update.isPaused = true
  /// _ = try await podflux.dispatch(.podcasts(.update(feed.id, update)))
  /// ```
  public struct Update: Hashable, Sendable {
    public var address: WebAddress?
    /// An empty text removes the client's title.
    public var title: String?
    /// An empty text removes the feed from its group.
    public var group: String?
    public var headers: [Header]?
    /// An empty text leaves it to the settings.
    public var userAgent: String?
    public var network: NetworkPolicy?
    public var isPaused: Bool?
    /// The standard template leaves it to the settings.
    public var filenameTemplate: NameTemplate?
    /// Other rules, instead of all that there are.
    public var rules: FeedRules?
    public var session: SessionChoice?

    public init() {}
  }

  /// Which feeds an intent concerns.
  ///
  /// ```swift
  /// _ = try await podflux.dispatch(.podcasts(.refresh(.many(feeds.items.map(\.feed.id)))))
  /// ```
  public enum FeedSelection: Hashable, Sendable {
    /// This one; it must exist.
    case one(FeedID)
    /// These; missing ones are skipped.
    case many([FeedID])
    case all
  }

  /// Which episodes an intent concerns.
  ///
  /// ```swift
  /// _ = try await podflux.dispatch(.podcasts(.download(.one(episode.id))))
  /// _ = try await podflux.dispatch(.podcasts(.download(.matching(.favorite(true)))))
  /// ```
  public enum EpisodeSelection: Hashable, Sendable {
    /// This one; it must exist.
    case one(EpisodeID)
    /// These; missing ones are skipped.
    case many([EpisodeID])
    case matching(EpisodeCondition)
  }

  /// What a person notes about episodes; nil leaves a mark as it is.
  ///
  /// ```swift
  /// _ = try await podflux.dispatch(.podcasts(.mark(.one(episode.id), .init(isPlayed: true))))
  /// ```
  public struct EpisodeMarking: Hashable, Sendable {
    public var isPlayed: Bool?
    public var isFavorite: Bool?
    public var isArchived: Bool?

    public init(isPlayed: Bool? = nil, isFavorite: Bool? = nil, isArchived: Bool? = nil) {
      self.isPlayed = isPlayed
      self.isFavorite = isFavorite
      self.isArchived = isArchived
    }
  }

  /// Where the engine finds an OPML document.
  ///
  /// ```swift
  /// let reply = try await podflux.dispatch(.podcasts(.importDocument(.file("/home/me/subscriptions.opml"))))
  /// guard case .imported(let added, let known, _) = reply else { return }
  /// print(added, "new,", known, "known")
  /// ```
  public enum Document: Hashable, Sendable {
    case text(String)
    /// In this file of the machine.
    case file(String)
  }

  /// The feeds of an OPML document, or of a list that a program has made itself.
  ///
  /// ```swift
  /// let list = PodcastIntent.FeedList(feeds: [.init(address: address, title: "Night Trains", group: "Travel")])
  /// _ = try await podflux.dispatch(.podcasts(.import(list)))
  /// ```
  public struct FeedList: Hashable, Sendable {
    public var feeds: [Entry]
    /// The outlines whose addresses no feed can have.
    public var rejected: [Rejection]

    public init(feeds: [Entry] = [], rejected: [Rejection] = []) {
      self.feeds = feeds
      self.rejected = rejected
    }

    /// A feed of the list.
    ///
    /// Use: `PodcastIntent.FeedList.Entry(address: address, group: "Travel")`.
    public struct Entry: Hashable, Sendable {
      public var address: WebAddress
      public var title: String?
      public var group: String?

      public init(address: WebAddress, title: String? = nil, group: String? = nil) {
        self.address = address
        self.title = title
        self.group = group
      }
    }

    /// An outline whose address no feed can have, and why.
    ///
    /// ```swift
    /// guard case .imported(_, _, let rejected) = reply else { return }
    /// for outline in rejected { print(outline.url, outline.code.rawValue) }
    /// ```
    public struct Rejection: Hashable, Sendable {
      /// The beginning of what stands for an address, without secrets.
      public var url: String
      public var code: Refusal.Code

      public init(url: String, code: Refusal.Code) {
        self.url = url
        self.code = code
      }
    }
  }

  /// The limits of what an intent concerns.
  package enum Limits {
    /// How many episodes one intent can download: each is a row in the turn's transaction.
    package static let downloads = 10_000
    /// How many feeds a library can have.
    package static let feeds = 100_000
    /// The longest group, in bytes.
    package static let groupBytes = 1024
    /// The longest user agent, in bytes.
    package static let userAgentBytes = 256
  }
}
