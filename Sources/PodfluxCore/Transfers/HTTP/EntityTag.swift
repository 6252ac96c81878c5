/// An entity tag: an origin's name for one version of a file (RFC 9110 section 8.8.3).
package struct EntityTag: Sendable, Hashable {
  /// The longest accepted field value, in bytes. Real tags have some dozens.
  package static let maxBytes = 1024

  /// A weak tag promises equivalent content, not equal bytes: never splice on it.
  package let isWeak: Bool

  /// The text between the quotes.
  package let opaqueTag: String

  /// Parses the value of an `ETag` field; nil if it is malformed or longer than `maxBytes`.
  ///
  /// Unquoted tags, which some origins send, are refused: in `If-Range` they would be malformed dates.
  package init?(_ text: String) {
    guard text.utf8.count <= Self.maxBytes else { return nil }
    var rest = Substring(text)
    isWeak = rest.hasPrefix("W/")
    if isWeak { rest.removeFirst(2) }
    let bytes = rest.utf8
    guard bytes.count >= 2, bytes.first == Self.quote, bytes.last == Self.quote else { return nil }
    let inner = bytes.dropFirst().dropLast()
    guard inner.allSatisfy(Self.isTagByte) else { return nil }
    opaqueTag = String(Substring(inner))
  }

  /// The tag as a field value, ready for `If-Range`.
  package var fieldValue: String { (isWeak ? "W/" : "") + "\"\(opaqueTag)\"" }

  /// Whether both tags are strong and name the same bytes (strong comparison, RFC 9110 section 8.8.3.2).
  package func namesSameBytes(as other: EntityTag) -> Bool {
    !isWeak && !other.isWeak && opaqueTag == other.opaqueTag
  }

  /// A hash of what a field value says, quoted or not, strong or weak; nil for an empty one. It tells two tags apart
  /// whose form allows no more.
  static func hash(of text: String) -> Int64? {
    var bytes = text.utf8[...]
    if bytes.starts(with: "W/".utf8) { bytes.removeFirst(2) }
    if bytes.count >= 2, bytes.first == quote, bytes.last == quote { bytes = bytes.dropFirst().dropLast() }
    guard !bytes.isEmpty else { return nil }
    var hash = FieldHash()
    hash.add(String(Substring(bytes)))
    return hash.value
  }

  private static let quote = UInt8(ascii: "\"")

  /// The grammar's `etagc`: visible ASCII except the quote, and bytes above it.
  private static func isTagByte(_ byte: UInt8) -> Bool {
    byte == 0x21 || (0x23...0x7E).contains(byte) || byte >= 0x80
  }
}
