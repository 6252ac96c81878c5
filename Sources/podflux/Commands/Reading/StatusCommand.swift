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
    let place = try folder.place(or: engine)
    try console.reporting {
      let socket = try engine.path(in: .ofProcess())
      let source = EngineOrLibrary(folder: LibraryFolder(place: place), socket: socket)
      guard watch || exitWhenIdle else { return try source.report().print(on: console) }
      try StatusWatch(source: source, endsWhenIdle: exitWhenIdle, console: console).run()
    }
  }
}

extension EngineOrLibrary {
  /// The report of one moment of the library, read from its engine or its database.
  func report() throws -> StatusReport { try read { try StatusReport(of: $0, engine: $1) } }
}

/// One moment of a library for `podflux status`.
struct StatusReport {
  /// How many downloads are listed.
  private static let listed = 200
  /// How many lines of a table there are when it is printed once.
  private static let lines = 40

  let counts: DownloadCounts
  private let items: [DownloadItem]
  private let library: String
  private let engine: EngineOrLibrary.EngineState
  private let json: JSONObject

  init(of source: some SnapshotSource, engine: EngineOrLibrary.EngineState) throws {
    self.engine = engine
    let query = DownloadsQuery(
      condition: .states([.running, .waiting, .queued]), isUnfiltered: true, order: .init(.state, isReversed: true),
      limit: Self.listed)
    let snapshot = try source.snapshot(SnapshotQuery(stores: [.engine, .downloads], downloads: query))
    counts = try snapshot.counts()
    // The list has the last one first.
    items = try snapshot.downloads().items.reversed()
    library = try snapshot.json.object("engine")?.string("library") ?? ""
    json = snapshot.json
  }

  /// "340 here, 3 running, 2 failed; an engine runs".
  private var sentence: String {
    let words: KeyValuePairs<DownloadState.Kind, String> = [
      .completed: "here", .running: "running", .queued: "queued", .waiting: "waiting", .paused: "paused",
      .failed: "failed",
    ]
    let parts = words.filter { counts[$0.key] > 0 }.map { "\(counts[$0.key]) \($0.value)" }
    return (parts.isEmpty ? "no downloads" : parts.joined(separator: ", ")) + "; \(engine.words)"
  }

  /// Rows, what is not listed, and the sum.
  func frame(by clock: PersonalClock, on size: TerminalSize, table: inout TransferTable) -> [StyledText] {
    let unlisted = Int(clamping: counts.moving) - items.count
    return table.frame(
      items.map { $0.row(by: clock) }, unlisted: max(0, unlisted), summary: summary, on: size
    ).lines
  }

  private var summary: TransferSummary {
    TransferSummary(
      done: Int(clamping: counts[.completed]), of: Int(clamping: counts.all), failed: Int(clamping: counts[.failed]),
      received: items.receivedBytes, total: items.count == counts.moving ? items.totalBytes : nil,
      bytesPerSecond: counts.bytesPerSecond)
  }

  func print(on console: Console) {
    if console.options.json { return console.result(json) }
    console.result("\(library): \(sentence)")
    guard counts.moving > 0 else { return }
    var table = TransferTable(maximumLines: Self.lines)
    let size = TerminalSize(columns: console.resultWidth ?? .max, rows: Self.lines + 1)
    for line in frame(by: console.clock, on: size, table: &table) { console.result(line) }
  }
}
