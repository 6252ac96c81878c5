import Flux
import Foundation
import Terminal

/// Moments as a person in a time zone reads them now.
package struct PersonalClock: Sendable {
  package let now: Timestamp
  private let calendar: Calendar

  package init(now: Timestamp, zone: TimeZone = .current) {
    self.now = now
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    self.calendar = calendar
  }

  /// "14:20", "tomorrow 14:20", "yesterday 14:20", or else "2026-03-27 14:20".
  package func time(_ moment: Timestamp) -> String {
    let parts = parts(of: moment)
    let clock = Self.twoDigits(parts.hour) + ":" + Self.twoDigits(parts.minute)
    switch days(until: moment) {
    case 0: return clock
    case 1: return "tomorrow " + clock
    case -1: return "yesterday " + clock
    default: return day(moment) + " " + clock
    }
  }

  /// "2026-03-27".
  package func day(_ moment: Timestamp) -> String {
    let parts = parts(of: moment)
    let year = String(parts.year ?? 0)
    return String(repeating: "0", count: max(0, 4 - year.count)) + year + "-" + Self.twoDigits(parts.month) + "-"
      + Self.twoDigits(parts.day)
  }

  /// "2026".
  package func year(_ moment: Timestamp) -> String { String(parts(of: moment).year ?? 0) }

  /// "in 0:42" within the next hour, and then "at 14:20", "tomorrow 14:20"; "now" for what is past.
  package func distance(to moment: Timestamp) -> String {
    let seconds = (moment.milliseconds - now.milliseconds + 999) / 1000
    if seconds <= 0 { return "now" }
    if seconds < 3600 { return "in \(TimeLeft(seconds: seconds))" }
    return days(until: moment) == 0 ? "at \(time(moment))" : time(moment)
  }

  private func days(until moment: Timestamp) -> Int? {
    let (today, other) = (calendar.startOfDay(for: date(now)), calendar.startOfDay(for: date(moment)))
    return calendar.dateComponents([.day], from: today, to: other).day
  }

  private func parts(of moment: Timestamp) -> DateComponents {
    calendar.dateComponents([.year, .month, .day, .hour, .minute], from: date(moment))
  }

  private func date(_ moment: Timestamp) -> Date {
    Date(timeIntervalSince1970: Double(moment.milliseconds) / 1000)
  }

  private static func twoDigits(_ number: Int?) -> String {
    let number = number ?? 0
    return number < 10 ? "0\(number)" : "\(number)"
  }
}
