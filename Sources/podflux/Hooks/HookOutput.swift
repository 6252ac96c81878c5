import Dispatch
import Foundation
import Logging
import Terminal

/// Writes to the log what a program writes to its stdout and stderr.
///
/// `begin` and `end` are called on one thread; everything between runs on a queue.
final class HookOutput: @unchecked Sendable {
  // `@unchecked`: mutable state is used on `queue` only.

  /// The longest line, in bytes; what is longer becomes several.
  private static let lineBytes = 4096
  /// How many lines of a run are logged at most.
  private static let lineLimit = 1000

  private let logger: Logger
  private let queue = DispatchQueue(label: "podflux.hook.output")
  private var source: (any DispatchSourceRead)?
  private var line: [UInt8] = []
  private var count = 0
  /// The last line that was not empty; nil if there is none.
  private(set) var last: String?

  init(_ logger: Logger) {
    self.logger = logger
  }

  /// Reads from a pipe, and closes it in the end.
  func begin(reading pipe: Int32) {
    _ = fcntl(pipe, F_SETFL, fcntl(pipe, F_GETFL) | O_NONBLOCK)
    let source = DispatchSource.makeReadSource(fileDescriptor: pipe, queue: queue)
    source.setEventHandler { [weak self] in self?.read(pipe) }
    source.setCancelHandler { close(pipe) }
    queue.sync { self.source = source }
    source.resume()
  }

  /// Reads what is there, up to the size of a pipe, and no more: a program's own children may keep it open.
  func end() {
    queue.sync {
      if let source { read(Int32(source.handle)) }
      stopReading()
      if !line.isEmpty { endLine() }
    }
  }

  /// The pipe is closed then, and its number may be another file's.
  private func stopReading() {
    source?.cancel()
    source = nil
  }

  private func read(_ pipe: Int32) {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let got = Foundation.read(pipe, &buffer, buffer.count)
    guard got > 0 else {
      // At the end of the file the source would fire for ever.
      if got == 0 { stopReading() }
      return
    }
    for byte in buffer[..<got] {
      guard byte != UInt8(ascii: "\n") else {
        endLine()
        continue
      }
      line.append(byte)
      if line.count == Self.lineBytes { endLine() }
    }
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
