import ArgumentParser
import PodfluxClient
import PodfluxCore
import PodfluxPeople

/// `podflux why`: everything that is known about one thing.
struct WhyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "why",
    abstract: "Says all that is known about a download, an episode or a feed: state, waits, attempts, errors.",
    discussion: """
      podflux why "Clause 7"
      podflux why https://example.org/1.mp3

      It needs no engine. With --json it prints the download, episode or feed as podflux snapshot shows it.
      """)

  @OptionGroup var folder: LibraryOption
  @OptionGroup var engine: SocketOption
  @OptionGroup var console: ConsoleOptions

  @Argument(help: "Its id, its URL, or a unique part of its title.", completion: .titles(of: .all))
  var selector: String

  func run() throws {
    let console = Console(console)
    try console.reporting {
      let source = LibraryFolder(place: try folder.place(of: engine))
      let found = try LibraryFinder(source).find(selector, among: .all)
      try explain(try whole(found, in: source), in: source, on: console)
    }
  }

  /// An episode that has a download is explained by that.
  private func whole(_ found: Selected, in source: LibraryFolder) throws -> Thing {
    switch found {
    case .feed(let feed): return .feed(feed)
    case .download(let item): return .download(item, try LibraryFinder(source).episode(having: item))
    case .episode(let episode):
      if let id = episode.download, case .download(let item) = try LibraryFinder(source).find(id, among: .downloads) {
        return .download(item, episode)
      }
      return .episode(episode, feed: try episode.feed.flatMap { try source.feedTitles()[$0] })
    }
  }

  private enum Thing {
    case download(DownloadItem, EpisodeItem?)
    case episode(EpisodeItem, feed: String?)
    case feed(FeedItem)
  }

  private func explain(_ thing: Thing, in source: LibraryFolder, on console: Console) throws {
    let clock = console.clock
    switch thing {
    case .download(let item, let episode):
      if console.options.json { return console.result(item.json) }
      let hints = try CommandHints(of: source)
      say(
        Explanation(item, episode: episode, library: source.place.library, hints: hints, by: clock), on: console)
    case .episode(let episode, let feed):
      if console.options.json { return console.result(episode.json) }
      say(Explanation(episode, feed: feed, by: clock), on: console)
    case .feed(let feed):
      if console.options.json { return console.result(feed.json) }
      say(Explanation(feed, hints: try CommandHints(of: source), by: clock), on: console)
    }
  }

  private func say(_ explanation: Explanation, on console: Console) {
    for sentence in explanation.sentences { console.result(sentence) }
  }
}
