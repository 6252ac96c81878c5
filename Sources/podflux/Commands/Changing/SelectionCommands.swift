import ArgumentParser
import PodfluxClient
import PodfluxCore
import PodfluxPeople
import WireProtocol

/// A command that does one thing with chosen downloads.
protocol SelectionCommand: EngineCommand where Folder == LibraryPathOption {
  /// What is said of them afterwards, such as "paused".
  static var participle: String { get }
  var selection: DownloadSelectionOptions { get }
  func intent(_ selection: DownloadIntent.Selection) -> DownloadIntent
}

extension SelectionCommand {
  static var startCleanup: StartCleanup { .awaited }

  func run() throws {
    try withEngine { access, console in
      let chosen = try selection.selection(in: access.connection)
      let count = try access.affected(by: intent, on: chosen)
      console.report(count, Self.participle)
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

  @OptionGroup var folder: LibraryPathOption
  @OptionGroup var engine: SocketOption
  @OptionGroup var console: ConsoleOptions
  @OptionGroup var selection: DownloadSelectionOptions

  func intent(_ selection: DownloadIntent.Selection) -> DownloadIntent { .retry(selection) }
}
