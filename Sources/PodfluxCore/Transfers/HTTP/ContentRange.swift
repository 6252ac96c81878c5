/// A parsed `Content-Range` field: which bytes of the whole a response carries (RFC 9110 section 14.4).
package enum ContentRange: Sendable, Hashable {
  /// The bytes `first...last` of a representation of `total` bytes; `total` is nil if the origin does not know it
  /// (`*`).
  case bytes(first: Int64, last: Int64, total: Int64?)
  /// The requested range does not exist; the representation has `total` bytes (sent with 416).
  case unsatisfied(total: Int64)

  /// Parses the value of a `Content-Range` field strictly: nil for anything outside the grammar, for numbers beyond
  /// 2⁵³, for a last byte before the first one, and for a last byte at or beyond the total.
  ///
  /// The forms are `bytes 0-499/1234`, `bytes 0-499/*` and `bytes */1234`. The unit's case does not matter.
  package init?(_ text: String) {
    let words = text.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard words.count == 2, String(words[0])?.lowercased() == "bytes" else { return nil }
    let halves = words[1].split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard halves.count == 2 else { return nil }

    let isTotalUnknown = halves[1].elementsEqual("*".utf8)
    let total = decimalNumber(halves[1])
    guard isTotalUnknown || total != nil else { return nil }

    if halves[0].elementsEqual("*".utf8) {
      guard let total else { return nil }
      self = .unsatisfied(total: total)
      return
    }

    let bounds = halves[0].split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard bounds.count == 2, let first = decimalNumber(bounds[0]), let last = decimalNumber(bounds[1]) else {
      return nil
    }
    guard first <= last, last < total ?? .max else { return nil }
    self = .bytes(first: first, last: last, total: total)
  }
}
