import Flux
import Foundation
import PodfluxCore

/// The time zones that this machine knows, for the days in files' names.
extension LocalClock {
  /// Whether a time zone can be followed here. Names are the IANA's, with their case; `GMT+5` and other spellings of an
  /// offset are none, but `Etc/GMT-5` is.
  static func knows(_ zone: NameTimeZone) -> Bool {
    switch zone {
    case .publisher: true
    case .place(let name): timeZone(named: name) != nil
    }
  }

  /// By how much the clocks of a zone were ahead of UTC when something was published. A zone that the machine has known
  /// once and does not know any more leaves it to the publisher's clocks.
  static func offsetSeconds(of published: PublicationDate, in zone: NameTimeZone) -> Int64 {
    guard case .place(let name) = zone, let zone = timeZone(named: name) else { return published.offsetSeconds }
    return Int64(zone.secondsFromGMT(for: published.moment.date))
  }

  private static func timeZone(named name: String) -> TimeZone? {
    // Foundation takes offsets for names, and calls UTC GMT.
    TimeZone(identifier: name).flatMap { $0.identifier == name || name == "UTC" ? $0 : nil }
  }
}
