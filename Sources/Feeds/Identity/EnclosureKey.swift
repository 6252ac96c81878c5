import PodfluxCore

/// The comparable form of an enclosure's URL: two URLs with the same form are the same file.
///
/// http and https are the same, the host's case and the scheme's own port do not count, and the prefixes and parameters
/// by which publishers count listeners are removed, if they are known ones. Everything else is part of it: of
/// `play.php?id=7` and `play.php?id=8` each is a file.
struct EnclosureKey: Hashable, Sendable {
  let text: ExactText

  init(_ address: WebAddress) {
    if let plain = Self.plainForm(of: address) {
      text = ExactText(plain)
      return
    }
    var rest = Self.withoutSchemeAndPort(address)
    for _ in 0..<Self.maximumPrefixes {
      guard let target = TrackingPrefix.target(of: rest) else { break }
      rest = target
    }
    let end = rest.firstIndex { Self.endsAuthority($0) } ?? rest.endIndex
    let authority = Self.inLowerCase(rest[..<end])
    let path = TrackingParameter.removed(from: rest[end...], host: authority)
    text = ExactText(String(decoding: authority + path, as: UTF8.self))
  }

  /// The form of an address that differs from it in the scheme alone, as most do; nil for any other.
  private static func plainForm(of address: WebAddress) -> String? {
    let bytes = address.description.utf8.span
    // A checked address has a scheme of either form.
    let start = bytes[4] == UInt8(ascii: ":") ? 7 : 8
    let rest = bytes.extracting(start...)
    let host = address.host.utf8.span
    guard rest.extracting(first: host.count).hasBytes(of: host), !host.contains(UInt8(ascii: ":")),
      rest.count == host.count || endsAuthority(rest[host.count]), !rest.contains(UInt8(ascii: "?")),
      !TrackingPrefix.isKnown(host: address.host)
    else { return nil }
    return String(rest, 0..<rest.count)
  }

  /// The prefixes that are removed from one URL. Publishers stack up to ten.
  static let maximumPrefixes = 16

  /// Whether the texts of two differ in nothing but their queries, as the URLs of a server do that signs each anew.
  static func differOnlyInQuery(_ first: ExactText, _ second: ExactText) -> Bool {
    place(in: first).elementsEqual(place(in: second))
  }

  private static func place(in key: ExactText) -> Substring.UTF8View {
    key.text.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
  }

  private static func withoutSchemeAndPort(_ address: WebAddress) -> ArraySlice<UInt8> {
    let bytes = Array(address.description.utf8)
    // A checked address has a scheme of either form.
    let isSecure = bytes[4] != UInt8(ascii: ":")
    let rest = bytes[(isSecure ? 8 : 7)...]
    let end = rest.firstIndex { endsAuthority($0) } ?? rest.endIndex
    let port = Array((isSecure ? ":443" : ":80").utf8)
    guard rest[..<end].suffix(port.count).elementsEqual(port) else { return rest }
    return rest[..<(end - port.count)] + rest[end...]
  }

  private static func endsAuthority(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
  }

  /// The host in lower case, user name and password as they are.
  private static func inLowerCase(_ authority: ArraySlice<UInt8>) -> [UInt8] {
    let host = authority.lastIndex(of: UInt8(ascii: "@")) ?? authority.startIndex
    return authority[..<host] + authority[host...].map(\.inLowerCase)
  }
}

extension UInt8 {
  /// A letter of ASCII in lower case, any other byte as it is.
  var inLowerCase: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}
