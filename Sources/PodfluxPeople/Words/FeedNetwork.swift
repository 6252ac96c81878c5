import PodfluxClient
import PodfluxCore
import WireProtocol

/// The network, and which of it feeds may use.
struct FeedNetwork {
  private let isOffline: Bool
  private let isUnmetered: Bool
  private let isBudgetSpent: Bool
  /// The policy of feeds without one of their own; nil if it is not known.
  private let policy: NetworkPolicy?

  /// - Parameter snapshot: Its network and settings; where one is missing, nothing keeps feeds from the network.
  init(of snapshot: JSONObject) throws {
    let (network, settings) = (try snapshot.object("network"), try snapshot.object("settings"))
    let isCellular = try network?.string("interface") == NetworkPath.Interface.cellular.rawValue
    isOffline = try network?.string("status") == NetworkPath.Status.offline.rawValue
    isUnmetered = try !isCellular && network?.boolean("metered") != true
    let budget = try settings?.integer("cellularBudgetBytesPerMonth") ?? 0
    isBudgetSpent = try isCellular && budget > 0 && network?.integer("cellularBytesThisMonth") ?? 0 >= budget
    policy = try settings?.object("network")?.choice("feeds")
  }

  /// Why a feed may not use the network that there is; nil if it may.
  func hindrance(to feed: FeedItem) -> String? {
    if isOffline { return "there is no network" }
    let own = feed.network == .inherit ? nil : feed.network
    guard let policy = own ?? policy else { return nil }
    if policy == .any { return isBudgetSpent ? "the month's cellular budget is spent" : nil }
    guard !isUnmetered else { return nil }
    return own == nil
      ? """
      this network is metered, and the policy of feeds is "\(policy.rawValue)"; podflux settings \
      'network={"feeds":"any"}' lets them use it
      """
      : #"this network is metered, and the feed's own "network" is "\#(policy.rawValue)", which feeds/update changes"#
  }
}
