extension [String] {
  /// An enumeration with commas, and an “and” before the last word.
  package var listed: String { listed("and") }

  /// An enumeration with commas, and another word before the last one.
  package func listed(_ word: String) -> String {
    guard let last, count > 1 else { return first ?? "" }
    return dropLast().joined(separator: ", ") + " \(word) " + last
  }
}
