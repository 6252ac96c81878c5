import Dispatch
import Foundation
import Logging
import Terminal

/// Writes to the log what a program writes to its stdout and stderr.
///
/// `begin` and `end` are called on one thread; between them another one reads, which has ended when `end` goes on.
final class HookOutput: @unchecked Sendable {
  // `@unchecked`: mutable state belongs to the reading thread from its start to `isRead`, and to the caller otherwise.

  /// The longest line, in bytes; what is longer becomes several.
  private static let lineBytes = 4096
  /// How many lines of a run are logged at most.
  private static let lineLimit = 1000

  private let logger: Logger
  /// What is read, and the end whose closing has the reading thread leave it. Used by `begin` and `end` only.
  private var reading: (pipe: Int32, stop: Int32)?
  private let isRead = DispatchGroup()
  private var line: [UInt8] = []
  private var count = 0
  /// The last line that was not empty; nil if there is none.
  private(set) var last: String?

  init(_ logger: Logger) {
    self.logger = logger
  }

  /// Reads from a pipe, and closes it in the end.
  ///
  /// A thread reads it. A source of libdispatch that is cancelled while its pipe hangs up is freed under the thread
  /// that drains epoll's events, which then crashes (libdispatch of Swift 6.3, once in some hundred runs of a busy
  /// machine).
  func begin(reading pipe: Int32) {
    _ = fcntl(pipe, F_SETFL, fcntl(pipe, F_GETFL) | O_NONBLOCK)
    var stop: [Int32] = [-1, -1]
    // Without descriptors for it, what was written is read in the end.
    guard Foundation.pipe(&stop) == 0 else { return reading = (pipe, -1) }
    for end in stop { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    reading = (pipe, stop[1])
    isRead.enter()
    let thread = Thread { [self, stop = stop[0]] in
      var descriptors = [pipe, stop].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      while true {
        let ready = poll(&descriptors, 2, -1)
        if ready < 0, errno == EINTR { continue }
        guard ready > 0, descriptors[1].revents == 0, read(pipe) else { break }
      }
      close(stop)
      isRead.leave()
    }
    thread.name = "podflux.hooks"
    thread.start()
  }

  /// Reads what is there, up to the size of a pipe, and no more: a program's own children may keep it open.
  func end() {
    guard let (pipe, stop) = reading else { return }
    reading = nil
    if stop >= 0 { close(stop) }
    isRead.wait()
    _ = read(pipe)
    if !line.isEmpty { endLine() }
    close(pipe)
  }

  /// Returns whether there may be more: at the end of the file there is not.
  private func read(_ pipe: Int32) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let got = Foundation.read(pipe, &buffer, buffer.count)
    guard got > 0 else { return got < 0 }
    for byte in buffer[..<got] {
      guard byte != UInt8(ascii: "\n") else {
        endLine()
        continue
      }
      line.append(byte)
      if line.count == Self.lineBytes { endLine() }
    }
    return true
  }

  private func endLine() {
    defer { line.removeAll(keepingCapacity: true) }
    let text = String(decoding: line, as: UTF8.self).printable
    if !text.isEmpty { last = text }
    count += 1
    guard count <= Self.lineLimit else { return }
    let words = count == Self.lineLimit ? "the command of --on-complete says more than is logged" : nil
    logger.notice("\(words ?? "the command of --on-complete says")", metadata: ["line": "\(text)"])
  }
}
