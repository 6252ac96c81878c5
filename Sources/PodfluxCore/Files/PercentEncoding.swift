/// Percent-encoding (RFC 3986 section 2.1).
package enum PercentEncoding {
  /// Whether a byte needs no encoding in any part of an address (section 2.3).
  package static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-._~".utf8.contains(byte)
    }
  }

  /// The bytes as text, each encoded but those that stay as they are. Cost: linear.
  package static func encoded(_ bytes: some Sequence<UInt8>, except isKept: (UInt8) -> Bool) -> String {
    var encoded: [UInt8] = []
    for byte in bytes { if isKept(byte) { encoded.append(byte) } else { append(byte, to: &encoded) } }
    return String(decoding: encoded, as: UTF8.self)
  }

  /// Appends a byte, encoded.
  static func append(_ byte: UInt8, to text: inout [UInt8]) {
    text += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
  }

  private static let digits = Array("0123456789ABCDEF".utf8)
}
