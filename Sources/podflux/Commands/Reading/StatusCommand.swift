import ArgumentParser
import Foundation
import PodfluxClient
import PodfluxCore
import PodfluxPeople
import Terminal
import WireProtocol

/// `podflux status`: what moves, and what does not.
struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Shows what moves and what waits; with --watch until it is interrupted.",
    discussion: """
      podflux status
      podflux status --watch --exit-when-idle

      It needs no engine; of a running one it shows the rates. With --json it prints counts and downloads as a line.
      """)

  @OptionGroup var folder: LibraryOption
  @OptionGroup var engine: SocketOption
  @OptionGroup var console: ConsoleOptions

  @Flag(help: "Show it anew each second.")
  var watch = false

  @Flag(help: "End when nothing can move any more.")
  var exitWhenIdle = false

  func run() throws {
    let console = Console(console)
    let place = try folder.place()
    try console.reporting {
      guard watch || exitWhenIdle else { return try StatusReport(of: LibraryFolder(place: place)).print(on: console) }
      try StatusWatch(place: place, endsWhenIdle: exitWhenIdle, console: console).run()
    }
  }
}

/// One moment of a library for `podflux status`.
struct StatusReport {
  /// How many downloads are listed.
  private static let listed = 200
  /// How many lines of a table there are when it is printed once.
  private static let lines = 40

  let counts: DownloadCounts
  private let items: [DownloadItem]
  private let json: JSONObject

  init(of source: some SnapshotSource) throws {
    let query = DownloadsQuery(
      condition: .states([.running, .waiting, .queued]), isUnfiltered: true, order: .init(.state, isReversed: true),
      limit: Self.listed)
    let snapshot = try source.snapshot(SnapshotQuery(stores: [.engine, .downloads], downloads: query))
    counts = try snapshot.counts()
    items = try snapshot.downloads().items
    json = snapshot.json
  }

  /// Rows, what is not listed, and the sum.
  func frame(by clock: PersonalClock, on size: TerminalSize, table: inout TransferTable) -> [StyledText] {
    let unlisted = Int(clamping: counts.moving) - items.count
    return table.frame(
      items.map { $0.row(by: clock) }, unlisted: max(0, unlisted), summary: summary, on: size
    ).lines
  }

  private var summary: TransferSummary {
    let totals = items.map(\.bytes.total)
    return TransferSummary(
      done: Int(clamping: counts[.completed]), of: Int(clamping: counts.all), failed: Int(clamping: counts[.failed]),
      received: items.reduce(0) { $0 + $1.bytes.received },
      total: items.count == counts.moving ? totals.reduce(0) { sum, total in total.flatMap { (sum ?? 0) + $0 } } : nil,
      bytesPerSecond: counts.bytesPerSecond)
  }

  func print(on console: Console) {
    if console.options.json { return console.result(json) }
    var table = TransferTable(maximumLines: Self.lines)
    let size = TerminalSize(columns: console.resultWidth ?? .max, rows: Self.lines + 1)
    for line in frame(by: console.clock, on: size, table: &table) { console.result(line) }
  }
}
