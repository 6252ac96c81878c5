import CLinux
import Flux
import Foundation
import PodfluxCore
import Terminal

/// Moments as a person in a time zone reads them now.
package struct PersonalClock: Sendable {
  package let now: Timestamp
  /// Seconds east of Greenwich at a second since 1970.
  private let offset: @Sendable (Int64) -> Int64

  /// - Parameter zone: The person's; nil for that of the process (tzset(3)), which the system's library reads: it knows
  ///   more ways to write it than Foundation.
  package init(now: Timestamp, zone: TimeZone? = nil) {
    self.now = now
    if let zone {
      offset = { Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double($0)))) }
    } else {
      linux_read_time_zone()
      offset = linux_local_offset
    }
  }

  /// "14:20", "tomorrow 14:20", "yesterday 14:20", or else "2026-03-27 14:20".
  package func time(_ moment: Timestamp) -> String {
    let minutes = shown(moment).milliseconds.dividedDown(by: 60_000).quotient.dividedDown(by: 24 * 60).remainder
    let clock = Self.twoDigits(minutes / 60) + ":" + Self.twoDigits(minutes % 60)
    switch shown(moment).day - shown(now).day {
    case 0: return clock
    case 1: return "tomorrow " + clock
    case -1: return "yesterday " + clock
    default: return day(moment) + " " + clock
    }
  }

  /// "2026-03-27".
  package func day(_ moment: Timestamp) -> String { date(moment).text ?? year(moment) }

  /// "2026".
  package func year(_ moment: Timestamp) -> String { String(date(moment).year) }

  /// "in 0:42" within the next hour, and then "at 14:20", "tomorrow 14:20"; "now" for what is past.
  package func distance(to moment: Timestamp) -> String {
    let seconds = (moment.milliseconds - now.milliseconds + 999) / 1000
    if seconds <= 0 { return "now" }
    if seconds < 3600 { return "in \(TimeLeft(seconds: seconds))" }
    return shown(moment).day == shown(now).day ? "at \(time(moment))" : time(moment)
  }

  /// When a day begins that begins at a moment for clocks in UTC. If the person's clocks skip that midnight, they show
  /// a later time then.
  package func beginning(ofDay midnight: Timestamp) -> Timestamp {
    // Offsets of a day before and behind: the clocks may change on the day itself.
    let candidates = [-1, 1].map { day in
      let second = midnight.advanced(byDays: day).milliseconds.dividedDown(by: 1000).quotient
      return midnight.advanced(byMilliseconds: -offset(second) * 1000)
    }
    return candidates.filter { shown($0) == midnight }.min() ?? candidates[0]
  }

  private func date(_ moment: Timestamp) -> CivilDate { CivilDate(daysSince1970: shown(moment).day) }

  /// The moment at which clocks in UTC show what the person's show at another one.
  private func shown(_ moment: Timestamp) -> Timestamp {
    moment.advanced(byMilliseconds: offset(moment.milliseconds.dividedDown(by: 1000).quotient) * 1000)
  }

  private static func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
