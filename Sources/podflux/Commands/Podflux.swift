import ArgumentParser
import Foundation
import PodfluxEngine
import Tagging

/// The command.
@main
struct Podflux: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "podflux",
    abstract: "Downloads podcasts and resumes after any crash: by hand, from cron, or for programs.",
    discussion: """
      podflux add https://example.org/feed subscribes, podflux sync refreshes and waits, podflux get downloads URLs and
      episodes, podflux ls and podflux why look around.
      podflux run --library DIR is the engine. It downloads what JSON lines on its stdin ask for, such as
        {"type":"downloads/enqueue","payload":{"url":"https://example.org/1.mp3"}}
      podflux snapshot --library DIR shows the library's state, also beside a running engine.
      podflux daemon --library DIR is the engine for many clients, and podflux attach is one of them.
      """,
    version: Engine.version,
    subcommands: [
      GetCommand.self, AddCommand.self, RulesCommand.self, SyncCommand.self, LsCommand.self, WhyCommand.self,
      StatusCommand.self, PauseCommand.self, ResumeCommand.self, RetryCommand.self, VerifyCommand.self, RmCommand.self,
      MarkCommand.self, ImportCommand.self, ExportCommand.self, AdoptCommand.self, RenameCommand.self,
      CleanCommand.self, SessionsCommand.self, SettingsCommand.self, WatchCommand.self, CompletionCommand.self,
      RunCommand.self,
      DaemonCommand.self,
      AttachCommand.self, SnapshotCommand.self, ReplayCommand.self, DiffCommand.self, QuarantineCommand.self,
    ])

  /// The signals that were blocked at the start, for the commands that are engines.
  nonisolated(unsafe) private(set) static var signals: HeldSignals?

  static func main() {
    if CommandLine.arguments.dropFirst().elementsEqual([TaggingWorker.argument]) {
      Foundation.exit(TaggingWorker.run())
    }
    // Swift's runtime would print what each thread does, and go on.
    signal(SIGQUIT, SIG_DFL)
    openMissingDescriptors()
    findRuntimeFolder()
    if let number = firstWordThatIsNoText {
      StandardError.print("podflux: word \(number) of the command line is no UTF-8; rename what it names")
      exit(withError: ExitCode.wrongUsage)
    }
    // Before any slow work: a signal that comes a moment later must end the engine as cleanly as any other.
    let engines = [RunCommand.configuration.commandName, DaemonCommand.configuration.commandName]
    if engines.contains(CommandLine.arguments.dropFirst().first) { signals = HeldSignals() }
    if let mistake = MistypedCommand(Array(CommandLine.arguments.dropFirst())) {
      StandardError.print("podflux: \(mistake)")
      exit(withError: ExitCode.wrongUsage)
    }
    do {
      var command = try parseAsRoot()
      try command.run()
    } catch {
      end(because: error)
    }
  }

  /// Prints what the parser says of the command line, help to stdout, and ends the command.
  private static func end(because error: any Error) -> Never {
    let code = exitCode(for: error)
    let text = fullMessage(for: error)
    guard !text.isEmpty else { exit(withError: code) }
    if code.isSuccess {
      print(text)
    } else {
      let shown = SecretWords(Array(CommandLine.arguments.dropFirst())).removed(from: text)
      for line in shown.split(separator: "\n", omittingEmptySubsequences: false) { StandardError.print(String(line)) }
    }
    exit(withError: code)
  }
}

/// The number of the first argument that is no UTF-8: repaired, it would name another file. Nil for none.
private var firstWordThatIsNoText: Int? {
  (1..<max(1, Int(CommandLine.argc))).first { number in
    guard let word = CommandLine.unsafeArgv[number] else { return false }
    return String(validatingCString: word) == nil
  }
}

/// Opens /dev/null for closed stdin, stdout and stderr: otherwise the next opened file, perhaps the database, would get
/// their number, and printed text would go into it.
private func openMissingDescriptors() {
  for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
    // open(2) returns the lowest free number, which is this one.
    guard open("/dev/null", O_RDWR) == descriptor else { return }
  }
}

/// Names the folder of the session's sockets where nothing has, or it is another user's: cron(8) and su(1) leave the
/// variable out, or as it was, and what they run must find the engine of a terminal all the same.
private func findRuntimeFolder() {
  if let named = getenv("XDG_RUNTIME_DIR"), SocketPath.mayBeOwn(String(cString: named)) { return }
  var status = stat()
  let folder = "/run/user/\(geteuid())"
  guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid() else { return }
  setenv("XDG_RUNTIME_DIR", folder, 1)
}

extension ExitCode {
  /// The arguments are invalid (sysexits.h EX_USAGE).
  static let wrongUsage = ExitCode(64)
  /// The library cannot be read, or was written by a newer version (sysexits.h EX_DATAERR).
  static let unreadableLibrary = ExitCode(65)
  /// No engine runs (sysexits.h EX_UNAVAILABLE).
  static let noEngine = ExitCode(69)
  /// Another engine holds the library, or listens at the socket (sysexits.h EX_TEMPFAIL).
  static let libraryInUse = ExitCode(75)

  init(_ error: EngineError) {
    switch error {
    case .libraryInUse: self = .libraryInUse
    case .unreadableLibrary: self = .unreadableLibrary
    case .unusableAuthorities, .unusableKey, .unusableJournal: self = .wrongUsage
    case .cannotStart: self = .failure
    }
  }
}

/// Prints to stderr why there is no engine, and ends the command.
func giveUp(_ error: EngineError) -> ExitCode {
  StandardError.print("podflux: \(error)")
  return ExitCode(error)
}
