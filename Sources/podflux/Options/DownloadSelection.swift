import ArgumentParser
import PodfluxClient
import PodfluxCore
import PodfluxPeople
import WireProtocol

/// Which downloads a command concerns.
struct DownloadSelectionOptions: ParsableArguments {
  @Argument(
    help: "A download: its id, its URL, or a unique part of its title.", completion: .titles(of: [.feeds, .downloads]))
  var selectors: [String] = []

  @Option(help: "All of a feed: its id, its URL, or a unique part of its title.", completion: .titles(of: .feeds))
  var feed: String?

  @Option(help: "All in a state; with --feed those that are both. Can be repeated.")
  var state: [DownloadState.Kind] = []

  @Flag(help: "All.")
  var all = false

  func validate() throws {
    let ways = [!selectors.isEmpty, feed != nil || !state.isEmpty, all].count { $0 }
    guard ways > 0 else { throw ValidationError("name a download, or give --feed, --state or --all") }
    guard ways == 1 else { throw ValidationError("name downloads, or give --feed and --state, or give --all") }
  }

  /// The chosen downloads.
  func selection(in source: some SnapshotSource) throws -> DownloadIntent.Selection {
    if all { return .all }
    guard selectors.isEmpty else {
      let ids = try selectors.map { try Self.download($0, in: source) }
      return ids.count == 1 ? .one(ids[0]) : .many(ids)
    }
    let inState = state.isEmpty ? [] : [Condition.states(state)]
    let ofFeed = try feed.map { [Condition.feeds([try LibraryFinder(source).feed($0)])] } ?? []
    return .matching(.all(ofFeed + inState))
  }

  private static func download(_ selector: String, in source: some SnapshotSource) throws -> DownloadID {
    let found = try LibraryFinder(source).find(selector, among: [.downloads, .episodes], preferring: .downloads)
    let id: String? = if case .episode(let episode) = found { episode.download } else { found.id }
    guard let id else {
      throw EngineRefusal(code: "not_found", message: "\"\(found.title)\" is not downloaded; podflux get does that")
    }
    guard let id = DownloadID(id) else { throw MalformedLine("a download without a valid id") }
    return id
  }
}

extension Condition {
  /// The same of downloads in any state.
  var withoutStates: Condition {
    switch self {
    case .states: .everything
    case .all(let parts): .all(parts.map(\.withoutStates))
    default: self
    }
  }
}
