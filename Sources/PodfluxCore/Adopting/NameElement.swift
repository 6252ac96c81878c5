/// A part of a file's name that is not the episode's title, but stands beside it.
struct NameElement {
  enum Meaning {
    /// The podcast's title.
    case podcast
    /// Days, in days since 1970: one, or the two that day and month allow where their order is not known.
    case date([Int64])
    /// A number of an episode, and its season if the name has one. A marked one says that it is a number, as `#12`
    /// does.
    case number(season: Int64?, Int64, isMarked: Bool)
    /// Digits that programs add to tell files apart: a hash, an id.
    case digits
    /// `(1)` or `copy`: the file may be a copy, or the title ends so.
    case copy
  }

  /// Its words.
  var range: Range<Int>
  var meaning: Meaning
  /// Whether it certainly is no part of the title.
  var isSure: Bool
}

extension NameElement {
  /// Whether digits in it are no number of an episode.
  fileprivate var hidesNumbers: Bool {
    switch meaning {
    case .date, .copy: true
    case .podcast, .number, .digits: false
    }
  }
}

/// Finds the parts of a name beside the title.
struct NameElements {
  private(set) var elements: [NameElement] = []
  private let words: [NameWords.Word]
  private let name: NameWords

  /// - Parameter podcasts: The keys of the podcast's titles.
  init(in name: NameWords, podcasts: Set<String>) {
    self.name = name
    words = name.words
    for index in words.indices {
      findPodcast(at: index, podcasts)
      findDate(at: index)
      findDigits(at: index)
      findCopy(at: index)
    }
    var taken = elements.filter(\.hidesNumbers).map(\.range)
    for index in words.indices where !taken.contains(where: { $0.contains(index) }) {
      let count = elements.count
      findNumber(at: index)
      // `S01 E02` is one number.
      taken += elements[count...].map(\.range)
    }
  }

  private mutating func add(_ range: Range<Int>, _ meaning: NameElement.Meaning, isSure: Bool = true) {
    elements.append(NameElement(range: range, meaning: meaning, isSure: isSure))
  }

  // MARK: The podcast

  private mutating func findPodcast(at start: Int, _ podcasts: Set<String>) {
    for podcast in podcasts {
      for latin in [false, true] {
        var rest = podcast[...]
        for end in start..<words.count {
          let word = latin ? words[end].latin : words[end].key
          guard rest.hasPrefix(word) else { break }
          rest = rest.dropFirst(word.count)
          guard rest.isEmpty else { continue }
          add(start..<end + 1, .podcast)
          break
        }
      }
    }
  }

  // MARK: Dates

  private static let years: ClosedRange<Int64> = 1990...2100

  private mutating func findDate(at index: Int) {
    if let number = words[index].number, [8, 12, 14].contains(words[index].digits) {
      let day = words[index].digits == 8 ? number : number / (words[index].digits == 12 ? 10_000 : 1_000_000)
      if let found = Self.day(day / 10_000, day / 100 % 100, day % 100) {
        return add(index..<index + 1, .date([found]))
      }
    }
    guard index + 2 < words.count, let first = words[index].number, let second = words[index + 1].number,
      let third = words[index + 2].number, isJoined(index + 1), isJoined(index + 2)
    else { return }
    var days: [Int64] = []
    if words[index].digits == 4, words[index + 1].digits <= 2, words[index + 2].digits <= 2 {
      days = [Self.day(first, second, third)].compactMap(\.self)
    } else if words[index].digits <= 2, words[index + 1].digits <= 2, words[index + 2].digits == 4 {
      // Dots are written between day and month, in this order.
      let isDotted = words[index + 1].gap == "." && words[index + 2].gap == "."
      let readings = [Self.day(third, second, first), isDotted ? nil : Self.day(third, first, second)]
      days = readings.compactMap(\.self)
      if days.count == 2, days[0] == days[1] { days.removeLast() }
    }
    if !days.isEmpty { add(index..<index + 3, .date(days)) }
  }

  /// Whether one mark stands before a word, as within a date.
  private func isJoined(_ index: Int) -> Bool {
    let gap = words[index].gap.unicodeScalars
    return gap.count == 1 && gap.allSatisfy { ".-_/ \u{2010}\u{2011}".unicodeScalars.contains($0) }
  }

