/// The network policies of downloads without their own policy, by class (see the article Protocol).
///
/// Use: `settings.network`. A patch changes it by `NetworkClasses.Patch`.
public struct NetworkClasses: Hashable, Sendable, Codable {
  /// Downloads that a person requested.
  public var user = NetworkPolicy.unmetered
  /// Downloads that a rule requested.
  public var auto = NetworkPolicy.unmetered
  public var feeds = NetworkPolicy.unmetered
  /// Pictures.
  public var artwork = NetworkPolicy.unmetered
  /// The policies of podcasts, by their names.
  public var podcasts: [String: NetworkPolicy] = [:]

  /// The defaults: no class may use cellular or metered paths.
  public init() {}

  /// The policy of an origin's downloads.
  public subscript(origin: Origin) -> NetworkPolicy {
    switch origin {
    case .user: user
    case .auto: auto
    }
  }

  /// The policy of a podcast; `inherit` if it has none.
  public func policy(ofPodcast name: String?) -> NetworkPolicy {
    name.flatMap { podcasts[$0] } ?? .inherit
  }

  /// Whether every class has a policy, and the number of podcasts is within the limit.
  public var isWithinLimits: Bool {
    ![user, auto, feeds, artwork].contains(.inherit) && podcasts.count <= Self.maximumPodcasts
      && !podcasts.values.contains(.inherit)
  }

  /// How many podcasts may have a policy.
  public static let maximumPodcasts = 1000

  /// A change of the policies; nil leaves one unchanged.
  ///
  /// ```swift
  /// var patch = SettingsPatch()
  /// patch.network = NetworkClasses.Patch()
  /// patch.network?.podcasts["Night Trains"] = .any
  /// _ = try await podflux.dispatch(.updateSettings(patch))
  /// ```
  public struct Patch: Hashable, Sendable {
    /// See `NetworkClasses.user`.
    public var user: NetworkPolicy?
    /// See `NetworkClasses.auto`.
    public var auto: NetworkPolicy?
    /// See `NetworkClasses.feeds`.
    public var feeds: NetworkPolicy?
    /// See `NetworkClasses.artwork`.
    public var artwork: NetworkPolicy?
    /// The policies of some podcasts; `inherit` removes one. Others stay unchanged.
    public var podcasts: [String: NetworkPolicy] = [:]

    public init() {}

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
