import PodfluxCore
import Texts

/// A URL as a document writes it: absolute, or relative to a base (RFC 3986 section 5).
enum URLReference {
  /// The absolute URL. Blanks around it are dropped, line breaks and tabs in it too; blanks in it and characters beyond
  /// ASCII are percent-encoded, and a host beyond ASCII is written as DNS has it. `feed:` and the like mean http.
  static func resolve(_ text: String, base: WebAddress?) throws(WebAddress.Fault) -> WebAddress {
    if isPlain(text) { return try WebAddress(text) }
    let trimmed = trimmed(text.utf8.filter { ![0x09, 0x0A, 0x0D].contains($0) })
    var reference = Parts(Array(PodcastLink.address(in: trimmed).utf8))
    if reference.scheme == nil, let base {
      let base = Parts(Array(base.description.utf8))
      reference = reference.resolved(against: base)
    }
    return try WebAddress(InternationalHost.inASCII(String(decoding: reference.spelling, as: UTF8.self)))
  }

  /// Whether a text is absolute and needs no change, as most are.
  private static func isPlain(_ text: String) -> Bool {
    let bytes = text.utf8.span
    guard bytes.begins(with: "http://") || bytes.begins(with: "https://") else { return false }
    return bytes.allSatisfy { byte in
      switch byte {
      case 0...0x20, 0x7F..., UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"): false
      default: true
      }
    }
  }

  private static func trimmed(_ bytes: [UInt8]) -> String {
    let start = bytes.firstIndex { $0 > 0x20 } ?? bytes.endIndex
    let end = bytes.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? start
    return String(decoding: bytes[start..<end], as: UTF8.self)
  }
}

/// The five parts of RFC 3986 section 3.
private struct Parts {
  var scheme: ArraySlice<UInt8>?
  var authority: ArraySlice<UInt8>?
  var path: ArraySlice<UInt8>
  var query: ArraySlice<UInt8>?
  var fragment: ArraySlice<UInt8>?

  init(_ bytes: [UInt8]) {
    var rest = bytes[...]
    if let hash = rest.firstIndex(of: UInt8(ascii: "#")) {
      fragment = rest[(hash + 1)...]
      rest = rest[..<hash]
    }
    if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
      query = rest[(mark + 1)...]
      rest = rest[..<mark]
    }
    if let colon = rest.firstIndex(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }),
      rest[colon] == UInt8(ascii: ":"), colon > rest.startIndex, rest[..<colon].allSatisfy(Self.isSchemeByte)
    {
      scheme = rest[..<colon]
      rest = rest[(colon + 1)...]
    }
    if rest.starts(with: "//".utf8) {
      rest = rest.dropFirst(2)
      let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
      authority = rest[..<end]
      rest = rest[end...]
    }
    path = rest
  }

  /// RFC 3986 section 5.2.2.
  func resolved(against base: Parts) -> Parts {
    var target = self
    target.scheme = base.scheme
    guard authority == nil else { return target }
    target.authority = base.authority
    if path.isEmpty {
      target.path = base.path
      if query == nil { target.query = base.query }
    } else if path.first != UInt8(ascii: "/") {
      let end = base.path.lastIndex(of: UInt8(ascii: "/"))
      let folder = end.map { base.path[...$0] } ?? [UInt8(ascii: "/")]
      target.path = folder + path
    }
    target.path = Self.withoutDots(target.path)
    return target
  }

  /// RFC 3986 section 5.2.4.
  private static func withoutDots(_ path: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var segments: [ArraySlice<UInt8>] = []
    let given = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    for (index, segment) in given.enumerated() {
      let isLast = index == given.count - 1
      if segment.elementsEqual(".".utf8) {
        if isLast { segments.append([]) }
      } else if segment.elementsEqual("..".utf8) {
        if segments.count > 1 { segments.removeLast() }
        if isLast { segments.append([]) }
      } else {
        segments.append(segment)
      }
    }
    return Array(segments.joined(separator: [UInt8(ascii: "/")]))[...]
  }

  var spelling: [UInt8] {
    var bytes: [UInt8] = []
    if let scheme { bytes += scheme + [UInt8(ascii: ":")] }
    if let authority { bytes += Array("//".utf8) + authority }
    Self.append(path, to: &bytes)
    if let query {
      bytes.append(UInt8(ascii: "?"))
      Self.append(query, to: &bytes)
    }
    if let fragment {
      bytes.append(UInt8(ascii: "#"))
      Self.append(fragment, to: &bytes)
    }
    return bytes
  }

  /// Appends a part with blanks and what is no ASCII percent-encoded.
  private static func append(_ part: ArraySlice<UInt8>, to bytes: inout [UInt8]) {
    let digits = Array("0123456789ABCDEF".utf8)
    for byte in part {
      switch byte {
      case 0...0x20, 0x7F..., UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"):
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
      default: bytes.append(byte)
      }
    }
  }

  private static func isSchemeByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
      true
    default: false
    }
  }
}
