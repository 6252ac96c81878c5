import ArgumentParser
import Flux
import Foundation
import PodfluxClient
import PodfluxCore
import PodfluxEngine
import PodfluxPeople
import Terminal
import WireProtocol

/// `podflux sync`: refreshes what is due, downloads what can be, and waits for it.
struct SyncCommand: EngineCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Refreshes feeds that are due, or the named ones, and waits for all downloads: the line for cron.",
    discussion: """
      podflux sync
      podflux sync "Night Trains" --refresh-only
      30 * * * *  podflux sync --quiet

      It ends with 0 if everything is here, with 1 if something has failed, which it names on stderr.
      """)

  @OptionGroup var folder: LibraryOption
  @OptionGroup var engine: SocketOption
  @OptionGroup var console: ConsoleOptions

  @Argument(help: "Only these feeds, whether they are due or not.", completion: .titles)
  var feeds: [String] = []

  @Flag(help: "Wait for the refreshes, and not for downloads.")
  var refreshOnly = false

  @Flag(help: "Do not wait; ends with 75 if something is left to do.")
  var noWait = false

  func run() throws {
    let startedAt = PersonalClock.ofProcess().now
    let dueBefore = try dueFeeds(at: startedAt)
    try withEngine { access, console in
      let due = feeds.isEmpty ? dueBefore : try refreshNamed(with: access)
      var refreshes = RefreshFollower(due, startedAt: startedAt)
      if noWait {
        let counts = try access.connection.snapshot(SnapshotQuery(stores: [.downloads])).counts()
        guard due.isEmpty, counts.moving == 0 else { throw ExitCode.later }
        return
      }
      try access.follow(&refreshes, ids: feeds.isEmpty ? nil : due.compactMap { FeedID($0.id) })
      tell(refreshes.report, since: startedAt, on: console)
      var downloads = DownloadFollower()
      if !refreshOnly {
        try access.follow(&downloads, on: console) { tell($0, on: console) }
      }
      if console.options.json { console.result(Self.json(refreshes.report, downloads)) }
      try end(refreshes.report, downloads, on: console)
    }
  }

  /// The feeds that are due, before an own engine begins with them by itself. A library that is not there yet has none, and
  /// of one that cannot be read the engine says why.
  private func dueFeeds(at now: Timestamp) throws -> [FeedItem] {
    do {
      return try LibraryFolder(place: try folder.place()).feeds().filter { feed in
        feed.isRefreshing || feed.nextRefresh.map { $0 <= now } ?? false
      }
    } catch is EngineError {
      return []
    }
  }

  private func refreshNamed(with access: EngineAccess) throws -> [FeedItem] {
    let finder = LibraryFinder(access.connection)
    let found = try feeds.compactMap { selector -> FeedItem? in
      if case .feed(let feed) = try finder.find(selector, among: .feeds) { feed } else { nil }
    }
    try access.order(.podcasts(.refresh(.many(found.compactMap { FeedID($0.id) }))))
    return found
  }

  // MARK: What people are told

  private func tell(_ report: RefreshFollower.Report, since startedAt: Timestamp, on console: Console) {
    let milliseconds = console.clock.now.milliseconds - startedAt.milliseconds
    if console.mode.progress != .none { console.errors.write(line: report.sentence(milliseconds: milliseconds)) }
    for feed in report.failed {
      console.errors.write(
        line: PlainReport.line("failed", "feed \(feed.title ?? feed.id): \(feed.error?.words ?? "")"))
    }
  }

  private func tell(_ settled: DownloadFollower.Settled, on console: Console) {
    guard case .failed(let failure) = settled.outcome, console.mode.progress == .none else { return }
    console.errors.write(line: PlainReport.line("failed", "\(settled.name): \(failure.words)"))
  }

  private static func json(_ report: RefreshFollower.Report, _ downloads: DownloadFollower) -> JSONObject {
    func object(_ numbers: KeyValuePairs<String, Int>) -> JSONValue {
      .object(JSONObject(numbers.map { .init(key: $0, value: .integer(Int64($1))) }))
    }
    return JSONObject([
      .init(
        key: "downloads", value: object(["done": downloads.done, "failed": downloads.failures.count])),
      .init(
        key: "feeds",
        value: object([
          "changed": report.changed, "failed": report.failed.count, "newEpisodes": Int(report.newEpisodes),
          "unchanged": report.unchanged, "waiting": report.waiting,
        ])),
    ])
  }

  private func end(_ report: RefreshFollower.Report, _ downloads: DownloadFollower, on console: Console) throws {
    try GetCommand.end(
      with: downloads.failures + report.failed.compactMap(\.error), left: 0, on: console)
    if report.waiting > 0 { throw ExitCode.later }
  }
}
