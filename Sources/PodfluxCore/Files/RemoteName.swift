/// File names from URLs and servers' headers.
package enum RemoteName {
  /// The last component of a URL's path, percent-decoded, without query and fragment, or nil if the path is empty.
  ///
  /// Escapes that are malformed or decode to invalid UTF-8 stay as written.
  package static func lastPathComponent(ofURL url: String) -> String? {
    let location = url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    guard let end = location.lastIndex(where: { $0 != UInt8(ascii: "/") }),
      let slash = location[...end].lastIndex(of: UInt8(ascii: "/")),
      // "https:", "" and the host precede the path.
      location[...slash].lazy.filter({ $0 == UInt8(ascii: "/") }).count >= 3
    else { return nil }
    let last = location[slash...end].dropFirst()
    let decoded = percentDecoded(last).flatMap { String(validating: $0, as: UTF8.self) }
    return lastComponent(of: decoded ?? String(decoding: last, as: UTF8.self))
  }

  /// The part after the last slash or backslash, or nil if that is empty or a dot name.
  static func lastComponent(of name: String) -> String? {
    let separator = name.utf8.lastIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
    let text = String(name[(separator.map(name.utf8.index(after:)) ?? name.startIndex)...])
    return text.isEmpty || text == "." || text == ".." ? nil : text
  }

  /// The bytes of percent-encoded text (RFC 3986 section 2.1), or nil if an escape is malformed.
  static func percentDecoded(_ text: some Sequence<UInt8>) -> [UInt8]? {
    var decoded: [UInt8] = []
    var bytes = text.makeIterator()
    while let byte = bytes.next() {
      guard byte == UInt8(ascii: "%") else {
        decoded.append(byte)
        continue
      }
      guard let high = bytes.next().flatMap(hexadecimalValue), let low = bytes.next().flatMap(hexadecimalValue) else {
        return nil
      }
      decoded.append(high << 4 | low)
    }
    return decoded
  }

  private static func hexadecimalValue(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
