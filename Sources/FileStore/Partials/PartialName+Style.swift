extension PartialName {
  /// How a disk spells the names of partial files.
  enum Style: Hashable, Sendable {
    /// The name as the download has it.
    case plain
    /// For a case-insensitive disk that refuses colons: lower case, "+" for ":", then "%" and one hexadecimal digit for
    /// every four letters, whose bits mark upper-case letters. It always fits in a name: 128 letters, 32 digits, and
    /// the suffix.
    case portable

    func fileName(of name: PartialName) -> EntryName {
      switch self {
      case .plain: EntryName(name.description + PartialName.fileSuffix)
      case .portable: EntryName(Self.portableText(of: name.description) + PartialName.fileSuffix)
      }
    }

    private static let mark: Character = "%"
    private static let colon: (plain: Character, portable: Character) = (":", "+")
    private static let lettersADigit = 4

    private static func portableText(of plain: String) -> String {
      let letters = Array(plain)
      var digits = stride(from: 0, to: letters.count, by: lettersADigit).map { start in
        letters[start..<min(start + lettersADigit, letters.count)].enumerated().reduce(0) { bits, letter in
          letter.element.isUppercase ? bits | 1 << letter.offset : bits
        }
      }
      while digits.last == 0 { digits.removeLast() }
      let small = plain.lowercased().map { $0 == colon.plain ? colon.portable : $0 }
      return String(small) + String(mark) + digits.map { String($0, radix: 16) }.joined()
    }

    /// The name that has this spelling, or nil if the spelling is invalid.
    static func plainText(ofPortable text: Substring) -> Substring? {
      guard let end = text.firstIndex(of: mark) else { return nil }
      let digits = text[text.index(after: end)...].map(\.hexDigitValue)
      let letters = text[..<end].enumerated().map { index, letter -> Character in
        let digit = index / lettersADigit
        guard digit < digits.count, let bits = digits[digit], bits & 1 << (index % lettersADigit) != 0 else {
          return letter == colon.portable ? colon.plain : letter
        }
        return Character(letter.uppercased())
      }
      // Each name has exactly one spelling; refuse all others.
      let plain = String(letters)
      return portableText(of: plain) == text ? Substring(plain) : nil
    }
  }
}
