import PodfluxCore

/// What a feed says of its podcast. Each field that could not be read is nil or empty.
public struct FeedPodcast: Hashable, Sendable {
  /// `podcast:locked`.
  public struct Lock: Hashable, Sendable {
    public var isLocked: Bool
    public var owner: String?
  }

  /// `podcast:updateFrequency`.
  public struct UpdateFrequency: Hashable, Sendable {
    /// Such as `Weekly`.
    public var text: String
    /// The recurrence rule (RFC 5545 section 3.3.10), as it is written.
    public var rule: String?
    public var start: PublicationDate?
    /// Whether no further episode will come.
    public var isComplete: Bool
  }

  /// `itunes:type`.
  public enum Order: String, Hashable, Sendable {
    case episodic, serial
  }

  /// Plain text.
  public var title: String?
  public var link: WebAddress?
  /// HTML.
  public var description: String?
  public var language: String?
  public var author: String?
  public var ownerName: String?
  public var ownerEmail: String?
  public var categories: [String] = []
  public var generator: String?
  public var isExplicit: Bool?
  public var order: Order?
  /// When the feed says that it or its podcast was changed.
  public var updated: PublicationDate?
  /// The best-known image first.
  public var images: [FeedImage] = []
  public var persons: [FeedPerson] = []

  /// `podcast:guid`, or Atom's `id`.
  public var guid: String?
  /// `podcast:medium`, in lower case.
  public var medium: String?
  public var lock: Lock?
  /// Whether the publisher keeps it out of directories (`itunes:block`).
  public var isBlocked: Bool?

  /// The address that the feed gives itself.
  public var ownAddress: WebAddress?
  /// `itunes:new-feed-url`: the publisher has moved the feed.
  public var newAddress: WebAddress?
  /// The hubs of WebSub.
  public var hubs: [WebAddress] = []
  public var pages = FeedPages()

  /// Minutes between refreshes (`ttl`).
  public var refreshMinutes: Int64?
  /// Hours of the day in UTC without news, from 0 to 23.
  public var quietHours: [Int64] = []
  /// Days of the week without news, from 1 for Monday to 7.
  public var quietDays: [Int64] = []
  public var updateFrequency: UpdateFrequency?
  /// Seconds between updates, by the syndication module of RSS 1.0.
  public var updateSeconds: Int64?
  /// Whether no further episode will come (`itunes:complete`).
  public var isComplete: Bool?

  public init() {}
}

/// How a feed is divided into documents (RFC 5005).
public struct FeedPages: Hashable, Sendable {
  /// Whether the document has all episodes (section 2).
  public var isComplete = false
  /// Whether the document is an archive that does not change (section 4).
  public var isArchive = false
  /// The document with the newest episodes.
  public var current: WebAddress?
  public var previousArchive: WebAddress?
  public var nextArchive: WebAddress?
  /// The pages of section 3.
  public var first: WebAddress?
  public var previous: WebAddress?
  public var next: WebAddress?
  public var last: WebAddress?

  public init() {}
}
