import Foundation

/// The signals that end a command: the first one lets it end cleanly, a second one ends the process at once.
///
/// Make it before other threads exist, unless the signals are held already.
final class Interruption: Sendable {
  /// Readable from the first signal on.
  let descriptor: Int32
  private let writer: Int32

  init(_ signals: HeldSignals = HeldSignals(forCommand: ())) throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EMFILE) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (descriptor, writer) = (ends[0], ends[1])
    let thread = Thread { [writer] in
      _ = signals.next()
      var byte: UInt8 = 1
      _ = write(writer, &byte, 1)
      _ = signals.next()
      _exit(Self.status)
    }
    thread.name = "podflux.signals"
    thread.start()
  }

  /// The exit status: 128 and SIGINT, as shells count.
  private static let status: Int32 = 130

  /// Waits for the first signal. Returns whether it has come.
  func comes(withinMilliseconds limit: Int) -> Bool {
    var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return Foundation.poll(&poll, 1, Int32(clamping: limit)) > 0
  }
}
