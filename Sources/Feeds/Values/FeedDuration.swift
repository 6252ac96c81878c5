/// The length of an episode as feeds write it.
///
/// | text | seconds |
/// |---|---|
/// | `1:02:03`, `01:02:03.4` | 3723 |
/// | `62:03` | 3723 |
/// | `3723`, `3723.4`, `3723s` | 3723 |
/// | `1h 2m`, `1 hr 2 min`, `1h02` | 3720 |
/// | `1.5h` | 5400 |
/// | `62 minutes` | 3720 |
/// | `PT1H2M3S` | 3723 |
///
/// In `62:75` the parts are added up. Nil is any other text, such as `1.02.03`, and a length above `maximumSeconds`.
package enum FeedDuration {
  /// 1,000 hours. A publisher who counts in milliseconds gets beyond it after an hour.
  package static let maximumSeconds: Int64 = 3_600_000
  /// The longest text that is read.
  package static let maximumBytes = 64

  /// The seconds, rounded down.
  package static func parse(_ text: String) -> Int64? {
    guard text.utf8.count <= maximumBytes else { return nil }
    if let seconds = number(text.utf8) { return seconds <= maximumSeconds ? seconds : nil }
    let bytes = text.lowercased().utf8.filter { $0 > 0x20 }
    guard !bytes.isEmpty else { return nil }
    let seconds = bytes.contains(UInt8(ascii: ":")) ? clock(bytes) : units(bytes)
    return seconds.flatMap { (0...maximumSeconds).contains($0) ? $0 : nil }
  }

  private static func clock(_ bytes: [UInt8]) -> Int64? {
    let fields = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard (2...3).contains(fields.count) else { return nil }
    var seconds: Int64 = 0
    for (index, field) in fields.enumerated() {
      // `:30` is half a minute.
      let isOmitted = field.isEmpty && index == 0
      let isLast = index == fields.count - 1
      guard !isLast || field.count(where: isFractionSign) <= 1,
        let number = isOmitted ? 0 : number(isLast ? whole(field) : field)
      else { return nil }
      seconds = seconds * 60 + number
    }
    return seconds
  }

  private static func units(_ bytes: [UInt8]) -> Int64? {
    var rest = bytes[...]
    if rest.starts(with: "pt".utf8) { rest = rest.dropFirst(2) }
    var (seconds, last): (Int64, Int64) = (0, .max)
    while !rest.isEmpty {
      let digits = rest.prefix { isDigit($0) || isFractionSign($0) }
      rest = rest.dropFirst(digits.count)
      let unit = rest.prefix { !isDigit($0) }
      rest = rest.dropFirst(unit.count)
      // Units go down, each at most once, so that no text adds up to anything.
      guard let factor = unit.isEmpty ? factor(behind: last) : factor(unit), factor < last,
        let amount = amount(digits, factor)
      else { return nil }
      seconds += amount
      last = factor
    }
    return seconds
  }

  /// A number without a unit is in that below the last one: `1h30` is an hour and a half.
  private static func factor(behind last: Int64) -> Int64 { last == 3600 ? 60 : 1 }

  /// So many of a unit, in whole seconds: `1.5h` is 5400.
  private static func amount(_ digits: ArraySlice<UInt8>, _ factor: Int64) -> Int64? {
    let whole = whole(digits)
    guard let number = number(whole), digits.count(where: isFractionSign) <= 1 else { return nil }
    let fraction = digits.dropFirst(whole.count + 1).prefix(fractionDigits)
    guard factor > 1, !fraction.isEmpty else { return number * factor }
    guard let part = self.number(fraction) else { return nil }
    let scale = (0..<fraction.count).reduce(Int64(1)) { scale, _ in scale * 10 }
    return number * factor + part * factor / scale
  }

  /// How many digits of a fraction count.
  private static let fractionDigits = 6

  private static func factor(_ unit: ArraySlice<UInt8>) -> Int64? {
    switch String(decoding: unit, as: UTF8.self) {
    case "h", "hr", "hrs", "hour", "hours", "h.", "hr.", "hrs.": 3600
    case "m", "min", "mins", "m.", "min.", "mins.", "minute", "minutes", "'": 60
    case "s", "sec", "secs", "s.", "sec.", "secs.", "second", "seconds", "\"": 1
    default: nil
    }
  }

  private static func whole(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    text.prefix { !isFractionSign($0) }
  }

  private static func isFractionSign(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ".") || byte == UInt8(ascii: ",")
  }

  private static func number(_ text: some Collection<UInt8>) -> Int64? {
    guard (1...9).contains(text.count), text.allSatisfy(isDigit) else { return nil }
    return text.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
