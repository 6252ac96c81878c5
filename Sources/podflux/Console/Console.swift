import ArgumentParser
import Foundation
import PodfluxPeople
import Terminal
import WireProtocol

/// What a command writes: results to stdout, all else to stderr.
struct Console {
  let options: ConsoleOptions
  let output: TerminalDevice
  let errors = TerminalDevice.standardError
  /// How stderr is written to.
  let mode: DisplayMode
  private let usesColor: Bool
  private let fault = OutputFault()
  private let environment: [String: String]
  /// Readable once the command is to end: a question waits no longer.
  private let interruption: Int32?

  /// - Parameter interruption: The descriptor of the command's signals, if it takes them (`CommandSignals`).
  init(_ options: ConsoleOptions, output: TerminalDevice = .standardOutput, interruption: Int32? = nil) {
    let environment = ProcessInfo.processInfo.environment
    self.options = options
    self.output = output
    self.interruption = interruption
    self.environment = environment
    let progress = options.quiet ? ProgressChoice.none : options.progress
    mode = DisplayMode(
      progress: progress, color: options.color, isTerminal: errors.isTerminal, environment: environment)
    usesColor =
      DisplayMode(
        progress: progress, color: options.color, isTerminal: output.isTerminal, environment: environment
      ).usesColor
  }

  /// The time now, in the machine's time zone.
  var clock: PersonalClock { .ofProcess() }

  // MARK: Results

  /// Prints a line of text.
  func result(_ line: String) {
    write(Array((line.printable + "\n").utf8))
  }

  /// Prints a path: for a program or a file as it is, so that it names its file.
  func result(path: String) {
    let isForPeople = output.isTerminal || path.utf8.contains { $0 < 0x20 || $0 == 0x7F }
    write(Array(((isForPeople ? path.printable : path) + "\n").utf8))
  }

  /// Prints an object as a line of JSON.
  func result(_ json: JSONObject) {
    result(json: json.line)
  }

  /// Prints a line of JSON: for a program or a file as it is. Returns whether that went well.
  @discardableResult
  func result(json line: [UInt8]) -> Bool {
    write((output.isTerminal ? line.printableJSON : line) + Array("\n".utf8))
  }

  /// Prints a table: on a terminal no wider than that.
  func result(_ table: TextTable) {
    let lines = table.lines(toWidth: resultWidth).map { $0.rendered(usesColor: usesColor) + "\n" }
    write(Array(lines.joined().utf8))
  }

  /// Prints a line of a table.
  func result(_ line: StyledText) {
    write(Array((line.rendered(usesColor: usesColor) + "\n").utf8))
  }

  /// Writes bytes of a result. Returns whether that went well; `checkOutput` says what did not.
  @discardableResult
  func write(_ bytes: [UInt8]) -> Bool {
    let code = output.attempt(bytes)
    if code != 0, fault.code == 0 { fault.code = code }
    return code == 0
  }

  /// Whether all results so far were written.
  var hasWrittenAll: Bool { fault.code == 0 }

  /// Says what kept results from being written. A reader who has had enough is no mistake.
  ///
  /// - Throws: the exit status.
  func checkOutput() throws(ExitCode) { try fault.check() }

  /// The columns of the terminal on stdout; nil for a file or another program.
  var resultWidth: Int? {
    output.isTerminal ? TerminalSize(of: output, environment: environment).columns : nil
  }

  // MARK: Words

  /// Says what is good to know, unless it is to be quiet.
  func note(_ line: String) {
    if !options.quiet { errors.write(line: line) }
  }

  /// Says what is wrong.
  func complain(_ line: String) {
    errors.write(line: "podflux: " + line)
  }

  /// The size of the terminal on stderr.
  var size: TerminalSize { TerminalSize(of: errors, environment: environment) }

  /// Asks a person whether something is to be done, unless `-y` says it.
  ///
  /// - Parameters:
  ///   - question: What is asked on a terminal.
  ///   - deed: What would be done, for a sentence where there is no terminal.
  /// - Throws: The exit status, after a line on stderr: 1 for a no, 64 without an answer.
  func confirm(_ question: String, otherwise deed: String) throws {
    if options.yes { return }
    guard isatty(STDIN_FILENO) == 1, errors.isTerminal else {
      complain("\(deed), and nothing was done; -y does it without a question")
      throw ExitCode.wrongUsage
    }
    let answer = TerminalQuestion.ask(interruption: interruption) {
      errors.write(Array((question.printable + " [y/N] ").utf8))
    }?.lowercased()
    guard answer == "y" || answer == "yes" else {
      complain("nothing was done")
      throw answer == nil ? ExitCode.wrongUsage : ExitCode.failure
    }
  }

  /// How many files a command deletes without a question.
  static let unquestionedDeletions = 10
}

/// The first error that has kept results from being written.
final class OutputFault {
  /// The number of the first error; 0 for none.
  fileprivate var code: Int32 = 0

  fileprivate func check() throws(ExitCode) { try Self.check(code) }

  /// Says what an error of stdout means. That its reader has gone is no mistake.
  ///
  /// - Throws: the exit status.
  static func check(_ code: Int32) throws(ExitCode) {
    guard code != 0, code != EPIPE else { return }
    StandardError.print("podflux: the output cannot be written: \(String(cString: strerror(code)))")
    throw .failure
  }
}

/// Writes a result that is one piece to stdout.
///
/// - Throws: the exit status, after a line on stderr that says what went wrong.
func writeResult(_ bytes: [UInt8]) throws(ExitCode) {
  try OutputFault.check(TerminalDevice.standardOutput.attempt(bytes))
}

/// Writes lines of JSON to stdout, with escapes for what could steer a terminal.
///
/// - Throws: the exit status.
func writeResult(json lines: [UInt8]) throws(ExitCode) {
  try writeResult(TerminalDevice.standardOutput.isTerminal ? lines.printableJSON : lines)
}

extension PersonalClock {
  static func ofProcess() -> PersonalClock {
    let milliseconds = Date().timeIntervalSince1970 * 1000
    return PersonalClock(now: .init(milliseconds: Int64(milliseconds)))
  }
}
