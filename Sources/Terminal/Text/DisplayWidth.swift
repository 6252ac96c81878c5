extension String {
  /// How many columns of a terminal the text takes. Where terminals differ, this is the larger number: a line that is
  /// shorter than it was counted looks ragged, one that is longer would be cut.
  ///
  /// The text must be printable.
  package var displayWidth: Int {
    isPrintableASCII ? utf8.count : reduce(0) { $0 + $1.displayWidth }
  }

  /// The text, cut between two characters and ended with "…" if it is wider than `limit` columns.
  ///
  /// It can be a column narrower than the limit, where a wide character did not fit.
  package func truncated(toWidth limit: Int) -> String {
    guard limit > 0 else { return "" }
    var (width, fitting) = (0, startIndex)
    for index in indices {
      width += self[index].displayWidth
      guard width <= limit else { return self[..<fitting] + "…" }
      // The ellipsis takes a column too.
      if width < limit { fitting = self.index(after: index) }
    }
    return self
  }

  /// The text with spaces on one side, at least `width` columns wide.
  package func padded(toWidth width: Int, _ alignment: Alignment = .leading) -> String {
    let spaces = String(repeating: " ", count: max(0, width - displayWidth))
    return alignment == .leading ? self + spaces : spaces + self
  }
}

/// The side of a column at which its text begins or ends.
package enum Alignment: Sendable {
  /// At the left: texts.
  case leading
  /// At the right: numbers.
  case trailing
}

extension Character {
  /// How many columns the character (a grapheme cluster) takes: 2 for emoji however they are composed and for wide and
  /// fullwidth scalars, 0 for combining marks, 1 for others, also for those whose width is ambiguous (UAX #11).
  var displayWidth: Int {
    if let ascii = asciiValue { return ascii < 0x20 || ascii == 0x7F ? 0 : 1 }
    return isShownAsEmoji ? 2 : unicodeScalars.reduce(0) { $0 + $1.displayWidth }
  }

  /// Whether the whole cluster is one picture (UTS #51): by default, by variation selector 16, or by joining.
  private var isShownAsEmoji: Bool {
    var previous: Unicode.Scalar?
    for scalar in unicodeScalars {
      if scalar.properties.isEmojiPresentation { return true }
      // Digits are emoji in this sense: with variation selector 16 and U+20E3 they are keycaps.
      if scalar == "\u{FE0F}", previous?.properties.isEmoji == true { return true }
      previous = scalar
    }
    return false
  }
}

extension Unicode.Scalar {
  /// How many columns a scalar takes outside emoji.
  fileprivate var displayWidth: Int {
    if isASCII { return 1 }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .control, .lineSeparator, .paragraphSeparator: return 0
    // Other format characters, such as the Arabic number sign, are visible.
    case .format where properties.isDefaultIgnorableCodePoint: return 0
    default: break
    }
    if WideScalars.contains(value) { return 2 }
    return Self.conjoiningJamo.contains { $0.contains(value) } ? 0 : 1
  }

  /// The vowels and final consonants of Hangul, which join the syllable's first consonant.
  private static let conjoiningJamo: [ClosedRange<UInt32>] = [0x1160...0x11FF, 0xD7B0...0xD7FF]
}
