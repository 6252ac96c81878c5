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
        let source = LibraryFolder(place: try folder.place(of: engine))
        try show(try chosen(in: source), in: source, on: console)
      }
    }
    try withEngine { access, console in
      let chosen = try chosen(in: access.connection)
      try ask(chosen, on: console)
      // Without their files nothing is looked at.
      let downloads = keepFile ? [] : chosen.downloads
      var files = try RemovedFiles(of: downloads, with: access)
      // An engine that was running before may not have seen yet where a person has moved them.
      if files.lackOne {
        _ = try access.followMovedFiles(Set(downloads.map(\.description)).contains)
        files = try RemovedFiles(of: downloads, with: access)
      }
      // What is asked for is the file that is there, also if another program has changed it.
      if !files.changed.isEmpty { _ = try access.verify(files.changed) { _ in } }
      for feed in chosen.feeds {
        guard let id = FeedID(feed.id) else { throw MalformedLine("a feed without a valid id") }
        try access.order(.podcasts(.unsubscribe(id, deletingFiles: !keepFile)))
      }
      let removed = try chosen.selection.map { selection in
        try access.affected(by: { .remove($0, deletingFile: !keepFile) }, on: selection)
      }
      report(feeds: chosen.feeds.count, downloads: removed ?? 0, on: console)
      try tellOfRemaining(files, access, on: console)
    }
  }

  private func report(feeds: Int, downloads: Int64, on console: Console) {
    let parts = [(feeds, "feed"), (Int(clamping: downloads), "download")].filter { $0.0 > 0 }.map { count($0.0, $0.1) }
    console.report(
      Int64(feeds) + downloads, "removed", inWords: feeds > 0 ? parts.joined(separator: " and ") : nil)
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

  /// The chosen feeds and downloads.
  private struct Chosen {
    var feeds: [FeedItem] = []
    /// The downloads that are asked for; nil if only feeds are.
    var named: [DownloadID]?
    /// The downloads that go with the feeds, beside the named ones: those without a complete file, too.
    var ofFeeds: [DownloadID] = []

    var selection: DownloadIntent.Selection? { named.map { DownloadIntent.Selection.many($0) } }
    var downloads: [DownloadID] { (named ?? []) + ofFeeds }
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
      chosen.ofFeeds = try downloads(of: .matching(.feeds(ids)), in: source)
    }
    guard selection.selectors.isEmpty || !options.selectors.isEmpty else { return chosen }
    // Only downloads that were counted are removed, and none that is added afterwards.
    let named = try downloads(of: options.selection(in: source), in: source)
    chosen.named = named
    if !chosen.ofFeeds.isEmpty { chosen.ofFeeds.removeAll(where: Set(named).contains) }
    return chosen
  }

  private func downloads(
    of chosen: DownloadIntent.Selection, in source: some SnapshotSource
  ) throws -> [DownloadID] {
    var ids: [DownloadID] = []
    try source.forEachDownload(of: chosen, fields: [.id]) { item in
      if let id = DownloadID(item.id) { ids.append(id) }
      return true
    }
    return ids
  }

  private func ask(_ chosen: Chosen, on console: Console) throws {
    let number = chosen.downloads.count
    guard number > Console.unquestionedDeletions else { return }
    let files = keepFile ? "their files stay" : "their files are deleted"
    let downloads = "\(number) downloads"
    let what = chosen.feeds.isEmpty ? downloads : "\(count(chosen.feeds.count, "feed")) and \(downloads)"
    try console.confirm("Remove \(what)? \(files).", otherwise: "\(what) would be removed")
  }

  private func show(_ chosen: Chosen, in source: some SnapshotSource, on console: Console) throws {
    guard !console.options.json else {
      for feed in chosen.feeds where console.hasWrittenAll { console.result(feed.json) }
      return try source.forEachDownload(of: chosen.downloads) { item in
        console.result(item.json)
        return console.hasWrittenAll
      }
    }
    let tables = LibraryTables(console.clock)
    if !chosen.feeds.isEmpty { console.result(tables.table(of: chosen.feeds)) }
    var table = tables.downloads
    var (number, own, bytes) = (0, 0, Int64(0))
    try source.forEachDownload(of: chosen.downloads) { item in
      table.add(tables.row(of: item))
      number += 1
      own += item.origin == .user ? 1 : 0
      bytes = bytes.addingClamped(item.bytes.received)
      return true
    }
    guard number > 0 else { return }
    console.result(table)
    guard !keepFile else { return }
    console.note(
      "\(count(number, "download")) with \(ByteCount(bytes))" + (own > 0 ? ", \(own) of them got by hand" : ""))
  }
}