  /// A day since 1970; nil if there is no such day.
  private static func day(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64? {
    guard years.contains(year), (1...12).contains(month), day >= 1, day <= CivilDate.days(inMonth: month, ofYear: year)
    else { return nil }
    return CivilDate(year: year, month: month, day: day).daysSince1970
  }

  // MARK: Numbers

  /// The longest number of an episode, in digits.
  private static let longestNumber = 5

  private static let marks: Set<String> = [
    "e", "ep", "eps", "episode", "episodio", "epizoda", "folge", "nr", "no", "num", "number", "aflevering", "avsnitt",
    "afsnit", "jakso", "odc", "odcinek", "dil", "выпуск", "серия",
  ]
  private static let seasonMarks: Set<String> = [
    "s", "season", "staffel", "saison", "temporada", "stagione", "seizoen",
  ]

  private mutating func findNumber(at index: Int) {
    let word = words[index]
    if let number = word.number {
      guard word.digits <= Self.longestNumber else { return }
      if word.gap.unicodeScalars.last == "#" || word.gap.unicodeScalars.last == "\u{2116}" {
        return add(index..<index + 1, .number(season: nil, number, isMarked: true))
      }
      // A year is none.
      guard word.digits != 4 || !Self.years.contains(number) else { return }
      let isPadded = word.digits > 1 && word.text.utf8.first == UInt8(ascii: "0")
      let isLast = index + 1 == words.count
      let isClosed = !isLast && name.isBreak(behind: index)
      return add(
        index..<index + 1, .number(season: nil, number, isMarked: false), isSure: !isLast && (isPadded || isClosed))
    }
    if Self.marks.contains(word.key), index + 1 < words.count, let number = words[index + 1].number,
      words[index + 1].digits <= Self.longestNumber
    {
      return add(index..<index + 2, .number(season: nil, number, isMarked: true))
    }
    if Self.seasonMarks.contains(word.key), index + 1 < words.count, let season = words[index + 1].number,
      words[index + 1].digits <= 4
    {
      // The season alone is no number; with an episode behind it, it is.
      if let (number, end) = markedNumber(at: index + 2) {
        return add(index..<end, .number(season: season, number, isMarked: true))
      }
    }
    if let (season, number) = Self.seasonAndNumber(word.key) {
      add(index..<index + 1, .number(season: season, number, isMarked: true))
    } else if let season = Self.number(behind: Self.seasonMarks, in: word.key),
      let (number, end) = markedNumber(at: index + 1)
    {
      add(index..<end, .number(season: season, number, isMarked: true))
    } else if let number = Self.number(behind: Self.marks, in: word.key) {
      add(index..<index + 1, .number(season: nil, number, isMarked: true))
    }
  }

  /// `E02`, `Episode 2` or `Ep2` at a word.
  private func markedNumber(at index: Int) -> (number: Int64, end: Int)? {
    guard index < words.count else { return nil }
    if let number = Self.number(behind: Self.marks, in: words[index].key) { return (number, index + 1) }
    guard Self.marks.contains(words[index].key), index + 1 < words.count, let number = words[index + 1].number else {
      return nil
    }
    return (number, index + 2)
  }

  /// The digits behind one of the marks in a word.
  private static func number(behind marks: Set<String>, in key: String) -> Int64? {
    let letters = key.prefix { !$0.isDigit }
    guard letters.count < key.count, marks.contains(String(letters)) else { return nil }
    return number(key.dropFirst(letters.count))
  }

  private static func number(_ digits: Substring) -> Int64? {
    (1...longestNumber).contains(digits.count) && digits.allSatisfy(\.isDigit) ? Int64(digits) : nil
  }

  /// `s01e02` and `1x02`.
  private static func seasonAndNumber(_ key: String) -> (season: Int64, number: Int64)? {
    let (body, mark): (Substring, Character) = key.first == "s" ? (key.dropFirst(), "e") : (key[...], "x")
    let parts = body.split(separator: mark, omittingEmptySubsequences: false)
    guard parts.count == 2, let season = number(parts[0]), let number = number(parts[1]) else { return nil }
    return (season, number)
  }

  // MARK: Digits and copies

  private static let leastHash = 8

  private mutating func findDigits(at index: Int) {
    let isUUID =
      index + 4 < words.count
      && zip([8, 4, 4, 4, 12], words[index...]).allSatisfy { count, word in
        word.key.utf8.count == count && word.key.utf8.allSatisfy(\.isHexadecimalDigit)
      }
    if isUUID { return add(index..<index + 5, .digits) }
    let word = words[index]
    let hasBoth = word.number == nil && word.key.contains(where: \.isDigit)
    if hasBoth, word.key.utf8.count >= Self.leastHash, word.key.utf8.allSatisfy(\.isHexadecimalDigit) {
      return add(index..<index + 1, .digits)
    }
    let closing = index + 1 < words.count ? words[index + 1].gap : name.tail
    if hasBoth, word.key.utf8.count >= 6, word.gap.hasSuffix("["), closing.hasPrefix("]") {
      add(index..<index + 1, .digits)
    }
  }

  private mutating func findCopy(at index: Int) {
    let word = words[index]
    if let number = word.number, number < 100, word.gap.hasSuffix("("), index + 1 == words.count,
      name.tail.hasPrefix(")")
    {
      return add(index..<index + 1, .copy, isSure: false)
    }
    guard ["copy", "kopie", "copie", "copia"].contains(word.key) else { return }
    let isNumbered = index + 2 == words.count && words[index + 1].number != nil
    guard index + 1 == words.count || isNumbered else { return }
    add(index..<words.count, .copy, isSure: false)
  }
}

extension Character {
  fileprivate var isDigit: Bool { ("0"..."9").contains(self) }
}
