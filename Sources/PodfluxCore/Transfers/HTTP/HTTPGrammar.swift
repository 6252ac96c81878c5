/// The grammar of header fields in HTTP (RFC 9110 sections 5.5 and 5.6.2).
extension UInt8 {
  /// Whether a token may have this byte: `tchar`.
  package var isTokenByte: Bool { isASCIILetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains(self) }

  /// Whether the value of a field may have this byte.
  package var isFieldByte: Bool { self == UInt8(ascii: "\t") || self >= 0x20 && self != 0x7F }

  var isASCIILetterOrDigit: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }
}

extension String {
  /// Whether this can be the name of a header field: a `token`.
  package var isHTTPToken: Bool { !utf8.isEmpty && utf8Span.span.allSatisfy { $0.isTokenByte } }

  /// Whether this can be the value of a header field.
  package var isFieldText: Bool { utf8Span.span.allSatisfy { $0.isFieldByte } }
}

extension Span<UInt8> {
  /// Whether all bytes are such. A string's view of its bytes costs several times as much for each of them.
  fileprivate func allSatisfy(_ isSuch: (UInt8) -> Bool) -> Bool {
    for index in indices where !isSuch(self[index]) { return false }
    return true
  }
}
