import Flux
import Foundation
import PodfluxCore
import Testing

@Suite("Integrity")
struct IntegrityTests {
  /// The digests of `alert('Hello, world.');` in the SRI recommendation, section 3.3.3.
  static let sha256 = "sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng="
  static let sha384 = "sha384-H8BRh8j48O9oYatfu5AZzq6A9RINhZO5H16dQZngK7T62em8MUt1FLm52t+eX6xO"
  static let sha512 =
    "sha512-Q2bFTOhEALkN8hOms2FKTDLy7eugP2zFZ1T8LCvX42Fp3WoNr3bjZSAHeOsHrbV1Fu9/A0EzCinRE7Af1ofPrw=="

  @Test("is parsed for each algorithm, and written back unchanged", arguments: [sha256, sha384, sha512])
  func roundTrips(text: String) throws {
    let integrity = try #require(Integrity(text))
    #expect(integrity.description == text)
    #expect(text.hasPrefix(integrity.algorithm.rawValue))
    #expect(integrity.digests.map(\.count) == [integrity.algorithm.digestLength])
    let json = try JSONEncoder().encode([integrity])
    #expect(try JSONDecoder().decode([Integrity].self, from: json) == [integrity])
  }

  @Test("has the digest of its base64")
  func digest() throws {
    let integrity = try #require(Integrity(Self.sha256))
    #expect(
      integrity.digests[0].hexadecimal == "ab39cb72c44ec7818008fd9d9b4502282cc21be1e267582eaba6590e86ff4e78")
    #expect(integrity.accepts(integrity.digests[0]))
    #expect(!integrity.accepts([]) && !integrity.accepts([UInt8](repeating: 0, count: 32)))
  }

  @Test(
    "is equal for all spellings",
    arguments: [
      sha256.replacing("=", with: ""), sha256.replacing("+", with: "-").replacing("/", with: "_"), " \(sha256)\n",
      "\(sha256)?ct=audio/mpeg", "\(sha256)?", "\(sha256)?a?b", "\(sha256)\t\u{C}\r\n \(sha256)",
    ])
  func spellings(text: String) {
    #expect(Integrity(text) == Integrity(Self.sha256))
  }

  @Test("counts only the strongest algorithm, and any of its digests")
  func strongest() throws {
    let other = "sha384-" + Base64.text(of: [UInt8](repeating: 7, count: 48))
    let integrity = try #require(Integrity("\(Self.sha384) \(Self.sha256) \(other)"))
    #expect(integrity.algorithm == .sha384)
    #expect(integrity.accepts([UInt8](repeating: 7, count: 48)) && integrity.digests.count == 2)
    #expect(!integrity.accepts(try #require(Integrity(Self.sha256)).digests[0]))
    #expect(integrity.description == "\(other) \(Self.sha384)", "in the order of the bytes")
    #expect(integrity == Integrity("\(other) \(Self.sha384)"))
    #expect(Integrity("\(Self.sha256) \(Self.sha512)")?.algorithm == .sha512)
  }

  @Test(
    "is refused when one of its tokens is malformed",
    arguments: [
      "", " ", "sha256", "sha256-", "-", "md5-1B2M2Y8AsgTpgAmY7PhCfg==", "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=",
      "SHA256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng=", "sha256=qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng=",
      "sha512-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng=", "sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tnh=",
      "sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng==", "sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/T",
      "sha256-ab39cb72c44ec7818008fd9d9b4502282cc21be1e267582eaba6590e86ff4e78", "\(sha256),\(sha256)",
      "\(sha256) sha265-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng=", "\(sha512) \(sha256)x", "\(sha256)?é",
      "\(sha256)?\u{7F}", "\(sha256)\u{A0}", "\(sha256)\u{B}\(sha256)", "\(sha256)\0",
    ])
  func malformed(text: String) {
    #expect(Integrity(text) == nil)
  }

  @Test("has a maximum length")
  func length() {
    let blanks = Integrity.maxBytes - Self.sha256.utf8.count
    #expect(Integrity(Self.sha256 + String(repeating: " ", count: blanks)) != nil)
    #expect(Integrity(Self.sha256 + String(repeating: " ", count: blanks + 1)) == nil)
  }

  @Test("that is malformed is not decoded")
  func decoding() {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([Integrity].self, from: Data(#"["sha256-x"]"#.utf8))
    }
  }

  @Test("does not crash on noise", arguments: [1, 2, 3] as [UInt64])
  func noise(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<2000 {
      var bytes = Array(Self.sha256.utf8)
      for _ in 0...Int.random(in: 0...2, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      guard let integrity = Integrity(String(decoding: bytes, as: UTF8.self)) else { continue }
      #expect(Integrity(integrity.description) == integrity, "seed \(seed)")
    }
  }
}

@Suite("Hexadecimal digits")
struct HexadecimalTests {
  @Test("are two for each byte, in lower case")
  func digits() {
    #expect([0x00, 0x09, 0x0A, 0x10, 0x9F, 0xFF].hexadecimal == "00090a109fff")
    #expect([UInt8]().hexadecimal.isEmpty)
  }
}
