import CLinux
import Flux
import Foundation
import PodfluxCore

/// The machine's time zone, as far ahead as is of use.
enum LocalClock {
  /// How far ahead a zone is believed that seems not to change its clocks: two years.
  private static let foresightDays = 730

  /// How local clocks go from a moment on (tzset(3): `TZ`, or else /etc/localtime). The system's library reads the
  /// zone, which knows more ways to write it than Foundation.
  static func localTime(at now: Timestamp) -> LocalTime {
    linux_read_time_zone()
    // From the day before: clocks that have just been put back showed these times before.
    let beginning = now.advanced(byDays: -1).milliseconds.dividedDown(by: 1000).quotient
    let seconds = linux_local_offset(beginning)
    var changes: [LocalTime.Offset] = []
    var (day, last) = (beginning, seconds)
    let end = now.advanced(byDays: foresightDays).milliseconds.dividedDown(by: 1000).quotient
    while day < end, changes.count < LocalTime.maximumChanges {
      let next = day + daySeconds
      if linux_local_offset(next) != last {
        let moment = change(from: last, between: day, and: next)
        last = linux_local_offset(moment)
        changes.append(LocalTime.Offset(from: Timestamp(milliseconds: moment * 1000), seconds: last))
        day = moment
      } else {
        day = next
      }
    }
    return LocalTime(seconds: seconds, changes: changes, knownUntil: Timestamp(milliseconds: day * 1000))
  }

  private static let daySeconds: Int64 = 86_400

  /// The first second of a day with another offset than at its beginning.
  private static func change(from offset: Int64, between first: Int64, and last: Int64) -> Int64 {
    var (before, after) = (first, last)
    while after - before > 1 {
      let middle = before + (after - before) / 2
      if linux_local_offset(middle) == offset { before = middle } else { after = middle }
    }
    return after
  }
}

extension Timestamp {
  /// The moment as Foundation has it, to the millisecond or so.
  var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
}
