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
    id = try json.required("id", JSONObject.string)
    url = try json.string("url")
    title = try json.string("title")
    group = try json.string("group")
    episodes = try json.integer("episodes") ?? 0
    downloaded = try json.integer("downloaded") ?? 0
    lastRefreshed = try json.moment("lastRefreshed")
    nextRefresh = try json.moment("nextRefresh")
    isRefreshing = try json.boolean("refreshing") ?? false
    isPaused = try json.boolean("paused") ?? false
    hasEnded = try json.boolean("ended") ?? false
    movedFrom = try json.string("movedFrom")
    network = try json.choice("network")
    rules = try Self.rules(of: json)
    error = try Failure(member: "error", of: json)
    self.json = json
  }

  private static func rules(of json: JSONObject) throws(MalformedLine) -> FeedRules {
    guard let rules = try json.object("rules") else { return .none }
    do throws(Refusal) {
      return try FeedRules(shown: rules)
    } catch {
      throw MalformedLine("rules that no feed has: \(error.message)")
    }
  }
}
