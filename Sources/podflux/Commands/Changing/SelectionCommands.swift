import ArgumentParser
import PodfluxClient
import PodfluxCore
import PodfluxPeople
import WireProtocol

/// A command that does one thing with chosen downloads.
protocol SelectionCommand: EngineCommand where Folder == LibraryPathOption {
  /// The participle of the report about the downloads, such as "paused".
  static var participle: String { get }
  /// Whether what it has queued may have to wait for a pause that a server has asked for.
  static var queues: Bool { get }
  var selection: DownloadSelectionOptions { get }
  func intent(_ selection: DownloadIntent.Selection) -> DownloadIntent
}

extension SelectionCommand {
  static var startCleanup: StartCleanup { .awaited }
  static var queues: Bool { false }

  func run() throws {
    try withEngine { access, console in
      let chosen = try selection.selection(in: access.connection)
      let count = try access.affected(by: intent, on: chosen)
      console.report(count, Self.participle)
      guard Self.queues, count > 0, !console.options.json else { return }
      try tellOfPause(of: chosen, in: access.connection, on: console)
    }
  }

  /// Names one of the downloads that waits for a pause of its server: no command shortens that.
  private func tellOfPause(
    of chosen: DownloadIntent.Selection, in source: some SnapshotSource, on console: Console
  ) throws {
    var chosen = chosen
    // The state by which they were chosen was another one.
    if case .matching(let condition) = chosen { chosen = .matching(condition.withoutStates) }
    try source.forEachDownload(of: chosen, meeting: .reasons([.host])) { item in
      console.note("\(item.name) \(item.stateWords(by: console.clock)); all other downloads of its server wait, too")
      return false
    }
  }
}

extension Console {
  /// Says how many downloads or other things a command has concerned.
  ///
  /// - Parameter words: The number in words; nil if it is enough.
  func report(_ count: Int64, _ participle: String, inWords words: String? = nil) {
    if options.json { return result(JSONObject([.init(key: "affected", value: .integer(count))])) }
    note("\(words ?? String(count)) \(participle)")
  }
}

/// `podflux pause`.
struct PauseCommand: SelectionCommand {
  static let configuration = CommandConfiguration(
    commandName: "pause", abstract: "Pauses downloads; what has come of them stays.",
    discussion: """
      podflux pause "Vienna to Hamburg"
      podflux pause --feed "Night Trains"
      """)
  static let participle = "paused"

  @OptionGroup var folder: LibraryPathOption
  @OptionGroup var engine: SocketOption
  @OptionGroup var console: ConsoleOptions
  @OptionGroup var selection: DownloadSelectionOptions

  func intent(_ selection: DownloadIntent.Selection) -> DownloadIntent { .pause(selection) }
}

/// `podflux resume`.
struct ResumeCommand: SelectionCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume", abstract: "Queues paused and failed downloads again; podflux sync waits for them.",
    discussion: """
      podflux resume --state paused
      """)
  static let participle = "queued"
  static let queues = true

  @OptionGroup var folder: LibraryPathOption
  @OptionGroup var engine: SocketOption
  @OptionGroup var console: ConsoleOptions
  @OptionGroup var selection: DownloadSelectionOptions

  func intent(_ selection: DownloadIntent.Selection) -> DownloadIntent { .resume(selection) }
}

/// `podflux retry`.
struct RetryCommand: SelectionCommand {
  static let configuration = CommandConfiguration(
    commandName: "retry",
    abstract: "Queues downloads that have failed, or wait for their next attempt; podflux sync waits for them.",
    discussion: """
      podflux retry --state failed
      podflux retry "Clause 7"
      """)
  static let participle = "queued"
  static let queues = true

  @OptionGroup var folder: LibraryPathOption
  @OptionGroup var engine: SocketOption
  @OptionGroup var console: ConsoleOptions
  @OptionGroup var selection: DownloadSelectionOptions

  func intent(_ selection: DownloadIntent.Selection) -> DownloadIntent { .retry(selection) }
}
