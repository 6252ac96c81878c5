import PodfluxCore
import WireProtocol

/// What an observing client knows of a library: the lists that it observes, and the numbers beside them.
package struct ObservedLibrary: Sendable {
  package private(set) var downloads = ObservedList<DownloadItem>()
  package private(set) var feeds = ObservedList<FeedItem>()
  package private(set) var counts = DownloadCounts()
  package private(set) var cleanup: JSONObject?
  /// The stores of which something has been told.
  package private(set) var told: Set<StoreName> = []

  package init() {}

  /// Takes in the payload of a `state` line.
  ///
  /// - Returns: The downloads that have left the list.
  @discardableResult
  package mutating func apply(_ payload: JSONObject) throws(MalformedLine) -> [DownloadItem] {
    guard let store: StoreName = try payload.choice("store") else { return [] }
    var gone: [DownloadItem] = []
    switch store {
    case .downloads:
      gone = try downloads.apply(payload)
      counts = try DownloadCounts(payload)
    case .feeds: try feeds.apply(payload)
    case .cleanup: cleanup = payload
    default: break
    }
    told.insert(store)
    return gone
  }
}
