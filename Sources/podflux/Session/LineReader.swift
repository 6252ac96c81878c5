import Foundation
import PodfluxCore
import PodfluxEngine
import WireProtocol

/// Reads lines from stdin on its own thread, also while the engine is busy.
///
/// The cost of a line is bounded: longer lines are skipped and refused. When the engine's mailbox is full, reading
/// waits, and so does the client.
final class LineReader: Sendable {
  private let session: Session
  private let engine: Engine
  private let stopMode: StopMode

  /// How many bytes one read(2) requests.
  private static let readSize = 256 << 10

  init(session: Session, engine: Engine, atEnd stopMode: StopMode) {
    self.session = session
    self.engine = engine
    self.stopMode = stopMode
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
    while let count = readSome(into: buffer), count > 0 {
      lines.feed(UnsafeRawBufferPointer(rebasing: buffer.prefix(count)), post)
    }
    lines.finish(post)
    // In the queue after all lines: the end of input does not overtake earlier requests.
    post(
      EngineRequest(.barrier) { [engine, stopMode] _ in engine.stop(stopMode, because: .eof) })
  }

  private func readSome(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
    while true {
      let count = Foundation.read(STDIN_FILENO, buffer.baseAddress, buffer.count)
      if count >= 0 { return count }
      guard errno == EINTR else { return nil }
    }
  }

  private func post(_ line: LineSplitter.Line) {
    let request = session.request(for: line)
    guard request.isAnsweredLater else { return post(request) }
    // Replies keep the order of lines: the next line is read when this one has its reply.
    let isAnswered = DispatchSemaphore(value: 0)
    post(
      EngineRequest(request.content) { response in
        request.completion(response)
        isAnswered.signal()
      })
    isAnswered.wait()
  }

  private func post(_ request: EngineRequest) {
    while !engine.post(request) {
      if session.waitForTurn(unless: { engine.post(request) }) { return }
    }
  }
}
