import Foundation

/// The process of an engine, as the system shows it to a client.
package struct PeerProcess: Hashable, Sendable {
  package let id: Int32

  package init(id: Int32) {
    self.id = id
  }

  /// Whether a signal has stopped it (^Z, SIGSTOP): until SIGCONT it does nothing, and says nothing.
  package var isStopped: Bool { state == "T" }

  /// The letter of its state (proc(5), /proc/PID/stat); nil where the system does not show it.
  private var state: Character? {
    guard let line = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8) else { return nil }
    // The name before it is in parentheses, and may have some of its own.
    return line.lastIndex(of: ")").flatMap { line[$0...].dropFirst().first { $0 != " " } }
  }
}
