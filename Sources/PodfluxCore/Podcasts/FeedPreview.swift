import Flux

/// What a feed has, for a client that thinks of subscribing to it. Nothing of it is kept.
///
/// ```swift
/// let preview = try await podflux.preview(of: .init(address: address))
/// print(preview.title ?? "untitled", preview.episodes, "episodes,", preview.wouldDownload, "to download")
/// ```
public struct FeedPreview: Hashable, Sendable {
  /// Which feed a preview is of, and how the engine asks for it.
  ///
  /// ```swift
  /// let wish = FeedPreview.Wish(address: address, rules: .init(autoDownload: .init(newest: 3)))
  /// print(try await podflux.preview(of: wish).wouldDownload)
  /// ```
  public struct Wish: Hashable, Sendable {
    public var address: WebAddress
    /// Headers for the feed's own origin. They may contain secrets: never show or log them.
    public var headers: [Header]
    /// The `User-Agent` instead of the settings'.
    public var userAgent: String?
    /// By which rules episodes would be downloaded.
    public var rules: FeedRules

    public init(
      address: WebAddress, headers: [Header] = [], userAgent: String? = nil, rules: FeedRules = .none
    ) {
      self.address = address
      self.headers = headers
      self.userAgent = userAgent
      self.rules = rules
    }
  }

  /// The limits of previews.
  package enum Limits {
    /// How many are under way at once.
    package static let atOnce = 4
    /// How long one may take, in milliseconds.
    package static let milliseconds = 60_000
  }

  /// What the feed calls itself.
  public var title: String?
  /// Where a subscription would be: where the server's permanent redirects lead, or the feed that a page names.
  public var address: WebAddress
  public var episodes: Int
  /// When the newest episode was published; nil if none has a date.
  public var newest: Timestamp?
  /// The length of all episodes' files, as the feed claims them.
  public var bytes: Int64
  /// How many episodes would be downloaded by rules.
  public var wouldDownload: Int

  /// A feed of which nothing has come.
  package init(address: WebAddress) {
    self.address = address
    (episodes, bytes, wouldDownload) = (0, 0, 0)
  }

  /// Takes in episodes of the feed.
  package mutating func add(_ contents: [EpisodeContent]) {
    episodes += contents.count
    for content in contents {
      bytes = bytes.addingClamped(content.enclosure?.length ?? 0)
      if let published = content.published?.moment { newest = max(newest ?? published, published) }
    }
  }
}

extension Stores {
  /// The refresh by which a preview reads its feed. It concerns no row.
  ///
  /// - Throws: `Refusal` if the network is not there, or feeds may not use it.
  package func refresh(previewing wish: FeedPreview.Wish, at now: Timestamp) throws(Refusal) -> FeedRefresh {
    let context = RequestContext(self)
    let host = wish.address.host
    switch context.obstacle(for: .inherit, on: host) {
    case nil: break
    case .network?: throw Refusal(.conflict, "the machine is offline; preview the feed when it is online")
    case _?:
      throw Refusal(
        .conflict,
        "the network is metered or its budget is spent, and feeds may not use it; allow it with settings/update {\"network\":{\"feeds\":\"any\"}}"
      )
    }
    var settings = settings.settings
    // A preview tells of no notes.
    settings.sidecars = SidecarKinds()
    let feed = Feed(
      key: 0, id: .preview, address: wish.address,
      wishes: .init(headers: wish.headers, userAgent: wish.userAgent, rules: wish.rules),
      refreshes: .init(next: now), added: now)
    return FeedRefresh(
      id: .init(feed: feed.id, generation: 0), feed: feed, settings: settings,
      route: context.route(for: context.policy(of: .inherit), on: host), draw: 0)
  }
}

extension FeedID {
  /// The id under which a preview is read.
  fileprivate static let preview: FeedID = {
    guard let id = FeedID("preview") else { preconditionFailure("the name is valid") }
    return id
  }()
}
