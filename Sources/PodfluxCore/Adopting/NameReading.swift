/// What a file's name, or a title, says: its words, what stands beside the title, and where the title may be.
struct NameReading {
  /// Some words in a row that may be the title.
  struct Window {
    var range: Range<Int>
    /// Whether all other words certainly are no part of it.
    var isSure: Bool
  }

  let name: NameWords
  let elements: [NameElement]
  /// The longest first; the whole name is among them.
  private(set) var windows: [Window] = []
  /// Whether nothing but elements is in the name, so that it has no title.
  private(set) var hasNoTitle = false

  /// How many beginnings and ends of a title are tried behind elements, beside those at breaks.
  private static let cutLimit = 12

  /// - Parameters:
  ///   - text: A name without its extension.
  ///   - podcasts: The keys of the podcast's titles.
  init(_ text: String, podcasts: Set<String>, _ comparable: ComparableText) {
    name = NameWords(text, comparable)
    elements = NameElements(in: name, podcasts: podcasts).elements
    guard name.count > 0 else { return }
    let (starts, ends) = (starts(), ends())
    hasNoTitle = starts[name.count] == true
    for (start, isStartSure) in starts {
      for (end, isEndSure) in ends where start < end {
        windows.append(Window(range: start..<end, isSure: isStartSure && isEndSure))
      }
    }
    windows.sort { left, right in
      (left.range.count, right.range.lowerBound) > (right.range.count, left.range.lowerBound)
    }
  }

  /// The words at which a title may begin: the first one, and those behind elements and breaks.
  private func starts() -> [Int: Bool] {
    var reached = [0: true]
    for index in 0..<name.count {
      if index > 0, name.words[index].isBehindBreak, reached[index] == nil { reached[index] = false }
      guard let isSure = reached[index], reached.count < Self.cutLimit else { continue }
      for element in elements where element.range.lowerBound == index {
        let isBoth = isSure && element.isSure
        reached[element.range.upperBound] = reached[element.range.upperBound] == true || isBoth
      }
    }
    return reached
  }

  /// The words before which it may end.
  private func ends() -> [Int: Bool] {
    var reached = [name.count: true]
    for index in (1...name.count).reversed() {
      if index < name.count, name.words[index].isBehindBreak, reached[index] == nil { reached[index] = false }
      guard let isSure = reached[index], reached.count < Self.cutLimit else { continue }
      for element in elements where element.range.upperBound == index {
        let isBoth = isSure && element.isSure
        reached[element.range.lowerBound] = reached[element.range.lowerBound] == true || isBoth
      }
    }
    return reached
  }

  /// The days that the name has outside of a title, as the sets of days that each date may mean.
  func dates(outside title: Range<Int>?) -> [[Int64]] {
    elements.compactMap { element in
      guard case .date(let days) = element.meaning, !(title?.overlaps(element.range) ?? false) else { return nil }
      return days
    }
  }

  /// A number that a name has.
  struct Number {
    var season: Int64?
    var number: Int64
    var isMarked: Bool
  }

  func numbers(outside title: Range<Int>?) -> [Number] {
    elements.compactMap { element in
      guard case .number(let season, let number, let isMarked) = element.meaning,
        !(title?.overlaps(element.range) ?? false)
      else { return nil }
      return Number(season: season, number: number, isMarked: isMarked)
    }
  }
}
