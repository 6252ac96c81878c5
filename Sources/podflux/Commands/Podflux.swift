import ArgumentParser
import Foundation
import PodfluxEngine

/// The command.
@main
struct Podflux: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "podflux",
    abstract: "Downloads podcasts, and loses nothing: a headless engine that takes JSON lines.",
    discussion: """
      podflux run --library DIR is the engine: it downloads what lines of JSON on its stdin ask for, such as
        {"type":"downloads/enqueue","payload":{"url":"https://example.org/1.mp3"}}
      podflux snapshot --library DIR shows what is in the library, beside a running engine too.
      """,
    version: Engine.version,
    subcommands: [RunCommand.self, SnapshotCommand.self, ReplayCommand.self, DiffCommand.self, QuarantineCommand.self])

  /// The signals that were held back before anything else was done, for `run`.
  nonisolated(unsafe) private(set) static var signals: HeldSignals?

  static func main() {
    openMissingDescriptors()
    // Before anything takes time: a signal that comes a moment later shall end the engine as cleanly as any other.
    if CommandLine.arguments.dropFirst().first == RunCommand.configuration.commandName { signals = HeldSignals() }
    if let mistake = MistypedCommand(Array(CommandLine.arguments.dropFirst())) {
      StandardError.print("podflux: \(mistake)")
      exit(withError: ExitCode.wrongUsage)
    }
    main(nil)
  }
}

/// Has stdin, stdout and stderr lead nowhere where they are closed: otherwise the next file that is opened, the library's
/// database perhaps, would have their number, and take what is printed.
private func openMissingDescriptors() {
  for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
    // The lowest number that is free is this one.
    guard open("/dev/null", O_RDWR) == descriptor else { return }
  }
}

extension ExitCode {
  /// The command was not used as it is meant to be (sysexits.h EX_USAGE).
  static let wrongUsage = ExitCode(64)
  /// The library cannot be read, or was written by a newer version (sysexits.h EX_DATAERR).
  static let unreadableLibrary = ExitCode(65)
  /// Another engine holds the library (sysexits.h EX_TEMPFAIL).
  static let libraryInUse = ExitCode(75)

  init(_ error: EngineError) {
    switch error {
    case .libraryInUse: self = .libraryInUse
    case .unreadableLibrary: self = .unreadableLibrary
    case .unusableAuthorities, .unusableJournal: self = .wrongUsage
    case .cannotStart: self = .failure
    }
  }
}

/// Tells a person why there is no engine, on stderr, and ends the command.
func giveUp(_ error: EngineError) -> ExitCode {
  StandardError.print("podflux: \(error)")
  return ExitCode(error)
}
