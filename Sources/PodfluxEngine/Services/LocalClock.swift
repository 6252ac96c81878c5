import Flux
import Foundation
import PodfluxCore

/// The machine's time zone, as far ahead as is of use.
enum LocalClock {
  /// How far ahead a zone is believed that seems not to change its clocks: two years.
  private static let foresightDays = 730

  /// How local clocks go from a moment on (tzset(3): `TZ`, or else /etc/localtime).
  static func localTime(at now: Timestamp) -> LocalTime {
    let zone = TimeZone.current
    // From the day before: clocks that have just been put back showed these times before.
    let beginning = now.advanced(byDays: -1)
    var changes: [LocalTime.Offset] = []
    var date = beginning.date
    while changes.count < LocalTime.maximumChanges, let next = zone.nextDaylightSavingTimeTransition(after: date),
      next > date
    {
      changes.append(LocalTime.Offset(from: Timestamp(next), seconds: Int64(zone.secondsFromGMT(for: next))))
      date = next
    }
    let isComplete = changes.count == LocalTime.maximumChanges
    return LocalTime(
      seconds: Int64(zone.secondsFromGMT(for: beginning.date)), changes: changes,
      knownUntil: isComplete ? Timestamp(date) : now.advanced(byDays: foresightDays))
  }
}

extension Timestamp {
  /// The moment as Foundation has it, to the millisecond or so.
  var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

  fileprivate init(_ date: Date) {
    self.init(milliseconds: Int64((date.timeIntervalSince1970 * 1000).rounded()))
  }
}
