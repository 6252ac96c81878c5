import ArgumentParser
import Flux
import PodfluxClient
import PodfluxCore
import PodfluxPeople

/// `podflux ls`: lists.
struct LsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ls",
    abstract: "Lists feeds, episodes or downloads, without an engine or beside a running one.",
    discussion: """
      podflux ls feeds
      podflux ls episodes "Night Trains" --since 2026-01-01
      podflux ls downloads --state failed

      A table on a terminal is no wider than it; with --json each item is a line, as podflux snapshot shows it.
      """)

  /// How many rows a table has unless the command says it.
  private static let tableLimit = 1000

  @OptionGroup var folder: LibraryPathOption
  @OptionGroup var engine: SocketOption
  @OptionGroup var console: ConsoleOptions

  enum Kind: String, ExpressibleByArgument, CaseIterable {
    case feeds, episodes, downloads
  }

  @Argument(help: "What to list.")
  var kind = Kind.downloads

  @Argument(
    help: "Only those of this feed: its id, its URL, or a unique part of its title; of feeds, a part of their titles.",
    completion: .titles(of: .feeds))
  var selector: String?

  @Option(help: "Only those in a state; can be repeated.")
  var state: [DownloadState.Kind] = []

  @Option(help: "Only those that were published since a day, such as 2026-03-27.")
  var since: SinceDay?

  @Option(
    parsing: .unconditional,
    help: """
      What to sort by, with - in front for the reverse: feeds by title, added; episodes by published, added, title, size, \
      seconds; downloads by added, published, title, size, state, position.
      """)
  var sort: String?

  @Option(help: "How many at most; a table has \(LsCommand.tableLimit) unless this says it.")
  var limit: Int?

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit takes a number from 1") }
    if kind == .feeds, !state.isEmpty || since != nil {
      throw ValidationError("--state and --since are for episodes and downloads")
    }
    if let sort, !isKnown(sort) {
      throw ValidationError("--sort does not know \"\(sort)\"; it knows for \(kind.rawValue) \(sortKeys.listed)")
    }
  }

  private func isKnown(_ sort: String) -> Bool {
    switch kind {
    case .feeds: FeedOrder(text: sort) != nil
    case .episodes: EpisodeOrder(text: sort) != nil
    case .downloads: DownloadOrder(text: sort) != nil
    }
  }

  private var sortKeys: [String] {
    switch kind {
    case .feeds: FeedOrderKey.allCases.map(\.rawValue)
    case .episodes: EpisodeOrderKey.allCases.map(\.rawValue)
    case .downloads: DownloadOrderKey.allCases.map(\.rawValue)
    }
  }

  func run() throws {
    let console = Console(console)
    try console.reporting {
      let source = LibraryFolder(place: try folder.place(of: engine))
      switch kind {
      case .feeds: try listFeeds(of: source, on: console)
      case .episodes: try listEpisodes(of: source, on: console)
      case .downloads: try listDownloads(of: source, on: console)
      }
    }
  }

  private func listFeeds(of source: LibraryFolder, on console: Console) throws {
    let matching = try source.feeds(sortedBy: sort.flatMap(FeedOrder.init(text:)) ?? .init(.title))
      .filter { feed in selector.map { feed.matches($0) } ?? true }
    if let selector, matching.isEmpty { throw SelectionFailure.nothing(selector: selector, kinds: .feeds) }
    let feeds = Array(matching.prefix(limit ?? .max))
    if console.options.json { return feeds.forEach { console.result($0.json) } }
    console.result(LibraryTables(console.clock).table(of: feeds))
  }

  private func listEpisodes(of source: LibraryFolder, on console: Console) throws {
    var parts: [EpisodeCondition] = []
    if let selector { parts.append(.feeds([try LibraryFinder(source).feed(selector)])) }
    if !state.isEmpty { parts.append(.states(state)) }
    if let since { parts.append(.published(after: since.lastBefore, before: nil)) }
    let order = sort.flatMap(EpisodeOrder.init(text:)) ?? .init(.published, isReversed: true)
    let rows = try gather(on: console) { body in
      try source.forEachEpisode(.all(parts), order: order, body)
    }
    guard !console.options.json else { return }
    console.result(LibraryTables(console.clock).table(of: rows, titles: try source.feedTitles()))
  }

  private func listDownloads(of source: LibraryFolder, on console: Console) throws {
    var parts: [Condition] = []
    if let selector { parts.append(.feeds([try LibraryFinder(source).feed(selector)])) }
    if !state.isEmpty { parts.append(.states(state)) }
    if let since { parts.append(.published(after: since.lastBefore, before: nil)) }
    let order = sort.flatMap(DownloadOrder.init(text:)) ?? .init()
    let rows = try gather(on: console) { body in
      try source.forEachDownload(.all(parts), order: order, body)
    }
    guard !console.options.json else { return }
    console.result(LibraryTables(console.clock).table(of: rows))
  }

  /// Prints the items as JSON, or returns them for a table: it must know them all before it knows its widths.
  private func gather<Item: ListItem>(
    on console: Console, _ forEach: ((Item) throws -> Bool) throws -> Void
  ) throws -> [Item] {
    let limit = limit ?? (console.options.json ? .max : Self.tableLimit)
    var (count, rows) = (0, [Item]())
    try forEach { item in
      guard count < limit else {
        if self.limit == nil { console.note("… and more; --limit shows more of them") }
        return false
      }
      count += 1
      if console.options.json { console.result(item.json) } else { rows.append(item) }
      return true
    }
    return rows
  }
}
