import Flux
import PodfluxCore
import Testing

@testable import WireProtocol

@Suite("The seal of a journal's line")
struct LineSealTests {
  private static let stamp = LineStamp(revision: 7, sequence: 9, time: Timestamp(milliseconds: 1_800_000_000_000))

  /// Lines as a journal has them, without their line feeds.
  private static func lines() -> [[UInt8]] {
    var encoder = LineEncoder(sealing: true)
    let engine = JournalLine.Engine(seed: 1, version: "1", library: "Süß \"l\"")
    encoder.journal(.opened, of: engine, at: stamp)
    encoder.action(.filters(.setText("ёж")), sequence: 9, revision: 7, time: stamp.time)
    encoder.action(.timeCame, sequence: 10, revision: 7, time: stamp.time)
    encoder.journalEnd(at: stamp)
    return encoder.bytes.split(separator: UInt8(ascii: "\n")).map(Array.init)
  }

  @Test("CRC-32C is that of RFC 3720", arguments: [("123456789", 0xE306_9283), ("", 0), ("a", 0xC1D0_4330)])
  func checksum(text: String, expected: Int) {
    #expect(LineChecksum.of(Array(text.utf8)[...]) == UInt32(expected))
    #expect(LineChecksum.of(([0, 1, 2] + Array(text.utf8)).dropFirst(3)) == UInt32(expected))
  }

  @Test("is right on what was written, which reads as it does without one")
  func intact() throws {
    var plain = LineEncoder()
    plain.action(.timeCame, sequence: 10, revision: 7, time: Self.stamp.time)
    let lines = Self.lines()
    #expect(lines.count == 4)
    #expect(lines.allSatisfy { LineSeal.verdict(on: $0) == .intact })
    #expect(LineSeal.contents(of: lines[2]) == plain.bytes.dropLast())
    #expect(try ActionLineDecoder().decode(lines[2]) == ActionLineDecoder().decode(plain.bytes.dropLast()))
  }

  @Test("tells of every bit that has changed")
  func flips() {
    for line in Self.lines() {
      for byte in line.indices {
        for bit in 0..<8 {
          var flipped = line
          flipped[byte] ^= 1 << UInt8(bit)
          #expect(LineSeal.verdict(on: flipped) == .changed, "bit \(bit) of byte \(byte)")
          #expect(throws: Refusal.self) { try ActionLineDecoder().decode(flipped) }
        }
      }
      #expect(LineSeal.verdict(on: line + [UInt8(ascii: "*")] + line) == .changed)
    }
  }

  @Test("tells a line that was cut off from one that was changed")
  func cutOff() throws {
    let line = try #require(Self.lines().first)
    for count in 0..<line.count {
      #expect(LineSeal.verdict(on: Array(line.prefix(count))) == .cutOff, "\(count) bytes")
    }
    #expect(LineSeal.verdict(on: Array("{\"chuck".utf8)) == .changed)
    #expect(LineSeal.verdict(on: Array("a diary".utf8)) == .changed)
  }
}
