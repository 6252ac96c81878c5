/// libcurl's requirements on URLs beyond the check of `WebAddress`.
///
/// Rows of former versions may contain addresses that violate them, and must stay readable: so the engine checks them
/// when a client names an address, not in `init`.
extension WebAddress {
  /// Why libcurl cannot fetch an address.
  package enum Obstruction: Hashable, Sendable {
    /// The host contains invalid characters, or its brackets no IPv6 address.
    case badHost
    /// More than one `@` precedes the path: the start of the host is ambiguous.
    case ambiguousUser
  }

  /// Why libcurl cannot fetch this address; nil if it can.
  package var obstruction: Obstruction? {
    let bytes = description.utf8
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return .badHost }
    let authority = bytes[colon...].dropFirst(3).prefix { !"/?#".utf8.contains($0) }
    guard authority.count(where: { $0 == UInt8(ascii: "@") }) <= 1 else { return .ambiguousUser }
    guard host.hasPrefix("[") else {
      let name = host.utf8.prefix { $0 != UInt8(ascii: ":") }
      return name.allSatisfy(Self.isNameByte) ? nil : .badHost
    }
    let literal = host.dropFirst().prefix { $0 != "]" }
    return IPv6Literal.isValid(literal.utf8) ? nil : .badHost
  }

  /// RFC 3986 section 3.2.2 without escapes, and without the marks that DNS does not use.
  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: "-._~".utf8.contains(byte)
    }
  }
}

/// The text of an IPv6 address (RFC 4291 section 2.2), without a zone, which has a meaning on one machine only.
enum IPv6Literal {
  private static let groups = 8

  static func isValid(_ text: some Collection<UInt8>) -> Bool {
    let text = Array(text)
    guard let gap = firstGap(in: text) else { return count(text[...], mayEndInIPv4: true) == groups }
    let (head, tail) = (text[..<gap], text[(gap + 2)...])
    guard let before = count(head, mayEndInIPv4: false), let after = count(tail, mayEndInIPv4: true) else {
      return false
    }
    return before + after < groups
  }

  private static func firstGap(in text: [UInt8]) -> Int? {
    let colon = UInt8(ascii: ":")
    return text.indices.dropLast().first { text[$0] == colon && text[$0 + 1] == colon }
  }

  /// The number of 16-bit groups; nil for other text.
  private static func count(_ text: ArraySlice<UInt8>, mayEndInIPv4: Bool) -> Int? {
    guard !text.isEmpty else { return 0 }
    let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    var groups = 0
    for (index, part) in parts.enumerated() {
      if mayEndInIPv4, index == parts.count - 1, part.contains(UInt8(ascii: ".")) {
        guard isIPv4(part) else { return nil }
        groups += 2
      } else {
        guard (1...4).contains(part.count), part.allSatisfy(\.isHexadecimalDigit) else { return nil }
        groups += 1
      }
    }
    return groups
  }

  private static func isIPv4(_ text: ArraySlice<UInt8>) -> Bool {
    let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return parts.count == 4
      && parts.allSatisfy { part in
        guard (1...3).contains(part.count), let number = decimalNumber(part), number <= 255 else { return false }
        return part.count == 1 || part.first != UInt8(ascii: "0")
      }
  }
}
