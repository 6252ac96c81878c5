/// The words of a file's name, or of a title, and what stands between them.
struct NameWords {
  struct Word {
    /// The word as the name spells it.
    var text: String
    /// See `ComparableText`.
    var key: String
    var latin: String
    /// The characters between the word before and this one.
    var gap: String
    /// The number, if it consists of ASCII digits alone.
    var number: Int64?
    /// How many digits the number has.
    var digits: Int

    /// Whether the gap ends a part of the name: a dash between blanks, a bracket, a colon.
    var isBehindBreak: Bool { NameWords.isBreak(gap) }
  }

  /// How many words are looked at; what follows belongs to the last one.
  static let limit = 48

  var words: [Word] = []
  /// The characters after the last word.
  var tail = ""

  init(_ name: String, _ comparable: ComparableText) {
    var (text, gap) = (String.UnicodeScalarView(), String.UnicodeScalarView())
    func close(_ words: inout [Word]) {
      guard !text.isEmpty else { return }
      let written = String(text)
      let isNumber = text.allSatisfy { ("0"..."9").contains($0) }
      let isASCII = text.allSatisfy(\.isASCII)
      let key = comparable.key(written)
      words.append(
        Word(
          text: written, key: key, latin: isASCII ? key : comparable.latinKey(written), gap: String(gap),
          number: isNumber ? Int64(written) : nil, digits: isNumber ? text.count : 0))
      (text, gap) = (.init(), .init())
    }
    for scalar in name.unicodeScalars {
      if scalar.isPartOfWord {
        text.append(scalar)
      } else if scalar.isApostrophe, !text.isEmpty {
        continue
      } else if words.count + 1 < Self.limit || text.isEmpty {
        close(&words)
        gap.append(scalar)
      }
    }
    close(&words)
    tail = String(gap)
  }

  var count: Int { words.count }

  /// The key of some words in a row.
  func key(_ range: Range<Int>) -> String { words[range].reduce(into: "") { $0 += $1.key } }
  /// Some words in a row, as written.
  func text(_ range: Range<Int>) -> String { words[range].map(\.text).joined(separator: " ") }
  func latinKey(_ range: Range<Int>) -> String { words[range].reduce(into: "") { $0 += $1.latin } }

  /// Whether a part of the name ends behind a word.
  func isBreak(behind index: Int) -> Bool {
    index + 1 < words.count ? words[index + 1].isBehindBreak : true
  }

  /// A dash between blanks or underscores, or a mark that ends a part of a name.
  private static func isBreak(_ gap: String) -> Bool {
    let scalars = gap.unicodeScalars
    if scalars.contains(where: { ":;|,()[]{}\u{2013}\u{2014}\u{2022}\u{B7}/\\~".unicodeScalars.contains($0) }) {
      return true
    }
    let isWide = scalars.count > 1
    return isWide && scalars.contains { $0 == "-" || $0 == "." || $0 == "_" }
  }
}
