/// The rule for ids that clients choose: 1 to 128 characters of `A-Z a-z 0-9 . _ - :`, the first one no dot, so that an
/// id can be a file's name.
enum IdentifierText {
  /// The longest id, in bytes (all characters are ASCII).
  static let maximumLength = 128

  /// Whether the text is a valid id.
  static func isValid(_ text: String) -> Bool {
    let bytes = text.utf8
    return (1...maximumLength).contains(bytes.count) && bytes.first != UInt8(ascii: ".")
      && bytes.allSatisfy(isAllowed)
  }

  /// Makes an id from random draws: 80 bits, so that a million of them collide with a probability below 10⁻¹².
  static func drawn(prefix: String, from generator: inout some RandomNumberGenerator) -> String {
    var text = Array(prefix.utf8)
    for _ in 0..<2 {
      var bits = generator.next()
      for _ in 0..<8 {
        text.append(alphabet[Int(bits & 31)])
        bits >>= 5
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"),
      UInt8(ascii: ":"):
      true
    default: false
    }
  }
}
