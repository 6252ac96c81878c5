import Foundation
import PodfluxEngine
import WireProtocol

/// Reads lines from stdin on its own thread, also while the engine is busy.
///
/// The cost of a line is bounded: longer lines are skipped and refused. While the session takes no request, reading
/// waits, and so does the client.
final class LineReader: Sendable {
  private let session: ClientSession
  private let streams: StandardStreams
  /// Called behind the answers of all lines.
  private let onEnd: @Sendable () -> Void

  /// How many bytes one read(2) requests.
  private static let readSize = 256 << 10

  init(session: ClientSession, streams: StandardStreams, onEnd: @escaping @Sendable () -> Void) {
    self.session = session
    self.streams = streams
    self.onEnd = onEnd
  }

  func start() {
    let thread = Thread { [self] in read() }
    thread.name = "podflux.stdin"
    thread.start()
  }

  private func read() {
    var lines = LineSplitter(limit: LineDecoder.maximumLineBytes)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.readSize, alignment: 16)
    defer { buffer.deallocate() }
    while case let count = readSome(from: STDIN_FILENO, into: buffer), count > 0 {
      lines.feed(UnsafeRawBufferPointer(rebasing: buffer.prefix(count))) { line in
        post(session.request(for: line))
        return true
      }
    }
    lines.finish { post(session.request(for: $0)) }
    // In the queue after all lines: the end of input does not overtake earlier requests.
    post(ClientSession.QueuedRequest(content: .barrier, byteCount: 0) { [onEnd] _ in onEnd() })
  }

  private func post(_ request: ClientSession.QueuedRequest) {
    while !session.post(request) {
      if streams.waitForFlush(unless: { session.post(request) }) { return }
    }
  }
}
