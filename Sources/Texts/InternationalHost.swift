import Foundation

/// Hosts beyond ASCII in URLs, as people and documents write them.
package enum InternationalHost {
  /// The longest host that is rewritten, in bytes of UTF-8: no name in DNS is longer in ASCII (RFC 1035).
  private static let maximumBytes = 1024

  /// A URL with its host as DNS has it (UTS #46 and RFC 5891): `http://münchen.example/ä` gives
  /// `http://xn--mnchen-3ya.example/ä`. A URL whose host is in ASCII, or cannot be written so, stays as it is.
  package static func inASCII(_ url: String) -> String {
    guard url.utf8.contains(where: { $0 >= 0x80 }) else { return url }
    let bytes = Array(url.utf8)
    guard let start = authorityStart(in: bytes) else { return url }
    let end = bytes[start...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.endIndex
    let user = bytes[start..<end].lastIndex(of: UInt8(ascii: "@")).map { $0 + 1 } ?? start
    let port = bytes[user..<end].lastIndex(of: UInt8(ascii: ":")) ?? end
    let host = bytes[user..<port]
    guard host.contains(where: { $0 >= 0x80 }), host.count <= maximumBytes, let name = name(of: host) else {
      return url
    }
    return String(decoding: bytes[..<user] + Array(name.utf8) + bytes[port...], as: UTF8.self)
  }

  private static func authorityStart(in bytes: [UInt8]) -> Int? {
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[(colon + 1)...].starts(with: "//".utf8) else {
      return nil
    }
    return colon + 3
  }

  /// Nil for what is no name in DNS.
  private static func name(of host: ArraySlice<UInt8>) -> String? {
    guard !host.contains(where: { $0 <= 0x20 || "%:[]\\".utf8.contains($0) }),
      let name = URLComponents(string: "http://\(String(decoding: host, as: UTF8.self))/")?.encodedHost?.lowercased(),
      !name.isEmpty, name.utf8.allSatisfy(isNameByte)
    else { return nil }
    return name
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: "-._".utf8.contains(byte)
    }
  }
}
