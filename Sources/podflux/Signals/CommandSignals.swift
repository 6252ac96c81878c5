import Foundation
import Logging

/// The signals of a person's command: the first ^C lets it end cleanly, a second one ends it at once, ^Z stops it after
/// its engine, if it has one, has given the library up.
///
/// Make it before other threads exist.
final class CommandSignals: Sendable {
  /// Readable from the first signal on that requests the end.
  let descriptor: Int32
  let watch: SignalWatch

  init() throws {
    let pipe = try StopPipe()
    descriptor = pipe.reader
    var logger = Logger(label: "podflux") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = .warning
    watch = SignalWatch(
      HeldSignals(), logger: logger,
      command: .init(status: Self.status, onStop: { pipe.tell() }, restore: { LiveScreen.restore() }))
  }

  /// 128 and SIGINT, as shells count.
  private static let status: Int32 = 130

  /// Whether the end was requested.
  var areStopping: Bool { comes(withinMilliseconds: 0) }

  /// Waits for the first signal. Returns whether it has come.
  func comes(withinMilliseconds limit: Int) -> Bool {
    var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return Foundation.poll(&poll, 1, Int32(clamping: limit)) > 0
  }
}
