import Dispatch
import Terminal

/// Output for people: stdout belongs to the protocol.
enum StandardError {
  private static let queue = DispatchQueue(label: "podflux.stderr", qos: .utility)
  /// How long the last lines may take if the reader seems to be stuck, in milliseconds.
  private static let finishMilliseconds = 250

  /// Writes one line. It may contain file names: replaces line breaks and terminal control sequences. Does nothing if
  /// stderr is closed.
  static func print(_ line: String) {
    TerminalDevice.standardError.write(line: line)
  }

  /// Queues one line, without waiting for the reader.
  static func printSoon(_ line: String) {
    queue.async { print(line) }
  }

  /// Writes the queued lines, with a short timeout: a stuck reader must not delay the end.
  static func finish() {
    let done = DispatchSemaphore(value: 0)
    queue.async { done.signal() }
    _ = done.wait(timeout: .now() + .milliseconds(finishMilliseconds))
  }
}
