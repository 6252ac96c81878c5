import Synchronization
import Terminal

/// The table that is redrawn in place on stderr, if a command shows one.
///
/// There is one for the process: the thread that takes signals gives the terminal back before the process stops or ends
/// at once. A terminal that shows no table gets no control sequence then; it may obey none.
enum LiveScreen {
  private static let isShown = Atomic(false)

  /// Writes a frame of the table.
  static func draw(_ frame: [UInt8]) {
    isShown.store(true, ordering: .releasing)
    TerminalDevice.standardError.write(frame)
  }

  /// Writes what removes the table, or its last frame.
  static func end(_ bytes: [UInt8]) {
    TerminalDevice.standardError.write(bytes)
    isShown.store(false, ordering: .releasing)
  }

  /// Removes the table, if there is one, and gives the terminal its cursor back. Thread safe.
  static func restore() {
    guard isShown.load(ordering: .acquiring) else { return }
    TerminalDevice.standardError.write(LiveRegion.restoration)
  }
}
