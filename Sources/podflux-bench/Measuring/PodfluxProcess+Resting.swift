import Foundation
import TestSupport

extension PodfluxProcess {
  /// Whether no feed is being refreshed or due.
  func isAtRest() throws -> Bool {
    let query: [String: Any] = [
      "stores": ["feeds"],
      "feeds": ["limit": 1000, "fields": ["error", "lastRefreshed", "nextRefresh", "refreshing"]],
    ]
    var cursor: String?
    // Moments of one form are in the order of their texts.
    let now = Date.now.ISO8601Format(.init(includingFractionalSeconds: true))
    repeat {
      var page = query
      if let cursor {
        page["feeds"] = (query["feeds"] as? [String: Any])?.merging(["after": cursor]) { $1 }
      }
      let feeds = try order("snapshot", page)["feeds"] as? [String: Any]
      let items = feeds?["items"] as? [[String: Any]] ?? []
      if let error = items.compactMap({ $0["error"] as? [String: Any] }).first {
        throw MeasurementFailure("a feed cannot be refreshed: \(error)")
      }
      let isIdle = items.allSatisfy { item in
        guard item["refreshing"] as? Bool == false, item["lastRefreshed"] is String,
          let next = item["nextRefresh"] as? String
        else { return false }
        return next > now
      }
      guard isIdle else { return false }
      cursor = feeds?["next"] as? String
    } while cursor != nil
    return true
  }

  /// The ids of all feeds but the long one.
  func feedIdentifiers() throws -> [String] {
    var identifiers: [String] = []
    var page: [String: Any] = ["limit": 1000, "fields": ["id"]]
    while true {
      let feeds = try order("snapshot", ["stores": ["feeds"], "feeds": page])["feeds"] as? [String: Any]
      identifiers += (feeds?["items"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
      guard let cursor = feeds?["next"] as? String else { return identifiers.filter { $0 != "long" } }
      page["after"] = cursor
    }
  }

  /// Waits until the process has used less than a millisecond of CPU in half a second. Returns how long it has worked
  /// until then, in seconds.
  func waitUntilIdle(_ stopwatch: Stopwatch) throws -> Double {
    var (last, end) = (try ProcessReading(self).cpuSeconds, stopwatch.seconds)
    while stopwatch.seconds < end + 0.5 {
      usleep(10_000)
      let now = try ProcessReading(self).cpuSeconds
      if now > last + 0.001 { (last, end) = (now, stopwatch.seconds) }
    }
    return end
  }

  /// Waits until every feed has been refreshed.
  func waitUntilRefreshed(upTo seconds: Double = 900) throws {
    let stopwatch = Stopwatch()
    while try !isAtRest() {
      guard stopwatch.seconds < seconds else {
        throw MeasurementFailure("the feeds are not refreshed within \(seconds) s")
      }
      usleep(200_000)
    }
  }
}
