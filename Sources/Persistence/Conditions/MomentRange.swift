import Flux
import PodfluxCore

/// A closed range of timestamps, in milliseconds since 1970-01-01.
struct MomentRange {
  let first: Int64
  let last: Int64

  func intersection(with other: MomentRange) -> MomentRange? {
    let range = MomentRange(first: max(first, other.first), last: min(last, other.last))
    return range.first <= range.last ? range : nil
  }
}

extension AgeClass {
  /// Each pair of different classes.
  static let pairs = allCases.flatMap { old in allCases.filter { $0 != old }.map { (old, $0) } }

  /// The timestamps of the class on a day.
  func moments(on today: LocalDay) -> MomentRange {
    let later = Self.allCases.last { ($0.days ?? .max) < (days ?? .max) }?.days
    let first = days.map { today.beginning(daysBefore: $0 - 1).milliseconds } ?? .min
    return MomentRange(first: first, last: later.map { today.beginning(daysBefore: $0 - 1).milliseconds - 1 } ?? .max)
  }
}
