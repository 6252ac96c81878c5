/// What libcurl's parser of URLs wants beyond what an address is checked for.
///
/// Rows of former versions may hold addresses that do not meet it, and are read all the same: so it is asked when a
/// client names an address, and not by `init`.
extension WebAddress {
  /// What keeps an address from being fetched.
  public enum Obstruction: Hashable, Sendable {
    /// The host has characters that no name has, or is no IPv6 address within its brackets.
    case badHost
    /// There is more than one `@` before the path: nobody can say where the host begins.
    case ambiguousUser
  }

  /// What keeps this address from being fetched, if anything does.
  public var obstruction: Obstruction? {
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

  /// RFC 3986 section 3.2.2 without what is escaped, and without the marks that no name server knows.
  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: "-._~".utf8.contains(byte)
    }
  }
}

/// The text of an IPv6 address (RFC 4291 section 2.2), without a zone: that means something on one machine only.
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

  /// How many groups of 16 bits these are; nil if they are none.
  private static func count(_ text: ArraySlice<UInt8>, mayEndInIPv4: Bool) -> Int? {
    guard !text.isEmpty else { return 0 }
    let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    var groups = 0
    for (index, part) in parts.enumerated() {
      if mayEndInIPv4, index == parts.count - 1, part.contains(UInt8(ascii: ".")) {
        guard isIPv4(part) else { return nil }
        groups += 2
      } else {
        guard (1...4).contains(part.count), part.allSatisfy(isHexadecimal) else { return nil }
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

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
    default: false
    }
  }
}
