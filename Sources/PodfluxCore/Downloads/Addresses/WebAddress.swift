/// A checked http or https URL with its host.
///
/// It keeps the client's spelling. It checks the parts of RFC 3986 where an error could do harm: scheme, authority, no
/// control characters or blanks. libcurl parses the URL again and is restricted to http and https.
///
/// ```swift
/// let address = try WebAddress("https://me:secret@example.org/1.mp3")
/// print(address.host, address.redacted)
/// ```
public struct WebAddress: Hashable, Sendable, CustomStringConvertible {
  /// The longest URL, in UTF-8 bytes.
  public static let maximumLength = 8192

  /// Why a text is no web address.
  ///
  /// ```swift
  /// do throws(WebAddress.Fault) { _ = try WebAddress(url) } catch { print(error) }
  /// ```
  public enum Fault: Error, Hashable, Sendable {
    case tooLong
    case forbiddenCharacter
    case noScheme
    case unsupportedScheme(String)
    case noHost
    case foreignHost
    case badPort
  }

  public let description: String
  /// Host and port in lower case, as per-host limits use them: `example.org`, `127.0.0.1:8080`, `[::1]:80`.
  public let host: String

  public init(_ text: String) throws(Fault) {
    if let host = Self.plainHost(of: text) {
      description = text
      self.host = host
      return
    }
    let bytes = text.utf8
    guard bytes.count <= Self.maximumLength else { throw .tooLong }
    guard bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") }) else { throw .forbiddenCharacter }
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { throw .noScheme }
    let scheme = text[..<colon].lowercased()
    guard Self.isScheme(scheme) else { throw .noScheme }
    guard scheme == "http" || scheme == "https" else { throw .unsupportedScheme(scheme) }
    let rest = bytes[bytes.index(after: colon)...]
    guard rest.starts(with: "//".utf8) else { throw .noHost }
    // By bytes, as in libcurl: a slash with a combining accent is one Character, not equal to a slash.
    let authority = rest.dropFirst(2).prefix { !"/?#".utf8.contains($0) }
    let hostAndPort = authority.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false).last
    description = text
    host = try Self.checkedHost(hostAndPort.map { String(Substring($0)).lowercased() } ?? "")
  }

  /// The host of an address of the plainest form, which most have: a scheme and a name in lower case, no user, and
  /// no port or one without leading zeros. The many addresses of a feed are read so, in a tenth of the time. Nil leaves
  /// the judgement to the checks of `init`.
  private static func plainHost(of text: String) -> String? {
    text.utf8.withContiguousStorageIfAvailable { bytes -> String? in
      guard bytes.count <= maximumLength, let start = nameStart(bytes) else { return nil }
      var end = start
      while end < bytes.count, isPlainNameByte(bytes[end]) { end += 1 }
      guard end > start else { return nil }
      end += plainPortLength(bytes[end...])
      guard end == bytes.count || isBehindAuthority(bytes[end]) else { return nil }
      for index in end..<bytes.count {
        let byte = bytes[index]
        guard byte > 0x20, byte != 0x7F, byte != UInt8(ascii: "\\") else { return nil }
      }
      return String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<end]), as: UTF8.self)
    } ?? nil
  }

  /// Where the authority of an address begins; nil without a scheme in lower case.
  private static func nameStart(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    guard bytes.count > 8 else { return nil }
    let scheme: StaticString = bytes[4] == UInt8(ascii: ":") ? "http://" : "https://"
    return scheme.withUTF8Buffer { scheme in
      for index in scheme.indices where bytes[index] != scheme[index] { return nil }
      return scheme.count
    }
  }

  private static func isPlainNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
      UInt8(ascii: "."):
      true
    default: false
    }
  }

  /// How many bytes the colon and the digits of a port have that begin here; 0 for another form.
  private static func plainPortLength(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Int {
    guard bytes.first == UInt8(ascii: ":") else { return 0 }
    var (port, digits) = (0, 0)
    for byte in bytes.dropFirst() {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { break }
      (port, digits) = (port * 10 + Int(byte - UInt8(ascii: "0")), digits + 1)
      guard port > 0, port <= UInt16.max else { return 0 }
    }
    return digits > 0 ? 1 + digits : 0
  }

  private static func isBehindAuthority(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
  }

  private static func isScheme(_ text: String) -> Bool {
    guard let first = text.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first) else { return false }
    return text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"),
        UInt8(ascii: "-"), UInt8(ascii: "."):
        true
      default: false
      }
    }
  }

  /// Whether a host, with or without a port, is this machine: `localhost`, 127.0.0.0/8 (RFC 1122 section 3.2.1.3) in
  /// its usual form, or `::1` (RFC 4291 section 2.5.3).
  package static func isLoopback(_ host: String) -> Bool {
    // The scheduler calls it for each host of the queue: the first byte decides on most.
    switch host.utf8.first {
    case UInt8(ascii: "["): return host.prefix { $0 != "]" } == "[::1"
    case UInt8(ascii: "l"): return host.prefix { $0 != ":" } == "localhost"
    case UInt8(ascii: "1"): return isLoopbackNumber(host.utf8Span.span)
    default: return false
    }
  }

  /// Whether a host that begins with a 1 is four numbers of a byte each, the first of which is 127. With a sign or a
  /// leading zero it may be a name for DNS.
  private static func isLoopbackNumber(_ host: Span<UInt8>) -> Bool {
    guard host.count > 4, host[1] == UInt8(ascii: "2"), host[2] == UInt8(ascii: "7"), host[3] == UInt8(ascii: ".")
    else { return false }
    var (number, digits, parts) = (0, 0, 1)
    for index in 4..<host.count {
      let byte = host[index]
      guard byte != UInt8(ascii: ":") else { break }
      switch byte {
      case UInt8(ascii: "."):
        guard digits > 0 else { return false }
        (number, digits, parts) = (0, 0, parts + 1)
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        guard digits == 0 || number > 0 else { return false }
        (number, digits) = (number * 10 + Int(byte - UInt8(ascii: "0")), digits + 1)
        guard number <= Int(UInt8.max) else { return false }
      default: return false
      }
    }
    return parts == 3 && digits > 0
  }

  /// The same place in the one spelling by which subscriptions are told apart: scheme and host in lower case, without
  /// the scheme's own port and without a fragment, which no request has (RFC 3986 sections 6.2.2.1, 6.2.3 and 3.5).
  public var normalized: WebAddress {
    // By bytes, as in `init`.
    let whole = description.utf8.prefix { $0 != UInt8(ascii: "#") }
    guard let colon = whole.firstIndex(of: UInt8(ascii: ":")) else { return self }
    let rest = whole[colon...].dropFirst(3)
    let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
    let user = authority.lastIndex(of: UInt8(ascii: "@")).map { Substring(authority[...$0]) } ?? ""
    let (scheme, name, port) = origin
    let isStandard = port == (scheme == "https" ? 443 : 80)
    let path = Substring(rest[authority.endIndex...])
    return (try? WebAddress("\(scheme)://\(user)\(name)\(isStandard ? "" : ":\(port)")\(path)")) ?? self
  }

  /// Whether it has the scheme, host and port of another (RFC 6454 section 5). Different spellings of a host count as
  /// different.
  package func hasOrigin(of other: WebAddress) -> Bool {
    if description == other.description { return true }
    let (own, others) = (origin, other.origin)
    return own.scheme == others.scheme && own.name == others.name && own.port == others.port
  }

  /// The scheme, the host's name and its port, or the scheme's default. `host` has passed its check: a number follows
  /// the colon.
  private var origin: (scheme: String, name: Substring, port: UInt16) {
    let scheme = description.prefix { $0 != ":" }.lowercased()
    let nameEnd = host.hasPrefix("[") ? host.lastIndex(of: "]") : nil
    guard let colon = host[(nameEnd ?? host.startIndex)...].lastIndex(of: ":"),
      let port = UInt16(host[host.index(after: colon)...])
    else { return (scheme, host[...], scheme == "https" ? 443 : 80) }
    return (scheme, host[..<colon], port)
  }

  private static func checkedHost(_ text: String) throws(Fault) -> String {
    guard text.utf8.allSatisfy({ $0 < 0x80 }) else { throw .foreignHost }
    let nameEnd =
      text.hasPrefix("[")
      ? text.firstIndex(of: "]").map { text.index(after: $0) } : text.firstIndex(of: ":") ?? text.endIndex
    guard let nameEnd, nameEnd != text.startIndex, text[..<nameEnd] != "[]" else { throw .noHost }
    let port = text[nameEnd...]
    guard !port.isEmpty else { return text }
    guard port.first == ":", port.dropFirst().utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { throw .badPort }
    if port.count == 1 { return String(text[..<nameEnd]) }
    guard let number = UInt16(port.dropFirst()), number > 0 else { throw .badPort }
    return text
  }
}
