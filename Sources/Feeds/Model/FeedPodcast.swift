import PodfluxCore

/// What a feed says of its podcast. Each field that could not be read is nil or empty.
package struct FeedPodcast: Hashable, Sendable {
  /// `podcast:locked`.
  package struct Lock: Hashable, Sendable {
    package var isLocked: Bool
    package var owner: String?
  }

  /// `podcast:updateFrequency`.
  package struct UpdateFrequency: Hashable, Sendable {
    /// Such as `Weekly`.
    package var text: String
    /// The recurrence rule (RFC 5545 section 3.3.10), as it is written.
    package var rule: String?
    package var start: PublicationDate?
    /// Whether no further episode will come.
    package var isComplete: Bool
  }

  /// `itunes:type`.
  package enum Order: String, Hashable, Sendable {
    case episodic, serial
  }

  /// Plain text.
  package var title: String?
  package var link: WebAddress?
  /// HTML.
  package var description: String?
  package var language: String?
  package var author: String?
  package var ownerName: String?
  package var ownerEmail: String?
  package var categories: [String] = []
  package var generator: String?
  package var isExplicit: Bool?
  package var order: Order?
  /// When the feed says that it or its podcast was changed.
  package var updated: PublicationDate?
  /// The best-known image first.
  package var images: [FeedImage] = []
  package var persons: [FeedPerson] = []

  /// `podcast:guid`, or Atom's `id`.
  package var guid: String?
  /// `podcast:medium`, in lower case.
  package var medium: String?
  package var lock: Lock?
  /// Whether the publisher keeps it out of directories (`itunes:block`).
  package var isBlocked: Bool?

  /// The address that the feed gives itself.
  package var ownAddress: WebAddress?
  /// `itunes:new-feed-url`: the publisher has moved the feed.
  package var newAddress: WebAddress?
  /// The hubs of WebSub.
  package var hubs: [WebAddress] = []
  package var pages = FeedPages()

  /// Minutes between refreshes (`ttl`).
  package var refreshMinutes: Int64?
  /// Hours of the day in UTC without news, from 0 to 23.
  package var quietHours: [Int64] = []
  /// Days of the week without news, from 1 for Monday to 7.
  package var quietDays: [Int64] = []
  package var updateFrequency: UpdateFrequency?
  /// Seconds between updates, by the syndication module of RSS 1.0.
  package var updateSeconds: Int64?
  /// Whether no further episode will come (`itunes:complete`).
  package var isComplete: Bool?

  package init() {}
}

/// How a feed is divided into documents (RFC 5005).
package struct FeedPages: Hashable, Sendable {
  /// Whether the document has all episodes (section 2).
  package var isComplete = false
  /// Whether the document is an archive that does not change (section 4).
  package var isArchive = false
  /// The document with the newest episodes.
  package var current: WebAddress?
  package var previousArchive: WebAddress?
  package var nextArchive: WebAddress?
  /// The pages of section 3.
  package var first: WebAddress?
  package var previous: WebAddress?
  package var next: WebAddress?
  package var last: WebAddress?

  package init() {}
}
