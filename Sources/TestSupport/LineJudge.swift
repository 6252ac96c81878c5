import Foundation
import Synchronization

/// Validates lines against `Fixtures/protocol.schema.json` with an independent validator: `jsonschema`, in one Python
/// process for the whole test run.
///
/// Cost: 3 µs for a short line, 20 µs for each download in a snapshot; a new shape takes some 100 µs for the line, and
/// 250 µs for each such download.
package final class LineJudge: Sendable {
  /// The kind of lines.
  package enum Kind: String, Sendable {
    /// A client's lines.
    case input
    /// An engine's lines without a request for `fields`: downloads have all their keys.
    case output
    /// An engine's lines after a request for `fields`: downloads may have only some of their keys.
    case partialOutput
  }

  private let child: Child
  /// Held during a request to the validator.
  private let turn = Mutex(())

  /// The longest wait for the validator, in seconds.
  private static let patience: Int32 = 120

  /// Starts the validator.
  ///
  /// - Throws: `PodfluxProcess.Failure` if the validator or the schema is missing.
  package init(python: String = LineJudge.python, schema: String = LineJudge.schema) throws {
    child = try Child([python, "-c", Self.script, schema])
    let greeting = try answer()
    guard greeting == "ready" else { throw PodfluxProcess.Failure("lines cannot be validated: \(greeting)") }
  }

  deinit {
    close(child.input)
    close(child.output)
    waitpid(child.pid, nil, 0)
  }

  /// The error in the first invalid line, with that line; nil if all are valid. Each line ends with a line feed.
  package func fault(in lines: [UInt8], as kind: Kind) -> String? {
    turn.withLock { _ in
      do {
        try child.write(Array("\(kind.rawValue) \(lines.count)\n".utf8) + lines)
        let words = try answer()
        return words.isEmpty ? nil : words
      } catch {
        return "\(error)"
      }
    }
  }

  /// One line from the validator.
  private func answer() throws -> String {
    var (text, byte): ([UInt8], UInt8) = ([], 0)
    var descriptor = pollfd(fd: child.output, events: Int16(POLLIN), revents: 0)
    while true {
      let isReadable = poll(&descriptor, 1, Self.patience * 1000)
      if isReadable < 0, errno == EINTR { continue }
      guard isReadable > 0 else {
        throw PodfluxProcess.Failure("the validator has said nothing for \(Self.patience) s")
      }
      guard read(child.output, &byte, 1) == 1 else { throw PodfluxProcess.Failure("the validator has ended") }
      if byte == UInt8(ascii: "\n") { return String(decoding: text, as: UTF8.self) }
      text.append(byte)
    }
  }
}

// MARK: - Where it is and when it is there

extension LineJudge {
  /// The interpreter of the system's package python3-jsonschema, or the one in PODFLUX_PYTHON.
  package static var python: String {
    ProcessInfo.processInfo.environment["PODFLUX_PYTHON"] ?? "/usr/bin/python3"
  }

  /// The protocol's schema: beside these sources, or in the folder PODFLUX_FIXTURES.
  package static var schema: String {
    let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let fixtures =
      ProcessInfo.processInfo.environment["PODFLUX_FIXTURES"] ?? root.appendingPathComponent("Fixtures").path
    return fixtures + "/protocol.schema.json"
  }

  /// The one judge of a test run; nil in other programs, such as the demo.
  ///
  /// - Throws: `PodfluxProcess.Failure` if the validator is missing and CI is "true". Otherwise the tests run without
  ///   it, after one message.
  package static func forTests() throws -> LineJudge? {
    switch ofTests {
    case .success(let judge): return judge
    case .failure(let failure):
      guard ProcessInfo.processInfo.environment["CI"] == "true" else { return nil }
      throw failure
    }
  }

  private static let ofTests = Result { () throws(PodfluxProcess.Failure) -> LineJudge? in
    guard isInTests else { return nil }
    do {
      return try LineJudge()
    } catch {
      let failure = PodfluxProcess.Failure("\(error); install python3-jsonschema to have every line validated")
      FileHandle.standardError.write(Data("\(failure)\n".utf8))
      throw failure
    }
  }

  /// SwiftPM builds all tests into one program of this name.
  private static var isInTests: Bool {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))?.hasSuffix(".xctest") ?? false
  }
}
