import Foundation
import PodfluxCore
import PodfluxEngine
import WireProtocol

/// Reads lines from stdin on a thread of its own, so that input is taken in however busy the engine is.
///
/// What a line may cost is bounded: longer ones are skipped to their end and refused. When more requests wait than the
/// engine takes, reading waits too, and the client with it.
final class LineReader: Sendable {
  private let session: Session
  private let engine: Engine
  private let stopMode: StopMode

  /// How much one read(2) asks for, in bytes.
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
    // Behind all lines in the order of requests: the end of input ends nothing that was asked for before it.
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
    post(session.request(for: line))
  }

  private func post(_ request: EngineRequest) {
    while !engine.post(request) {
      if session.waitForTurn(unless: { engine.post(request) }) { return }
    }
  }
}
