/// A text that equals another only byte for byte: Swift's strings are equal in all forms of Unicode's normalization.
struct ExactText: Hashable, Sendable {
  let text: String

  init(_ text: String) {
    self.text = text
  }

  static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.text.utf8.elementsEqual(rhs.text.utf8)
  }

  func hash(into hasher: inout Hasher) {
    // Texts that are equal byte for byte are equal strings.
    hasher.combine(text)
  }
}
