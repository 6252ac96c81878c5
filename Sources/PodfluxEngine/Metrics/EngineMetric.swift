/// The figures that an engine measures while `EngineConfiguration.metrics` has a backend. A raw value is the figure's
/// name there.
///
/// ```swift
/// let names = EngineMetric.allCases.map(\.rawValue)
/// ```
///
/// Their labels have few, fixed values: never a podcast, a host or a URL.
package enum EngineMetric: String, CaseIterable, Sendable {
  /// Labelled with `version`; always 1.
  case buildInfo = "podflux_build_info"
  /// Labelled with `state` and, for those that wait, `reason`, as clients see them.
  case downloads = "podflux_downloads"
  case bytesReceived = "podflux_bytes_received_total"
  /// Labelled with `cause`.
  case bytesDiscarded = "podflux_bytes_discarded_total"
  /// Labelled with `result`: completed, failed or stopped.
  case attempts = "podflux_attempts_total"
  case turns = "podflux_turns_total"
  case turnSeconds = "podflux_turn_seconds"
  case commitSeconds = "podflux_commit_seconds"
  case mailboxRequests = "podflux_mailbox_requests"
  case clients = "podflux_clients"
  /// Labelled with `result`: refreshed, unchanged, failed or stopped.
  case refreshes = "podflux_refreshes_total"
  case feeds = "podflux_feeds"
  case episodes = "podflux_episodes"
  case freeBytes = "podflux_library_free_bytes"

  /// One sentence for those who read the exposition.
  package var help: String {
    switch self {
    case .buildInfo: "The version that runs."
    case .downloads: "Downloads by state and, for those that wait, by reason."
    case .bytesReceived: "Bytes of bodies that came over the network, of use or not; loopback does not count."
    case .bytesDiscarded: "Bytes of downloads that were received and thrown away, by cause."
    case .attempts: "Attempts at downloads that have ended, by result."
    case .turns: "Turns that were committed; each is one transaction."
    case .turnSeconds: "How long turns took, with their commit."
    case .commitSeconds: "How long the commits of turns took."
    case .mailboxRequests: "Requests of clients that wait to be handled."
    case .clients: "Clients that are connected, over stdin or a socket."
    case .refreshes: "Refreshes of feeds that have ended, by result."
    case .feeds: "Feeds that are subscribed to."
    case .episodes: "Episodes that are known."
    case .freeBytes: "Bytes that are free for the library's files."
    }
  }
}
