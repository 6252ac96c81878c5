import ArgumentParser
import Dispatch
import Foundation
import PodfluxClient

/// Passes lines from stdin to an engine and from there to stdout, as they are.
final class Relay: Sendable {
  private let engine: Int32

  /// How many bytes one read(2) requests.
  private static let readSize = 64 << 10
  /// What the last line of a connection has in it, and within how many of the last bytes.
  private static let lastLine = (mark: Data("\"type\":\"engine/stopped\"".utf8), byteCount: 256)

  init(_ engine: Int32) {
    self.engine = engine
  }

  /// Returns when the engine has said its last line: stdin has ended and all replies have come, or the engine has
  /// ended.
  ///
  /// - Parameter begin: What was read of the engine already.
  /// - Throws: the exit status, after a line on stderr, if the connection has ended without a last line, or stdout
  ///   takes no more.
  func run(behind begin: [UInt8]) throws {
    let thread = Thread { [self] in
      _ = Self.pass(from: STDIN_FILENO, to: engine) { _ in }
      // The engine answers what it has got, and ends the connection.
      shutdown(engine, Int32(SHUT_WR))
    }
    thread.name = "podflux.stdin"
    thread.start()
    var last = Data(begin)
    var code = begin.withUnsafeBytes { writeAll($0, to: STDOUT_FILENO) }
    if code == 0 {
      code = Self.pass(from: engine, to: STDOUT_FILENO) { piece in
        last = (last + piece).suffix(Self.lastLine.byteCount)
      }
    }
    try OutputFault.check(code)
    // A reader of stdout that has gone wanted no more.
    guard code == 0, last.range(of: Self.lastLine.mark) == nil else { return }
    let reason = Self.refusal(in: last) ?? "the connection has ended without the engine's last line"
    StandardError.print("podflux: \(reason)")
    throw ExitCode.failure
  }

  /// Why the engine has turned this client away; nil if it has not. Then that is all that it has said.
  ///
  /// - Parameter last: The last bytes that came.
  private static func refusal(in last: Data) -> String? {
    guard last.count < lastLine.byteCount, last.last == UInt8(ascii: "\n"),
      case .refused(let refusal, nil)? = try? EngineLine(Array(last.dropLast()))
    else { return nil }
    return refusal.message
  }

  /// Passes bytes on until they end. Returns 0, or the number of the error because of which the destination takes no
  /// more.
  private static func pass(from source: Int32, to destination: Int32, _ look: (Data) -> Void) -> Int32 {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: readSize, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let count = readSome(from: source, into: buffer)
      guard count > 0 else { return 0 }
      let piece = UnsafeRawBufferPointer(rebasing: buffer.prefix(count))
      look(Data(piece.suffix(lastLine.byteCount)))
      let code = writeAll(piece, to: destination)
      guard code == 0 else { return code }
    }
  }
}
