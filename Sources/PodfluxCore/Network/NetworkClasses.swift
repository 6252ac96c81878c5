/// Which networks what has no policy of its own may use, by who wants it (the article Networks).
public struct NetworkClasses: Hashable, Sendable, Codable {
  /// What a person asked for.
  public var user = NetworkPolicy.unmetered
  /// What a rule asked for.
  public var auto = NetworkPolicy.unmetered
  /// Feeds.
  public var feeds = NetworkPolicy.unmetered
  /// Pictures.
  public var artwork = NetworkPolicy.unmetered
  /// What downloads of some podcasts may use, by the podcasts' names.
  public var podcasts: [String: NetworkPolicy] = [:]

  /// The defaults: nothing may use what is cellular or metered.
  public init() {}

  /// Downloads of an origin.
  public subscript(origin: Origin) -> NetworkPolicy {
    switch origin {
    case .user: user
    case .auto: auto
    }
  }

  /// What its podcast may use; `inherit` where nothing is said of it.
  public func policy(ofPodcast name: String?) -> NetworkPolicy {
    name.flatMap { podcasts[$0] } ?? .inherit
  }

  /// Whether classes have a policy each, and there are not too many podcasts.
  public var isWithinLimits: Bool {
    ![user, auto, feeds, artwork].contains(.inherit) && podcasts.count <= Self.maximumPodcasts
      && !podcasts.values.contains(.inherit)
  }

  /// Of how many podcasts something may be said.
  public static let maximumPodcasts = 1000

  /// A change; what is nil stays as it is.
  public struct Patch: Hashable, Sendable {
    /// See `NetworkClasses.user`.
    public var user: NetworkPolicy?
    /// See `NetworkClasses.auto`.
    public var auto: NetworkPolicy?
    /// See `NetworkClasses.feeds`.
    public var feeds: NetworkPolicy?
    /// See `NetworkClasses.artwork`.
    public var artwork: NetworkPolicy?
    /// What is said of some podcasts from now on; `inherit` says nothing of one any more. Others stay as they are.
    public var podcasts: [String: NetworkPolicy] = [:]

    /// A change of nothing.
    public init() {}

    /// The classes after the change.
    public func applied(to classes: NetworkClasses) -> NetworkClasses {
      var result = classes
      result.user = user ?? classes.user
      result.auto = auto ?? classes.auto
      result.feeds = feeds ?? classes.feeds
      result.artwork = artwork ?? classes.artwork
      result.podcasts.merge(podcasts) { $1 }
      result.podcasts = result.podcasts.filter { $0.value != .inherit }
      return result
    }
  }
}
