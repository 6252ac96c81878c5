/// A text that equals another only byte for byte: Swift's strings are equal in all forms of Unicode's normalization.
struct ExactText: Hashable, Sendable {
  let text: String

  init(_ text: String) {
    self.text = text
  }

  static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.text.utf8.span.hasBytes(of: rhs.text.utf8.span)
  }

  func hash(into hasher: inout Hasher) {
    // A string hashes its normal form instead, and thousands of different texts can have the same.
    text.utf8.span.withUnsafeBytes { hasher.combine(bytes: $0) }
    // No text has this byte: it ends each in what has several.
    hasher.combine(0xFF as UInt8)
  }
}
