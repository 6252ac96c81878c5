import Flux
import PodfluxCore
import Testing

@Suite("Base64")
struct Base64Tests {
  @Test(
    "matches RFC 4648 section 10",
    arguments: [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
      ("foobar", "Zm9vYmFy"),
    ])
  func vectors(plain: String, text: String) {
    #expect(Base64.text(of: Array(plain.utf8)) == text)
    #expect(Base64.bytes(of: text.utf8) == Array(plain.utf8))
    #expect(Base64.bytes(of: text.filter { $0 != "=" }.utf8) == Array(plain.utf8), "padding may be missing")
  }

  @Test("is decoded in both alphabets")
  func alphabets() {
    #expect(Base64.text(of: [0xFB, 0xFF, 0xBF]) == "+/+/")
    #expect(Base64.bytes(of: "+/+/".utf8) == [0xFB, 0xFF, 0xBF])
    #expect(Base64.bytes(of: "-_-_".utf8) == [0xFB, 0xFF, 0xBF])
  }

  @Test(
    "is refused if malformed",
    arguments: [
      "=", "==", "===", "====", "Z", "Zg=", "Zg===", "Zm8==", "Zm9v=", "Zm9v====", "Z=g=", "Zg==Zg==", "Zm 9v",
      "Zm9v\n",
      "Zm9%", "Zm9é", "Zh", "Zh==", "Zm9", "Zm9=", "Zm9vY",
    ])
  func malformed(text: String) {
    #expect(Base64.bytes(of: text.utf8) == nil)
  }

  @Test("is decoded to the input", arguments: [1, 2] as [UInt64])
  func roundTrips(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for length in 0..<200 {
      let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
      let text = Base64.text(of: bytes)
      #expect(text.utf8.count == (length + 2) / 3 * 4)
      #expect(Base64.bytes(of: text.utf8) == bytes, "seed \(seed)")
    }
  }
}
