import Flux
import Foundation
import Logging
import Testing
import TestScheduling
import TestSupport

@testable import podflux

@Suite("Logs as JSON", .systemTest)
struct LogFormatTests {
  private func text(_ line: LogLine) -> String {
    String(decoding: line.bytes(at: Timestamp(milliseconds: 1_774_620_001_123)), as: UTF8.self)
  }

  @Test("A line has its members in the order of the alphabet, and the time in UTC")
  func line() {
    let line = LogLine(
      label: "podflux", level: .warning, message: "a \"b\" \\ ü",
      metadata: ["z": "1", "a": ["x", "y"], "m": ["k": "v", "b": .stringConvertible(7)]])
    let expected =
      #"{"label":"podflux","level":"warning","message":"a \"b\" \\ ü","#
      + #""metadata":{"a":["x","y"],"m":{"b":"7","k":"v"},"z":"1"},"time":"2026-03-27T14:00:01.123Z"}"# + "\n"
    #expect(text(line) == expected)
  }

  @Test("What could control a terminal or break a line is escaped, and is the same again when it is parsed")
  func hostile() throws {
    let message = "a\u{1B}[31m\n\r\t\u{0}\u{7F}\u{9B}\u{2028}\u{202E}\u{1F600}"
    let line = text(LogLine(label: "l", level: .info, message: message, metadata: [message: "\(message)"]))
    #expect(line.filter { $0 == "\n" }.count == 1)
    #expect(!line.dropLast().unicodeScalars.contains { $0.isUnprintable })
    let parsed = try PodfluxProcess.parse(String(line.dropLast()))
    #expect(parsed["message"] as? String == message)
    #expect(parsed["metadata"] as? [String: String] == [message: message])
  }

  @Test("Each line that a run writes to stderr is an object of JSON: logs, notes and refusals")
  func run() throws {
    let scene = try Scene()
    scene.origin.serve("/gone.mp3", .status(410))
    let engine = try scene.startEager(["--log-format", "json", "--log-level", "debug", "--metrics", ":0"])
    let other = try PodfluxCommand.run(["run", "--library", scene.library, "--log-format", "json"])
    #expect(other.status == 75)
    let refusal = try PodfluxProcess.parse(String(other.errors.dropLast()))
    #expect(refusal["level"] as? String == "error")
    #expect((refusal["message"] as? String)?.hasPrefix("another engine (process \(engine.pid)) holds") == true)
    try engine.order("downloads/enqueue", ["url": scene.origin.url("/gone.mp3"), "id": "a"])
    try engine.wait(for: "a", toBe: "failed")
    engine.closeInput()
    _ = try engine.waitForEnd()
    let lines = try scene.log.split(separator: "\n").map { try PodfluxProcess.parse(String($0)) }
    for line in lines {
      #expect(Set(line.keys) == ["label", "level", "message", "metadata", "time"])
      #expect(line["label"] as? String == "podflux")
    }
    let served = try #require(lines.first { $0["message"] as? String == "metrics are served" })
    #expect((served["metadata"] as? [String: String])?["address"]?.hasPrefix("127.0.0.1:") == true)
    let note = try #require(lines.last)
    #expect(note["level"] as? String == "notice")
    #expect((note["message"] as? String)?.hasPrefix("ended with 1 failed; what and why: podflux snapshot") == true)
  }
}
