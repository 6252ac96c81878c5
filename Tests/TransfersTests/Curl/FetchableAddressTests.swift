import PodfluxCore
import TestSupport
import Testing

@testable import Transfers

/// Regression: addresses were taken that libcurl does not parse, and failed later as if a redirect had been unsafe.
@Suite("Addresses that are taken")
struct FetchableAddressTests {
  private static let pieces = [
    "http://", "https://", "HTTP://", "a", "b.example", "A-b_c", "..", ".", "~", "|", "%41", "%zz", "%00", "%20", "%",
    "@",
    "@@", ":", "u:p@", "u;o@", ":80", ":0", ":65536", ":00080", ":8a", "[::1]", "[::]", "[1:2:3:4:5:6:7:8]", "[::1",
    "]",
    "[fe80::1%25eth0]", "[::ffff:1.2.3.4]", "[1.2.3.4]", "[::1.2.3.256]", "[::1.02.3.4]", "[1::2::3]", "[:1::2]",
    "[12345::]",
    "[1:2:3:4:5:6:7:8:9]", "[1:2:3:4:5:6:7::8]", "127.0.0.1", "0x7f.1", "1.2.3", "256.1.1.1", "4294967296", "/", "//",
    "?",
    "#", "/x", "?q=1", "&", "=", ";", ",", "+", "(", ")", "!", "$", "'", "\"", "^", "`", "*", "<", ">", "{", "}", "é",
    "ö.",
    "xn--a", "-", "_", "x\u{301}",
  ]

  @Test("libcurl parses each of 200,000 random ones, and finds the host that limits and headers go by")
  func fuzz() throws {
    let seed = try SeededRandom.seed()
    var random = SeededRandom(seed: seed)
    var taken = 0
    for _ in 0..<200_000 {
      let count = Int.random(in: 1...6, using: &random)
      let start = Bool.random(using: &random) ? "http://" : "https://"
      let text = (0..<count).reduce(into: start) { text, _ in text += Self.pieces.randomElement(using: &random) ?? "" }
      guard let address = try? WebAddress(text), address.obstruction == nil else { continue }
      taken += 1
      let parsed = CurlURL(text)
      #expect(parsed?.origin.isSupported == true, "\(text), seed \(seed)")
      guard let parsed, !Self.isNumeric(address.host) else { continue }
      let name = address.host.hasPrefix("[") ? parsed.origin.host : "\(parsed.origin.host):\(parsed.origin.port)"
      let same = try WebAddress("\(parsed.origin.scheme)://\(name)/")
      #expect(address.host.hasPrefix("[") || address.hasOrigin(of: same), "\(text), seed \(seed)")
    }
    #expect(taken > 10_000)
    print("\(taken) of 200,000 random addresses were taken, seed \(seed)")
  }

  /// libcurl writes every way of an IPv4 address in its usual one.
  private static func isNumeric(_ host: String) -> Bool {
    host.prefix { $0 != ":" }.split(separator: ".").allSatisfy { $0.first?.isNumber ?? false }
  }

  @Test(
    "Those that people use are",
    arguments: [
      "https://example.org/a.mp3?x=%20&y#z", "http://u:p@example.org:8080/", "http://u%40h:p@example.org/",
      "http://[::1]:8080/a", "http://[2001:DB8::1]/", "http://[::ffff:1.2.3.4]/", "https://xn--bcher-kva.example/ü",
      "http://127.0.0.1/", "http://localhost", "https://a_b.example/",
    ])
  func usual(text: String) throws {
    #expect(try WebAddress(text).obstruction == nil)
    #expect(CurlURL(text) != nil)
  }

  @Test(
    "Others are not",
    arguments: [
      "https://exa%20mple.org/", "https://a%zz/", "https://a|b/", "https://a,b/", "https://u@v@h/", "https://[a]/",
      "https://[1::2::3]/", "https://[:1]/", "https://[1:2]/", "https://[fe80::1%25eth0]/", "https://[::1.2.3.4.5]/",
    ])
  func unusual(text: String) throws {
    #expect(try WebAddress(text).obstruction != nil)
  }
}
