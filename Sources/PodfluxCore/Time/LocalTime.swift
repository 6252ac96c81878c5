import Flux

/// The machine's UTC offset and its next changes; the engine reads the time zone for the stores.
package struct LocalTime: Hashable, Sendable, Codable {
  /// The UTC offset from a time on.
  package struct Offset: Hashable, Sendable, Codable {
    /// The first timestamp with this offset.
    package var from: Timestamp
    /// East of Greenwich, in seconds.
    package var seconds: Int64

    package init(from: Timestamp, seconds: Int64) {
      self.from = from
      self.seconds = seconds
    }
  }

  /// The valid range of offsets.
  package static let seconds: ClosedRange<Int64> = -86_400...86_400
  /// How many clock changes are read ahead.
  package static let maximumChanges = 8

  /// The offset before the first change.
  package var seconds: Int64
  /// The later changes, in order.
  package var changes: [Offset]
  /// All changes until then are known.
  package var knownUntil: Timestamp

  package init(seconds: Int64, changes: [Offset] = [], knownUntil: Timestamp = Timestamp(milliseconds: .max)) {
    self.seconds = seconds
    self.changes = changes
    self.knownUntil = knownUntil
  }

  package static let utc = LocalTime(seconds: 0)

  /// The local time, as the timestamp at which UTC clocks show it.
  package func shown(at moment: Timestamp) -> Timestamp {
    moment.advanced(byMilliseconds: offset(at: moment) * 1000)
  }

  /// The timestamps at which local clocks show a time, given as the timestamp at which UTC clocks do: none in the hour
  /// that clocks skip, two in the hour that they repeat.
  package func moments(showing time: Timestamp) -> [Timestamp] {
    let offsets = Set([seconds] + changes.map(\.seconds))
    return offsets.map { time.advanced(byMilliseconds: -$0 * 1000) }.filter { shown(at: $0) == time }.sorted()
  }

  /// The month, counted from January of the year 0.
  package func month(at moment: Timestamp) -> Int64 {
    let date = CivilDate(daysSince1970: shown(at: moment).day)
    return date.year * 12 + date.month - 1
  }

  /// When a month begins, counted from January of the year 0. If clocks skip that midnight, the end of the gap.
  package func beginning(ofMonth month: Int64) -> Timestamp {
    let (year, index) = month.quotientAndRemainder(dividingBy: 12)
    let midnight = Timestamp(day: CivilDate(year: year, month: index + 1, day: 1).daysSince1970)
    return moments(showing: midnight).first ?? changes.first { shown(at: $0.from) > midnight }?.from ?? midnight
  }

  private func offset(at moment: Timestamp) -> Int64 {
    changes.last { $0.from <= moment }?.seconds ?? seconds
  }
}
