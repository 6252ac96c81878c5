import PodfluxClient
import Terminal

/// The lines about feeds that wait, or whose refresh has failed: one for each feed, or one for many.
extension RefreshFollower.Report {
  /// How many feeds are named that wait, or have failed for the same reason.
  private static let named = 10

  /// The lines of feeds that wait.
  package func waitingLines(by hints: CommandHints) -> [String] {
    let lines = waiting.prefix(Self.named).map { feed in
      PlainReport.line("waiting", "feed \(feed.title ?? feed.id): \(hints.hindrance(to: feed))")
    }
    let others = waiting.count - lines.count
    guard others > 0 else { return lines }
    return lines + [PlainReport.line("waiting", "and " + PodfluxPeople.count(others, "further feed"))]
  }

  /// The lines of feeds whose refresh has failed. Those that have failed for the same reason are counted if they are
  /// many; each that needs a login is named, with the command that gives it one.
  package func failureLines(by hints: CommandHints) -> [String] {
    var numbers: [String: Int] = [:]
    for feed in failed { numbers[Self.reason(of: feed), default: 0] += 1 }
    var counted: Set<String> = []
    return failed.compactMap { feed in
      let reason = Self.reason(of: feed)
      guard let number = numbers[reason], number > Self.named, feed.error?.needsCredentials != true else {
        return PlainReport.line("failed", "feed \(feed.title ?? feed.id): \(hints.failureAndRepair(of: feed))")
      }
      guard counted.insert(reason).inserted else { return nil }
      return PlainReport.line("failed", "\(number) feeds: \(reason); podflux ls feeds names them")
    }
  }

  private static func reason(of feed: FeedItem) -> String { feed.error?.words ?? "" }
}
