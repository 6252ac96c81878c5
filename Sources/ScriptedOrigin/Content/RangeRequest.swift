/// The ranges of a `Range` header for content of a certain length (RFC 9110 §14.1.2).
enum RangeRequest: Equatable {
  /// No header, another unit, or a malformed header: the whole content.
  case whole
  /// These ranges, none of them empty, all inside the content.
  case parts([Range<Int>])
  /// Every range lies beyond the content.
  case unsatisfiable

  init(_ header: String?, length: Int) {
    guard let header, let specifications = Self.specifications(header) else {
      self = .whole
      return
    }
    let ranges = specifications.compactMap { $0.range(within: length) }
    self = ranges.isEmpty ? .unsatisfiable : .parts(ranges)
  }

  private enum Specification {
    case from(Int, through: Int?)
    case last(Int)

    func range(within length: Int) -> Range<Int>? {
      switch self {
      case .from(let first, let last):
        guard first < length else { return nil }
        let end = min(last ?? Int.max, length - 1) + 1
        return first..<end
      case .last(let count):
        guard count > 0, length > 0 else { return nil }
        return max(0, length - count)..<length
      }
    }
  }

  private static func specifications(_ header: String) -> [Specification]? {
    let unitAndSet = header.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard unitAndSet.count == 2, unitAndSet[0].lowercased() == "bytes" else { return nil }
    let specifications = unitAndSet[1].split(separator: ",").map { specification($0.trimmed) }
    let valid = specifications.compactMap { $0 }
    return valid.isEmpty || valid.count < specifications.count ? nil : valid
  }

  private static func specification(_ text: Substring) -> Specification? {
    let ends = text.split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2 else { return nil }
    switch (ends[0].isEmpty, ends[1].isEmpty) {
    case (true, true): return nil
    case (true, false): return number(ends[1]).map { .last($0) }
    case (false, true): return number(ends[0]).map { .from($0, through: nil) }
    case (false, false):
      guard let first = number(ends[0]), let last = number(ends[1]), first <= last else { return nil }
      return .from(first, through: last)
    }
  }

  /// The value of a run of digits, clamped to the largest `Int`.
  private static func number(_ digits: Substring) -> Int? {
    guard digits.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else { return nil }
    return Int(digits) ?? Int.max
  }
}

extension Substring {
  /// Without the optional white space of RFC 9110 §5.6.3 around it.
  fileprivate var trimmed: Substring {
    let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    var text = drop(while: isSpace)
    while let last = text.last, isSpace(last) { text.removeLast() }
    return text
  }
}
