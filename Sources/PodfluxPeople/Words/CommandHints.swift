import PodfluxClient
import PodfluxCore
import Terminal
import Texts
import WireProtocol

/// The commands that a person is told to type: they must name the one thing that is meant.
package struct CommandHints {
  private let feeds: [FeedItem]
  private let sessions: [SessionItem]
  private let network: FeedNetwork

  package init(of source: some SnapshotSource) throws {
    feeds = try source.feeds(fields: [.id, .title])
    let snapshot = try source.snapshot(SnapshotQuery(stores: [.sessions, .network, .settings]))
    sessions = try snapshot.sessions()
    network = try FeedNetwork(of: snapshot.json)
  }

  // MARK: Feeds

  /// A feed as a shell's word: its title, unless another feed has the same, or a command would take it for something
  /// else; then its id.
  package func selector(for feed: FeedItem) -> String { selector(title: feed.title ?? "", id: feed.id) }

  /// The same for a feed that is known by its title and its id.
  package func selector(title: String, id: String) -> String {
    ShellCommand.quoted(names(title, onlyFeed: id) ? title : id)
  }

  private func names(_ title: String, onlyFeed id: String) -> Bool {
    let folded = FoldedText.of(title)
    guard Condition.isSearchable(title), title == title.printable, !title.hasPrefix("-"),
      (try? WebAddress(title)) == nil
    else { return false }
    return !feeds.contains { feed in
      feed.id != id && (feed.id == title || FoldedText.of(feed.title ?? "") == folded)
    }
  }

  // MARK: Logins

  /// Why a feed's refresh failed, and the command that puts a login right; empty if it did not fail.
  package func failureAndRepair(of feed: FeedItem) -> String {
    guard let error = feed.error else { return "" }
    return error.words + (error.needsCredentials ? "; \(loginCommand(for: feed))" : "")
  }

  /// The command that gives a feed a login like the one that was refused.
  package func loginCommand(for feed: FeedItem) -> String {
    let session = session(of: feed.error)
    return openCommand(for: session) ?? "podflux rules \(selector(for: feed)) \(Self.options(for: session?.kind))"
  }

  /// The commands that give a download a login like the one that was refused.
  package func loginCommands(for item: DownloadItem) -> String {
    let session = session(of: item.error)
    if let command = openCommand(for: session) { return command }
    let options = Self.options(for: session?.kind)
    return "podflux rules FEED \(options), or with podflux get URL \(options) for a file of no feed"
  }

  private func session(of error: Failure?) -> SessionItem? {
    error?.session.flatMap { id in sessions.first { $0.id == id } }
  }

  /// The commands that open the closed sessions again that are for a URL's host, with the secrets that they have.
  package func openCommands(for url: String?) -> [String] {
    sessions(in: [.closed], for: url).map { "podflux sessions open \(ShellCommand.quoted($0.id))" }
  }

  /// The sessions in some states that are for a URL's host.
  private func sessions(in states: [SessionState.Kind], for url: String?) -> [SessionItem] {
    guard let host = url.flatMap({ try? WebAddress($0) })?.host else { return [] }
    return sessions.filter { session in
      session.hosts.contains(host) && session.state.map(states.contains) ?? false
    }
  }

  /// Why the refresh of a feed that is due does not begin, where that is known.
  package func knownHindrance(to feed: FeedItem) -> String? {
    let commands = openCommands(for: feed.url)
    guard commands.isEmpty else {
      return "it may wait for a login of its server that is closed: \(commands.listed("or"))"
    }
    return network.hindrance(to: feed)
  }

  /// Why the refresh of a feed that is due does not begin, as far as that is known.
  package func hindrance(to feed: FeedItem) -> String {
    if let hindrance = knownHindrance(to: feed) { return hindrance }
    let isLoginOnItsWay = !sessions(in: [.created, .opening], for: feed.url).isEmpty
    return isLoginOnItsWay ? "its login is not open yet" : "the engine has not begun, and does not tell why"
  }

  /// A session that a person has named may be that of many feeds.
  private func openCommand(for session: SessionItem?) -> String? {
    guard let session, !session.id.hasPrefix("s-") else { return nil }
    return "podflux sessions open \(ShellCommand.quoted(session.id)) \(Self.options(for: session.kind))"
  }

  /// The options that say such a login; the password or the token is asked for.
  private static func options(for kind: Session.Kind?) -> String {
    switch kind {
    case .basic?, .some(.none), nil: "--user NAME"
    case .digest?: "--login digest --user NAME"
    case .bearer?: "--login bearer"
    case .refreshing?: "--login refreshing --token-url URL"
    case .parameter?: "--login parameter --parameter NAME"
    }
  }
}
