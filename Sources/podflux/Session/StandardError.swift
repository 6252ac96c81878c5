import Dispatch
import Flux
import Foundation
import Logging
import PodfluxCore
import Synchronization
import Terminal

/// Output for people: stdout belongs to the protocol.
enum StandardError {
  private static let queue = DispatchQueue(label: "podflux.stderr", qos: .utility)
  /// How long the last lines may take if the reader seems to be stuck, in milliseconds.
  private static let finishMilliseconds = 250
  /// Whether lines are objects of JSON.
  private static let isJSON = Atomic(false)
  /// Keeps the lines of several threads apart.
  private static let lines = Mutex(())
  /// What every note and every error begins with.
  private static let beginning = "podflux: "

  /// From now on lines are objects of JSON, as those of the log.
  static func beginJSON() {
    isJSON.store(true, ordering: .relaxed)
  }

  /// Writes one line. It may contain file names: replaces line breaks and terminal control sequences. Does nothing if
  /// stderr is closed.
  ///
  /// - Parameter level: How important it is, if it becomes JSON.
  static func print(_ line: String, level: Logger.Level = .error) {
    guard !isJSON.load(ordering: .relaxed) else {
      let message = line.hasPrefix(beginning) ? String(line.dropFirst(beginning.count)) : line
      return writeJSON(LogLine(label: "podflux", level: level, message: message))
    }
    TerminalDevice.standardError.write(line: line)
  }

  /// Queues one line, without waiting for the reader.
  static func printSoon(_ line: String) {
    queue.async { print(line, level: .notice) }
  }

  /// Writes a line of JSON.
  static func writeJSON(_ line: LogLine) {
    let moment = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    lines.withLock { _ in _ = TerminalDevice.standardError.write(line.bytes(at: moment)) }
  }

  /// Writes the queued lines, with a short timeout: a stuck reader must not delay the end.
  static func finish() {
    let done = DispatchSemaphore(value: 0)
    queue.async { done.signal() }
    _ = done.wait(timeout: .now() + .milliseconds(finishMilliseconds))
  }
}
