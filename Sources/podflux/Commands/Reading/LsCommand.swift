import ArgumentParser
import Flux
import PodfluxClient
import PodfluxCore
import PodfluxPeople
import Terminal

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

  @Option(
    help: """
      Only those in a state; can be repeated. An episode's is that of its download's row, which is queued also while the \
      network, the schedule, room, a server or a login keeps it from running.
      """)
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
    if console.options.json {
      for feed in feeds where console.hasWrittenAll { console.result(feed.json) }
      return
    }
    console.result(LibraryTables(console.clock).table(of: feeds))
  }

  private func listEpisodes(of source: LibraryFolder, on console: Console) throws {
    var parts: [EpisodeCondition] = []
    if let selector { parts.append(.feeds([try LibraryFinder(source).feed(selector)])) }
    if !state.isEmpty { parts.append(.states(state)) }
    if let since { parts.append(.published(after: since.lastBefore, before: nil)) }
    let order = sort.flatMap(EpisodeOrder.init(text:)) ?? .init(.published, isReversed: true)
    let titles = console.options.json ? [:] : try source.feedTitles()
    let tables = LibraryTables(console.clock)
    func row(of episode: EpisodeItem) -> [StyledText] { tables.row(of: episode, titles: titles) }
    try list(on: console, in: tables.episodes, row: row) { body in
      try source.forEachEpisode(.all(parts), order: order, body)
    }
  }

  private func listDownloads(of source: LibraryFolder, on console: Console) throws {
    var parts: [Condition] = []
    if let selector { parts.append(.feeds([try LibraryFinder(source).feed(selector)])) }
    if !state.isEmpty { parts.append(.states(state)) }
    if let since { parts.append(.published(after: since.lastBefore, before: nil)) }
    let order = sort.flatMap(DownloadOrder.init(text:)) ?? .init()
    let tables = LibraryTables(console.clock)
    try list(on: console, in: tables.downloads, row: { (item: DownloadItem) in tables.row(of: item) }) { body in
      try source.forEachDownload(.all(parts), order: order, body)
    }
  }

  /// Prints the items as lines of JSON, or as a table: it must know all its rows before it knows its widths.
  ///
  /// - Parameters:
  ///   - table: The table without rows.
  ///   - row: Makes an item's row.
  ///   - forEach: Calls a body with the items, until it returns false.
  private func list<Item: ListItem>(
    on console: Console, in table: TextTable, row: @escaping (Item) -> [StyledText],
    _ forEach: ((Item) throws -> Bool) throws -> Void
  ) throws {
    let isJSON = console.options.json
    let limit = limit ?? (isJSON ? .max : Self.tableLimit)
    var (count, hasMore, table) = (0, false, table)
    try forEach { item in
      guard count < limit else {
        hasMore = true
        return false
      }
      count += 1
      guard !isJSON else {
        console.result(item.json)
        // A reader who has had enough needs no more, and a full disk takes no more.
        return console.hasWrittenAll
      }
      table.add(row(item))
      return true
    }
    guard !isJSON else { return }
    console.result(table)
    if hasMore, self.limit == nil { console.note("… and more; --limit shows more of them") }
  }
}
