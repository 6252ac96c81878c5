import Flux
import Foundation
import TestSupport
import Testing

@testable import WireProtocol

@Suite("Hostile bytes")
struct HostileBytesTests {
  private static let rounds = 20_000

  /// Expects that a line is refused in words, or that its request is the same after it was encoded and decoded again.
  ///
  /// - Returns: Whether the line was accepted.
  @discardableResult
  private func expectRefusalOrRequest(_ line: [UInt8], seed: UInt64) -> Bool {
    let decoded = LineDecoder().decode(line, number: 1)
    switch decoded.content {
    case .failure(let refusal):
      #expect(!refusal.message.isEmpty, "seed \(seed): \(String(decoding: line, as: UTF8.self))")
      return false
    case .success(let request):
      var encoder = RequestEncoder()
      encoder.append(request, id: 1)
      let again = LineDecoder().decode(Array(encoder.bytes.dropLast()), number: 1)
      #expect(again.content == decoded.content, "seed \(seed): \(String(decoding: line, as: UTF8.self))")
      return true
    }
  }

  @Test("are refused in words, or are a request that can be encoded", arguments: [1, 2, 3] as [UInt64])
  func noise(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<Self.rounds {
      let line = (0..<Int.random(in: 0...64, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      expectRefusalOrRequest(line, seed: seed)
    }
  }

  @Test(
    "made of JSON's own signs are refused in words, or are a request that can be encoded",
    arguments: [1, 2, 3] as [UInt64])
  func signs(seed: UInt64) {
    let signs = Array(#"{}[]":,\u0e1-+.tfn dD8 "#.utf8) + [0xC3, 0xA9, 0x00]
    var random = SeededGenerator(seed: seed)
    for _ in 0..<Self.rounds {
      let line = (0..<Int.random(in: 0...48, using: &random)).map { _ in
        signs[Int.random(in: signs.indices, using: &random)]
      }
      expectRefusalOrRequest(line, seed: seed)
    }
  }

  private static let goodLines = [
    #"{"type":"downloads/enqueue","payload":{"url":"https://a.example/\u00e9","published":"2026-11-21T03:00:00Z","#
      + #""headers":{"X-A":"\ud83d\ude00"},"length":12000},"meta":{"id":"1"}}"#,
    #"{"type":"snapshot","payload":{"downloads":{"after":"T7.w7w","sort":"-title","fields":["id"],"where":{"any":["#
      + #"{"podcast":["\u00e9","b"],"minBytes":1},{"not":{"state":"failed"}}]}}},"meta":{"id":"1"}}"#,
    #"{"type":"filters/toggle","payload":{"filter":"podcast:\ud83d\ude00"},"meta":{"id":"1"}}"#,
  ]

  @Test(
    "that a good line turns into by a few changes are refused in words, or are a request that can be encoded",
    arguments: goodLines, [1, 2] as [UInt64])
  func mutations(text: String, seed: UInt64) {
    let good = Array(text.utf8)
    #expect(expectRefusalOrRequest(good, seed: seed), "the line is refused without a change")
    var random = SeededGenerator(seed: seed)
    var accepted = 0
    for _ in 0..<Self.rounds {
      var line = good
      for _ in 0...Int.random(in: 0...3, using: &random) {
        line[Int.random(in: line.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      line.removeLast(Int.random(in: 0...4, using: &random))
      if expectRefusalOrRequest(line, seed: seed) { accepted += 1 }
    }
    #expect(accepted > 0, "no changed line was accepted")
  }

  @Test("are taken for JSON exactly where Foundation takes them for JSON", arguments: [1, 2, 3] as [UInt64])
  func agreesWithFoundation(seed: UInt64) {
    let pieces = ["{", "}", "[", "]", #""a""#, #""b""#, ":", ",", "1", "-1.5e3", "true", "null", " ", #""\u00e9\n""#]
    var random = SeededGenerator(seed: seed)
    for _ in 0..<Self.rounds {
      let text =
        "{"
        + (0..<Int.random(in: 0...10, using: &random)).map { _ in
          pieces[Int.random(in: pieces.indices, using: &random)]
        }.joined()
      var reader = JSONReader(Array(text.utf8))
      let fault = reader.readDocument().fault
      // Foundation takes equal keys and a comma behind the last member, which RFC 8259 does not know.
      let packed = text.replacing(" ", with: "")
      if fault?.message.contains("twice") == true || packed.contains(",}") || packed.contains(",]") { continue }
      let foundation = try? JSONSerialization.jsonObject(with: Data(text.utf8))
      #expect((fault == nil) == (foundation != nil), "seed \(seed): \(text)")
    }
  }

  @Test("of many keys cost no more than their number")
  func manyKeys() {
    let members = (0..<60_000).map { #""k\#($0)":0"# }.joined(separator: ",")
    var reader = JSONReader(Array("{\(members)}".utf8))
    let document = reader.readDocument()
    #expect(document.fault == nil)
    #expect(document.object.members.count == 60_000)
  }
}
