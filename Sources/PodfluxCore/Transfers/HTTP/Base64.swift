/// Base64 (RFC 4648) without Foundation.
package enum Base64 {
  /// The text of these bytes, with padding, in the alphabet of section 4.
  package static func text(of bytes: some Collection<UInt8>) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var (pending, bits): (UInt32, Int) = (0, 0)
    for byte in bytes {
      pending = pending << 8 | UInt32(byte)
      bits += 8
      while bits >= 6 {
        bits -= 6
        text.append(alphabet[Int(pending >> bits & 0x3F)])
      }
    }
    if bits > 0 { text.append(alphabet[Int(pending << (6 - bits) & 0x3F)]) }
    while text.count % 4 != 0 { text.append(padding) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Decodes text in the alphabet of section 4 or of section 5 (base64url), with complete padding or none.
  ///
  /// Nil for anything else: other characters, an impossible length, spare bits that are not zero.
  package static func bytes(of text: some BidirectionalCollection<UInt8>) -> [UInt8]? {
    var digits = text[...]
    while digits.last == padding { digits.removeLast() }
    let (count, paddings) = (digits.count, text.count - digits.count)
    guard count % 4 != 1, paddings == 0 || (paddings <= 2 && text.count % 4 == 0) else { return nil }

    var bytes: [UInt8] = []
    bytes.reserveCapacity(count / 4 * 3 + 2)
    var (pending, bits): (UInt32, Int) = (0, 0)
    for digit in digits {
      guard let value = value(of: digit) else { return nil }
      pending = (pending << 6 | value) & 0xFFFF
      bits += 6
      guard bits >= 8 else { continue }
      bits -= 8
      bytes.append(UInt8(truncatingIfNeeded: pending >> bits))
    }
    return pending & (1 << bits - 1) == 0 ? bytes : nil
  }

  private static let padding = UInt8(ascii: "=")

  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  private static func value(of digit: UInt8) -> UInt32? {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
    case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
