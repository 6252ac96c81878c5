import ArgumentParser
import Flux
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

      It needs no engine, and asks one that runs about what may wait. With --json it prints the download, episode or \
      feed as podflux snapshot shows it.
      """)

  @OptionGroup var folder: LibraryOption
  @OptionGroup var engine: SocketOption
  @OptionGroup var console: ConsoleOptions

  @Argument(help: "Its id, its URL, or a unique part of its title.", completion: .titles(of: .all))
  var selector: String

  func run() throws {
    let console = Console(console)
    try console.reporting {
      let library = LibraryFolder(place: try folder.place(of: engine))
      let thing = try whole(LibraryFinder(library).find(selector, among: .all), in: library)
      guard isMoving(thing, at: console.clock.now) else {
        return try explain(thing, by: library, of: library.place, on: console)
      }
      let source = EngineOrLibrary(folder: library, socket: try engine.path(in: .ofProcess()))
      try source.read { source, state in
        if case .silent(let engine) = state { console.note(engine.description) }
        try explain(renewed(thing, by: source), by: source, of: library.place, on: console)
      }
    }
  }

  /// Whether an engine may know more than the library: what keeps something from the network, and what it is at.
  private func isMoving(_ thing: Thing, at now: Timestamp) -> Bool {
    switch thing {
    case .download(let item, _): [.queued, .waiting, .running].contains(item.state)
    case .feed(let feed): feed.nextRefresh.map { $0 <= now } ?? false
    case .episode: false
    }
  }

  /// The thing as a source has it now, if it still does.
  private func renewed(_ thing: Thing, by source: some SnapshotSource) throws -> Thing {
    switch thing {
    case .download(let item, let episode):
      let now = try DownloadID(item.id).flatMap { try source.downloads([$0]).first }
      return .download(now ?? item, episode)
    case .feed(let feed): return .feed(try FeedID(feed.id).flatMap { try source.feeds([$0]).first } ?? feed)
    case .episode: return thing
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

  private func explain(
    _ thing: Thing, by source: some SnapshotSource, of place: LibraryPlace, on console: Console
  ) throws {
    let clock = console.clock
    switch thing {
    case .download(let item, let episode):
      if console.options.json { return console.result(item.json) }
      let hints = try CommandHints(of: source)
      say(
        Explanation(item, episode: episode, library: place.library, hints: hints, by: clock), on: console)
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
