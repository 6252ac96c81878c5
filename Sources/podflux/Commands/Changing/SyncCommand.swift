import ArgumentParser
import Flux
import Foundation
import PodfluxClient
import PodfluxCore
import PodfluxEngine
import PodfluxPeople
import Terminal
import WireProtocol

/// `podflux sync`: refreshes feeds, downloads what can be, and waits for it.
struct SyncCommand: EngineCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Refreshes all feeds, or the named ones, and waits for all downloads: the line for cron.",
    discussion: """
      podflux sync
      podflux sync "Night Trains" --refresh-only
      */10 * * * *  podflux sync --due --quiet

      Feeds that are paused or have ended are left out. It ends with 1 if something has failed meanwhile, which it names on
      stderr, and with 75 if what is left waits for room, for the network, for the schedule, for the month's budget, for a \
      login, or for an attempt more than five minutes away.
      """)

  var awaits: AwaitedRequests { refreshOnly ? .refreshes : .all }
  var deletesOwed: Bool { !refreshOnly }

  @OptionGroup var folder: LibraryOption
  @OptionGroup var engine: SocketOption
  @OptionGroup var console: ConsoleOptions

  @Argument(help: "Only these feeds.", completion: .titles(of: .feeds))
  var feeds: [String] = []

  @Flag(help: "Refresh only what is due by the feeds' own rhythm.")
  var due = false

  @Flag(help: "Wait for the refreshes, and not for downloads.")
  var refreshOnly = false

  @Flag(help: "Do not wait; ends with 75 if something is left to do.")
  var noWait = false

  func validate() throws {
    if due, !feeds.isEmpty { throw ValidationError("--due is for all feeds; name none") }
  }

  func run() throws {
    // The duration is not that of a clock that is set meanwhile.
    let (startedAt, start) = (PersonalClock.ofProcess().now, ContinuousClock.now)
    // Before an own engine begins with due feeds by itself, and with downloads of which some fail at once.
    let offline = try Before.read(in: folder, at: startedAt, self)
    // What has been told stays told if another command's engine ends meanwhile, and the work begins again.
    var downloads = DownloadFollower()
    var known: Before?
    try withEngine { access, console in
      let before = try known ?? (access.isOwn ? offline : Before(access.connection, at: startedAt, self))
      known = before
      access.fetchesSidecars = !refreshOnly && !noWait
      // Before the order: a download that had failed may get a fresh address, and fail again at once.
      if !refreshOnly, !noWait { try access.observeDownloads() }
      // Behind that: what rules delete after the comparison is told.
      try access.awaitStartCleanup()
      let chosen = try refresh(before, with: access)
      // A feed whose refresh has failed is due after the moment of the order; one that has yet to be refreshed is due
      // at that moment.
      var refreshes = RefreshFollower(chosen, orderedAt: due ? startedAt : console.clock.now)
      if noWait {
        let moving = try counts(access).moving
        if console.options.json {
          let left = [("downloads", Int(clamping: moving)), ("feeds", chosen.count)]
          console.result(JSONObject(left.map { .init(key: $0.0, value: Self.numbers(["left": $0.1])) }))
        }
        guard !chosen.isEmpty || moving > 0 else { return }
        console.note(
          "left for \(access.isOwn ? "the next podflux sync" : "the engine"): \(count(chosen.count, "feed")) to refresh, "
            + count(Int(moving), "download"))
        throw ExitCode.later
      }
      let ids = feeds.isEmpty ? nil : chosen.compactMap { FeedID($0.id) }
      downloads.beginAnew()
      var view = ProgressView(console)
      var waits: [(name: String, words: String)] = []
      if refreshOnly {
        try access.follow(&refreshes, ids: ids)
      } else {
        try access.follow(&refreshes, ids: ids, beside: &downloads, on: &view) {
          tell($0, on: console, waits: &waits)
        }
      }
      try tell(refreshes.report, in: ContinuousClock.now - start, access, on: console)
      if !refreshOnly {
        try access.follow(&downloads, on: &view) { tell($0, on: console, waits: &waits) }
        let unseen = try downloads.lookForEnds(
          at: access.connection, besides: before.failed, of: before.moving, behind: before.end)
        for settled in unseen {
          if console.mode.progress != .none, let line = settled.row.flatMap(PlainReport.line(for:)) {
            console.errors.write(line: line)
          }
          tell(settled, on: console, waits: &waits)
        }
        let unlisted = console.mode.progress == .none ? downloads.unlistedStuck : 0
        for line in WaitReport.lines(for: waits, unlisted: unlisted) { console.errors.write(line: line) }
      }
      tellRemovals(downloads, on: console)
      if console.options.json { console.result(Self.json(refreshes.report, downloads)) }
      // Some have got a fresh address.
      let hadFailed = refreshOnly ? [] : before.failed
      let failed =
        hadFailed.isEmpty ? 0 : try Before.downloads([.failed], of: access.connection).intersection(hadFailed).count
      if failed > 0 {
        console.note(
          "\(count(failed, "download")) had failed before: podflux ls --state failed lists what has failed, "
            + "and podflux retry --state failed tries it again")
      }
      if before.ended > 0 {
        console.note(
          "\(count(before.ended, "feed")) left out, gone for good by the server's word (410): podflux ls feeds shows what has "
            + "ended, podflux add with the URL asks again, and podflux rm removes the feed")
      }
      try end(refreshes.report, downloads, on: console)
    }
  }

  private func counts(_ access: EngineAccess) throws -> DownloadCounts {
    try access.connection.snapshot(SnapshotQuery(stores: [.downloads])).counts()
  }

  /// What a library had before the command did anything.
  private struct Before {
    /// All feeds, by their ids.
    var known: [String: FeedItem] = [:]
    /// The feeds that are to be refreshed, unless some are named.
    var feeds: [FeedItem] = []
    /// How many feeds are left out, since their servers have said that they are gone for good.
    var ended = 0
    /// The downloads that had failed.
    var failed: Set<String> = []
    /// The downloads that moved, if the command waits for downloads.
    var moving: Set<String> = []
    /// Where the list of downloads ended, if the command waits for downloads.
    var end: EndOfDownloads?

    init(_ source: some SnapshotSource, at now: Timestamp, _ command: SyncCommand) throws {
      let all = try source.feeds()
      known = Dictionary(all.map { ($0.id, $0) }) { first, _ in first }
      if command.feeds.isEmpty {
        if !command.due { ended = all.count(where: \.hasEnded) }
        feeds = all.filter { feed in
          guard command.due else { return !feed.isPaused && !feed.hasEnded }
          return feed.isRefreshing || feed.nextRefresh.map { $0 <= now } ?? false
        }
      }
      failed = try Self.downloads([.failed], of: source)
      guard !command.refreshOnly, !command.noWait else { return }
      moving = try Self.downloads([.queued, .waiting, .running], of: source)
      end = try EndOfDownloads(of: source)
    }

    /// The ids of the downloads in some states.
    static func downloads(
      _ states: [DownloadState.Kind], of source: some SnapshotSource
    ) throws -> Set<String> {
      var ids: Set<String> = []
      try source.forEachDownload(.states(states), fields: [.id]) { item in
        ids.insert(item.id)
        return true
      }
      return ids
    }

    /// Of a library that cannot be read the engine says why.
    static func read(in folder: LibraryOption, at now: Timestamp, _ command: SyncCommand) throws -> Before {
      do {
        return try Before(LibraryFolder(place: try folder.place(or: command.engine)), at: now, command)
      } catch is EngineError {
        return Before()
      }
    }

    private init() {}
  }

  /// Orders the refreshes, but of those that an own engine has refreshed since its start, or is at: they were due.
  /// Returns the feeds as they were before.
  private func refresh(_ before: Before, with access: EngineAccess) throws -> [FeedItem] {
    guard !due else { return before.feeds }
    let chosen =
      feeds.isEmpty ? before.feeds : try named(at: access.connection).map { before.known[$0.id] ?? $0 }
    var ids = chosen.compactMap { FeedID($0.id) }
    if access.isOwn, !ids.isEmpty {
      let former = Dictionary(chosen.map { ($0.id, $0) }) { first, _ in first }
      let fresh = try access.connection.feeds(feeds.isEmpty ? nil : ids).filter { feed in
        feed.isRefreshing || feed.hasBeenRefreshed(since: former[feed.id])
      }
      let freshIDs = Set(fresh.map(\.id))
      ids.removeAll { freshIDs.contains($0.description) }
    }
    guard !ids.isEmpty else { return chosen }
    let isEach = feeds.isEmpty && (ids.count == chosen.count || ids.count > DownloadIntent.Selection.maximumIDs)
    try access.order(.podcasts(.refresh(isEach ? .all : .many(ids))))
    return chosen
  }

  private func named(at connection: ClientConnection) throws -> [FeedItem] {
    let finder = LibraryFinder(connection)
    return try feeds.compactMap { selector in
      if case .feed(let feed) = try finder.find(selector, among: .feeds) { feed } else { nil }
    }
  }

  // MARK: What people are told

  private func tell(
    _ report: RefreshFollower.Report, in time: Duration, _ access: EngineAccess, on console: Console
  ) throws {
    guard due || report.count > 0 else { return }
    let milliseconds = Int64(time / .milliseconds(1))
    if console.mode.progress != .none { console.errors.write(line: report.sentence(milliseconds: milliseconds)) }
    guard !report.failed.isEmpty || !report.waiting.isEmpty else { return }
    let hints = try CommandHints(of: access.connection)
    for line in report.waitingLines(by: hints) + report.failureLines(by: hints) { console.errors.write(line: line) }
  }

  private func tellRemovals(_ downloads: DownloadFollower, on console: Console) {
    guard downloads.removed > 0 else { return }
    if console.mode.progress != .none {
      for file in downloads.deletedFiles {
        console.errors.write(line: PlainReport.line("removed", "\(file.path)  \(ByteCount(file.bytes))"))
      }
      let others = downloads.deleted - downloads.deletedFiles.count
      if others > 0 { console.errors.write(line: PlainReport.line("removed", "and \(count(others, "further file"))")) }
    }
    // The report does not say that the engine has deleted the files: it leaves changed and moved ones alone.
    let files =
      switch downloads.deleted {
      case 0: ""
      case 1: ", 1 with its file unless that was moved or changed"
      case let number: ", \(number) with their files unless those were moved or changed"
      }
    console.note(
      "\(count(downloads.removed, "download")) removed meanwhile\(files): podflux why says of an episode if a rule did it"
    )
  }

  /// - Parameter waits: The downloads that wait, and are told of once all of them are known.
  private func tell(
    _ settled: DownloadFollower.Settled, on console: Console, waits: inout [(name: String, words: String)]
  ) {
    switch settled.outcome {
    case .failed(let failure) where console.mode.progress == .none:
      console.errors.write(line: PlainReport.line("failed", "\(settled.name): \(failure.words)"))
    // A table shows it, and lines of progress have told it.
    case .waits(let words) where console.mode.progress == .none: waits.append((settled.name, words))
    case .done, .failed, .left, .waits: break
    }
  }

  private static func json(_ report: RefreshFollower.Report, _ downloads: DownloadFollower) -> JSONObject {
    JSONObject([
      .init(key: "downloads", value: numbers(["done": downloads.done, "failed": downloads.failures.count])),
      .init(
        key: "feeds",
        value: numbers([
          "changed": report.changed, "failed": report.failed.count, "newEpisodes": Int(report.newEpisodes),
          "unchanged": report.unchanged, "waiting": report.waiting.count,
        ])),
    ])
  }

  private static func numbers(_ numbers: KeyValuePairs<String, Int>) -> JSONValue {
    .object(JSONObject(numbers.map { .init(key: $0, value: .integer(Int64($1))) }))
  }

  private func end(_ report: RefreshFollower.Report, _ downloads: DownloadFollower, on console: Console) throws {
    try GetCommand.end(
      with: downloads.failures + report.failed.compactMap(\.error), left: 0, on: console)
    if downloads.stuck > 0 {
      let verb = downloads.stuck == 1 ? "waits" : "wait"
      let things = ["room", "the network", "the schedule", "the month's budget", "a login", "a later attempt"]
      let words = "\(verb) \(things.map { "for \($0)" }.listed("or"))"
      console.complain("\(downloads.stuck) \(words); podflux why says of each for what")
    }
    if !report.waiting.isEmpty || downloads.stuck > 0 { throw ExitCode.later }
  }
}
