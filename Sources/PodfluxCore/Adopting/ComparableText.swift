/// Writes texts so that names of one thing compare as equal: letters and digits alone, without case and marks.
///
/// `fold` takes case and marks away; the core has no tables for that. File names also drop marks in other ways: `Grün`
/// becomes `Gruen`, `Łódź` becomes `Lodz`, `Привет` becomes `Privet`, and some programs leave out what is not ASCII.
package struct ComparableText: Sendable {
  /// Takes case and marks from a text.
  private let fold: @Sendable (String) -> String

  package init(folding fold: @escaping @Sendable (String) -> String) {
    self.fold = fold
  }

  /// The letters and digits of a text, folded.
  func key(_ text: some StringProtocol) -> String { letters(of: fold(String(text))) }

  /// The same in Latin letters, as transliterated names have it.
  func latinKey(_ text: some StringProtocol) -> String { letters(of: fold(Self.transliterated(text))) }

  /// The keys by which a text is found: the exact one first, then those of transliterated names, each once.
  func keys(_ text: String) -> [String] {
    let (exact, latin) = (key(text), latinKey(text))
    guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return [exact] }
    var keys = [exact]
    for key in [latin, letters(of: fold(Self.transliterated(text, spelling: false)))] where !keys.contains(key) {
      keys.append(key)
    }
    let ascii = letters(of: fold(String(String.UnicodeScalarView(text.unicodeScalars.filter(\.isASCII)))))
    // The few Latin letters of a title in another script identify nothing.
    if ascii.utf8.count >= Self.leastASCII, 2 * ascii.utf8.count >= exact.unicodeScalars.count, !keys.contains(ascii) {
      keys.append(ascii)
    }
    return keys
  }

  /// How many ASCII letters must be left for a name to be known by them.
  private static let leastASCII = 8

  private func letters(of folded: String) -> String {
    String(String.UnicodeScalarView(folded.unicodeScalars.filter(\.isPartOfWord)))
  }

  /// - Parameter spellsUmlauts: Whether `ü` becomes `ue`; otherwise it stays, and folding makes it `u`.
  private static func transliterated(_ text: some StringProtocol, spelling spellsUmlauts: Bool = true) -> String {
    var latin = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if spellsUmlauts, scalar == "\u{308}", let last = latin.last, "aouAOU".unicodeScalars.contains(last) {
        latin.append("e")
      } else if scalar.isASCII {
        latin.append(scalar)
      } else if spellsUmlauts, let letters = umlauts[String(scalar).lowercased()] {
        latin.append(contentsOf: letters.unicodeScalars)
      } else if let letters = letters[String(scalar).lowercased()] {
        latin.append(contentsOf: letters.unicodeScalars)
      } else {
        latin.append(scalar)
      }
    }
    return String(latin)
  }

  private static let umlauts = ["ä": "ae", "ö": "oe", "ü": "ue"]

  /// Letters that have no base letter.
  private static let letters: [String: String] = [
    "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th",
    "а": "a", "б": "b", "в": "v", "г": "g", "д": "d", "е": "e", "ё": "e", "ж": "zh", "з": "z", "и": "i", "й": "i",
    "к": "k", "л": "l", "м": "m", "н": "n", "о": "o", "п": "p", "р": "r", "с": "s", "т": "t", "у": "u", "ф": "f",
    "х": "kh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "shch", "ъ": "", "ы": "y", "ь": "", "э": "e", "ю": "iu",
    "я": "ia", "є": "ie", "і": "i", "ї": "i", "ґ": "g",
  ]
}

extension Unicode.Scalar {
  /// Whether it belongs to a word: a letter, a digit, or a mark on one.
  var isPartOfWord: Bool {
    if isASCII {
      return ("a"..."z").contains(self) || ("A"..."Z").contains(self) || ("0"..."9").contains(self)
    }
    return switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
      .letterNumber, .otherNumber, .nonspacingMark, .spacingMark:
      true
    default: false
    }
  }

  /// Whether it stands within words and is left out of names: an apostrophe.
  var isApostrophe: Bool { self == "'" || self == "\u{2019}" || self == "`" || self == "\u{02BC}" }
}
