/// The query of a URL (RFC 3986 section 3.4), parameter by parameter. Cost of each: linear.
enum QueryText {
  /// The parameters, with their values.
  static func parameters(of url: String) -> [Substring.UTF8View] {
    place(in: url).map { url.utf8[$0].split(omittingEmptySubsequences: false, whereSeparator: isSeparator) } ?? []
  }

  /// A URL without some parameters; the others keep their order. A query of which nothing is left goes with its mark.
  static func removing(from url: String, where isRemoved: (Substring.UTF8View) -> Bool) -> String {
    let parameters = parameters(of: url)
    guard let place = place(in: url), parameters.contains(where: isRemoved) else { return url }
    let kept = parameters.filter { !isRemoved($0) }.map { String($0) ?? "" }
    let mark = url.utf8.index(before: place.lowerBound)
    return url[..<mark] + (kept.isEmpty ? "" : "?" + kept.joined(separator: "&")) + url[place.upperBound...]
  }

  /// A URL with one more parameter at the end of its query.
  static func adding(_ parameter: String, to url: String) -> String {
    let end = url.utf8.firstIndex(of: UInt8(ascii: "#")) ?? url.endIndex
    let separator =
      switch url.utf8[..<end].last {
      case UInt8(ascii: "?"), UInt8(ascii: "&"): ""
      default: url.utf8[..<end].contains(UInt8(ascii: "?")) ? "&" : "?"
      }
    return url[..<end] + separator + parameter + url[end...]
  }

  /// The name of a parameter, decoded; nil if it cannot be.
  static func name(of parameter: Substring.UTF8View) -> String? {
    let name = parameter.prefix { $0 != UInt8(ascii: "=") }
    guard name.contains(UInt8(ascii: "%")) else { return String(Substring(name)) }
    return RemoteName.percentDecoded(name).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The value of a parameter as it stands there; empty without one.
  static func value(of parameter: Substring.UTF8View) -> Substring {
    Substring(parameter.drop { $0 != UInt8(ascii: "=") }.dropFirst())
  }

  /// Where the query stands, without its mark; it ends at the fragment. What stands behind a mark in the fragment, as
  /// some pages have it, may be secret too, and counts as one.
  private static func place(in url: String) -> Range<String.Index>? {
    let bytes = url.utf8
    guard let mark = bytes.firstIndex(of: UInt8(ascii: "?")) else { return nil }
    return bytes.index(after: mark)..<(bytes[mark...].firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex)
  }

  /// Parameters are separated by `&`, and at some servers by `;`, which HTML 4.01 appendix B.2.2 recommends to accept.
  private static func isSeparator(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "&") || byte == UInt8(ascii: ";") }
}
