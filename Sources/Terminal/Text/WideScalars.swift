/// The scalars that take two columns without being emoji by default.
///
/// Source: the values W and F in EastAsianWidth.txt of Unicode 16, without those that have the property
/// Emoji_Presentation, which the standard library knows. Ranges span holes of unassigned scalars.
enum WideScalars {
  /// Whether a scalar is one of them.
  static func contains(_ value: UInt32) -> Bool {
    guard value >= ranges[0].lowerBound else { return false }
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound < value { low = middle + 1 } else { high = middle }
    }
    return low < ranges.count && ranges[low].contains(value)
  }

  private static let ranges: [ClosedRange<UInt32>] = [
    0x1100...0x115F,  // Hangul: first consonants
    0x2329...0x232A,  // angle brackets
    0x2630...0x2637,  // trigrams
    0x268A...0x268F,  // monograms and digrams
    0x2E80...0x303E,  // radicals, description characters, CJK punctuation
    // Kana, Bopomofo, Hangul letters, strokes, enclosed letters, CJK ideographs, hexagrams, Yi. Eight circled numbers
    // among them, U+3248…U+324F, are ambiguous, and wide in the C library that terminals ask.
    0x3041...0xA4CF,
    0xA960...0xA97F,  // Hangul: old first consonants
    0xAC00...0xD7A3,  // Hangul syllables
    0xF900...0xFAFF,  // compatibility ideographs
    0xFE10...0xFE19,  // vertical forms
    0xFE30...0xFE6F,  // compatibility forms, small forms
    0xFF01...0xFF60,  // fullwidth forms
    0xFFE0...0xFFE6,  // fullwidth signs
    0x16FE0...0x16FFF,  // marks of CJK, Tangut and Nüshu
    0x17000...0x18DFF,  // Tangut, Khitan
    0x1AFF0...0x1B2FF,  // kana supplements, Nüshu
    0x1D300...0x1D356,  // Tai Xuan Jing
    0x1D360...0x1D376,  // counting rods
    0x1F200...0x1F265,  // enclosed ideographs
    0x20000...0x3FFFD,  // the planes of ideographs
  ]
}
