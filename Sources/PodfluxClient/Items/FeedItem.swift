import Flux
import PodfluxCore
import WireProtocol

/// A feed as the engine shows it. What a query has not asked for is nil or 0.
package struct FeedItem: ListItem, Hashable, Sendable {
  package let id: String
  package let url: String?
  package let title: String?
  package let group: String?
  package let episodes: Int64
  /// How many of its episodes have a completed download.
  package let downloaded: Int64
  package let lastRefreshed: Timestamp?
  package let nextRefresh: Timestamp?
  package let isRefreshing: Bool
  package let isPaused: Bool
  package let hasEnded: Bool
  package let movedFrom: String?
  /// Which paths its requests may use; nil too for a policy that a later engine may have.
  package let network: NetworkPolicy?
  package let rules: FeedRules
  package let error: Failure?
  package let json: JSONObject

  package init(_ json: JSONObject) throws(MalformedLine) {
    let members = ItemMembers<FeedField>(json: json)
    id = try members.required(.id)
    url = try members.string(.url)
    title = try members.string(.title)
    group = try members.string(.group)
    episodes = try members.integer(.episodes) ?? 0
    downloaded = try members.integer(.downloaded) ?? 0
    lastRefreshed = try members.moment(.lastRefreshed)
    nextRefresh = try members.moment(.nextRefresh)
    isRefreshing = try members.boolean(.refreshing) ?? false
    isPaused = try members.boolean(.paused) ?? false
    hasEnded = try members.boolean(.ended) ?? false
    movedFrom = try members.string(.movedFrom)
    network = try members.choice(.network)
    rules = try Self.rules(members.object(.rules))
    error = try members.failure(.error)
    self.json = json
  }

  private static func rules(_ rules: JSONObject?) throws(MalformedLine) -> FeedRules {
    guard let rules else { return .none }
    do throws(Refusal) {
      return try FeedRules(shown: rules)
    } catch {
      throw MalformedLine("rules that no feed has: \(error.message)")
    }
  }
}
