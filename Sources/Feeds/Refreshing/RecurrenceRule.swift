/// What a recurrence rule (RFC 5545 section 3.3.10) says about the time between two episodes: of its parts `FREQ`,
/// `INTERVAL`, and the days that repeat it within its period.
struct RecurrenceRule: Hashable, Sendable {
  /// The average time between two occurrences, at least a minute.
  let gapMilliseconds: Int64

  /// Nil for a text that has no frequency which can be read.
  init?(_ text: String) {
    var parts: [String: Substring] = [:]
    for part in text.uppercased().split(separator: ";").prefix(Self.maximumParts) {
      let pair = part.split(separator: "=", maxSplits: 1)
      guard pair.count == 2 else { continue }
      parts[Self.name(pair[0])] = pair[1]
    }
    guard let frequency = parts["FREQ"].flatMap({ Frequency(rawValue: String($0)) }) else { return nil }
    let interval = parts["INTERVAL"].flatMap { Int64($0) } ?? 1
    guard (1...Self.maximumInterval).contains(interval) else { return nil }
    let period = frequency.seconds * interval
    let days = Self.count(parts["BYDAY"])
    let daysOfPeriod = Self.days(parts["BYDAY"], inWeeks: frequency == .yearly ? 52 : 4)
    let gap =
      switch frequency {
      // Within a day or less, BYDAY leaves out the other days of the week.
      case .daily, .hourly, .minutely, .secondly: period * 7 / min(max(days, 1), 7) / (days == 0 ? 7 : 1)
      case .weekly: period / max(days, 1)
      case .monthly, .yearly:
        period / max(daysOfPeriod, Self.count(parts["BYMONTHDAY"]), Self.count(parts["BYMONTH"]), 1)
      }
    gapMilliseconds = max(60, gap) * 1000
  }

  private enum Frequency: String {
    case secondly = "SECONDLY"
    case minutely = "MINUTELY"
    case hourly = "HOURLY"
    case daily = "DAILY"
    case weekly = "WEEKLY"
    case monthly = "MONTHLY"
    case yearly = "YEARLY"

    var seconds: Int64 {
      switch self {
      case .secondly: 1
      case .minutely: 60
      case .hourly: 3600
      case .daily: 86_400
      case .weekly: 7 * 86_400
      case .monthly: 30 * 86_400
      case .yearly: 365 * 86_400
      }
    }
  }

  private static let maximumParts = 16
  private static let maximumInterval: Int64 = 1000

  /// `RRULE:FREQ` and ` freq` are the name FREQ.
  private static func name(_ text: Substring) -> String {
    let name = text.drop { $0 == " " }
    return String(name.hasPrefix("RRULE:") ? name.dropFirst(6) : name)
  }

  /// How often a list of days occurs in so many weeks: `MO` in each, `1MO` once.
  private static func days(_ list: Substring?, inWeeks weeks: Int64) -> Int64 {
    let days = list?.split(separator: ",") ?? []
    return days.reduce(0) { $0 + ($1.contains(where: \.isNumber) ? 1 : weeks) }
  }

  /// How many values a list has.
  private static func count(_ list: Substring?) -> Int64 {
    Int64(list?.split(separator: ",").count ?? 0)
  }
}
