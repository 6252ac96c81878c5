import ArgumentParser
import PodfluxClient
import PodfluxCore
import PodfluxPeople
import Terminal
import WireProtocol

/// `podflux rm`: forgets downloads and deletes their files, or ends subscriptions.
struct RmCommand: EngineCommand {
  static let configuration = CommandConfiguration(
    commandName: "rm",
    abstract: "Forgets downloads and deletes their files, or ends the subscription to a feed.",
    discussion: """
      podflux rm "Vienna to Hamburg"
      podflux rm --feed "Old Show" --state completed --plan
      podflux rm "Old Show" --keep-file

      A selector may name a feed too: its episodes are forgotten, and the files of its downloads are deleted. More than \
      10 downloads at once are removed only after a question on a terminal, or with -y.
      """)

  static let startCleanup = StartCleanup.awaited

  static let afterInterruption = "what was removed stays removed, and the next command deletes the rest of its files"

  @OptionGroup var folder: LibraryPathOption
  @OptionGroup var engine: SocketOption
  @OptionGroup var console: ConsoleOptions
  @OptionGroup var selection: DownloadSelectionOptions

  @Flag(help: "Leave the files where they are.")
  var keepFile = false

  @Flag(help: "Print what would be removed, and change nothing.")
  var plan = false

  func run() throws {
    if plan {
      let console = Console(console)
      return try console.reporting {
        show(try chosen(in: LibraryFolder(place: folder.place(of: engine))), on: console)
      }
    }
    try withEngine { access, console in
      let chosen = try chosen(in: access.connection)
      try ask(chosen, on: console)
      var items = try self.items(of: chosen, in: access.connection)
      // An engine that was running before may not have seen yet where a person has moved them.
      if !access.isOwn, items.contains(where: { $0.path.map(access.isGone) ?? false }) {
        _ = try access.followMovedFiles(Set(items.map(\.id)).contains)
        items = try self.items(of: chosen, in: access.connection)
      }
      let files = try RemovedFiles(of: items, in: access.library)
      // What is asked for is the file that is there, also if another program has changed it.
      if !files.changed.isEmpty { _ = try access.verify(files.changed) { _ in } }
      for feed in chosen.feeds {
        guard let id = FeedID(feed.id) else { throw MalformedLine("a feed without a valid id") }
        try access.order(.podcasts(.unsubscribe(id, deletingFiles: !keepFile)))
      }
      let downloads = try chosen.selection.map { selection in
        try access.affected(by: { .remove($0, deletingFile: !keepFile) }, on: selection)
      }
      report(feeds: chosen.feeds.count, downloads: downloads ?? 0, on: console)
      try tellOfRemaining(files, access, on: console)
    }
  }

  private func report(feeds: Int, downloads: Int64, on console: Console) {
    let parts = [(feeds, "feed"), (Int(clamping: downloads), "download")].filter { $0.0 > 0 }.map { count($0.0, $0.1) }
    console.report(
      Int64(feeds) + downloads, "removed", inWords: feeds > 0 ? parts.joined(separator: " and ") : nil)
  }

  /// The downloads whose files are to go, as they are now.
  private func items(of chosen: Chosen, in source: some SnapshotSource) throws -> [DownloadItem] {
    keepFile ? [] : try source.downloads((chosen.items + chosen.ofFeeds).compactMap { DownloadID($0.id) })
  }

  /// Says which files are still there.
  private func tellOfRemaining(_ files: RemovedFiles, _ access: EngineAccess, on console: Console) throws {
    let remaining = try access.remaining(of: files).left
    for file in remaining.prefix(RemovedFiles.namedFiles) { console.complain(file.words) }
    if remaining.count > RemovedFiles.namedFiles {
      console.complain("\(remaining.count - RemovedFiles.namedFiles) more files could not be deleted")
    }
    if !remaining.isEmpty { throw ExitCode.failure }
  }

  /// What is removed.
  private struct Chosen {
    var feeds: [FeedItem] = []
    var selection: DownloadIntent.Selection?
    var items: [DownloadItem] = []
    /// The downloads that go with the feeds, beside the items: those without a complete file, too.
    var ofFeeds: [DownloadItem] = []

    var count: Int { items.count + ofFeeds.count }
  }

  private func chosen(in source: some SnapshotSource) throws -> Chosen {
    var chosen = Chosen()
    var options = selection
    options.selectors = []
    for selector in selection.selectors {
      if case .feed(let feed) = try LibraryFinder(source).find(
        selector, among: .all, preferring: [.feeds, .downloads])
      {
        chosen.feeds.append(feed)
      } else {
        options.selectors.append(selector)
      }
    }
    // Without their files nothing of them goes.
    if !keepFile, !chosen.feeds.isEmpty {
      let ids = chosen.feeds.compactMap { FeedID($0.id) }
      chosen.ofFeeds = try source.downloads(meeting: .feeds(ids))
    }
    guard selection.selectors.isEmpty || !options.selectors.isEmpty else { return chosen }
    let downloads = try options.selection(in: source)
    chosen.items = try source.downloads(of: downloads)
    // What has come since it was counted is not removed unasked.
    let ids = chosen.items.compactMap { DownloadID($0.id) }
    chosen.selection = .many(ids)
    let named = Set(chosen.items.map(\.id))
    chosen.ofFeeds.removeAll { named.contains($0.id) }
    return chosen
  }

  private func ask(_ chosen: Chosen, on console: Console) throws {
    guard chosen.count > Console.unquestionedDeletions else { return }
    let files = keepFile ? "their files stay" : "their files are deleted"
    let downloads = "\(chosen.count) downloads"
    let what = chosen.feeds.isEmpty ? downloads : "\(count(chosen.feeds.count, "feed")) and \(downloads)"
    try console.confirm("Remove \(what)? \(files).", otherwise: "\(what) would be removed")
  }

  private func show(_ chosen: Chosen, on console: Console) {
    let items = chosen.items + chosen.ofFeeds
    guard !console.options.json else {
      for feed in chosen.feeds { console.result(feed.json) }
      for item in items { console.result(item.json) }
      return
    }
    let tables = LibraryTables(console.clock)
    if !chosen.feeds.isEmpty { console.result(tables.table(of: chosen.feeds)) }
    if !items.isEmpty { console.result(tables.table(of: items)) }
    guard !items.isEmpty, !keepFile else { return }
    let bytes = items.reduce(Int64(0)) { $0.addingClamped($1.bytes.received) }
    let own = items.count { $0.origin == .user }
    console.note(
      "\(count(items.count, "download")) with \(ByteCount(bytes))" + (own > 0 ? ", \(own) of them got by hand" : ""))
  }
}
