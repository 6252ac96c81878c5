import Flux

/// The machine's UTC offset and its next changes; the engine reads the time zone for the stores.
public struct LocalTime: Hashable, Sendable, Codable {
  /// The UTC offset from a time on.
  public struct Offset: Hashable, Sendable, Codable {
    /// The first timestamp with this offset.
    public var from: Timestamp
    /// East of Greenwich, in seconds.
    public var seconds: Int64

    public init(from: Timestamp, seconds: Int64) {
      self.from = from
      self.seconds = seconds
    }
  }

  /// The valid range of offsets.
  public static let seconds: ClosedRange<Int64> = -86_400...86_400
  /// How many clock changes are read ahead.
  public static let maximumChanges = 8

  /// The offset before the first change.
  public var seconds: Int64
  /// The later changes, in order.
  public var changes: [Offset]
  /// All changes until then are known.
  public var knownUntil: Timestamp

  public init(seconds: Int64, changes: [Offset] = [], knownUntil: Timestamp = Timestamp(milliseconds: .max)) {
    self.seconds = seconds
    self.changes = changes
    self.knownUntil = knownUntil
  }

  public static let utc = LocalTime(seconds: 0)

  /// The local time, as the timestamp at which UTC clocks show it.
  public func shown(at moment: Timestamp) -> Timestamp {
    moment.advanced(byMilliseconds: offset(at: moment) * 1000)
  }

  /// The timestamps at which local clocks show a time, given as the timestamp at which UTC clocks do: none in the hour
  /// that clocks skip, two in the hour that they repeat.
  public func moments(showing time: Timestamp) -> [Timestamp] {
    let offsets = Set([seconds] + changes.map(\.seconds))
    return offsets.map { time.advanced(byMilliseconds: -$0 * 1000) }.filter { shown(at: $0) == time }.sorted()
  }

  /// The month, counted from January of the year 0.
  public func month(at moment: Timestamp) -> Int64 {
    let date = CivilDate(daysSince1970: shown(at: moment).day)
    return date.year * 12 + date.month - 1
  }

  /// When a month begins, counted from January of the year 0. If clocks skip that midnight, the end of the gap.
  public func beginning(ofMonth month: Int64) -> Timestamp {
    let (year, index) = month.quotientAndRemainder(dividingBy: 12)
    let midnight = Timestamp(day: CivilDate(year: year, month: index + 1, day: 1).daysSince1970)
    return moments(showing: midnight).first ?? changes.first { shown(at: $0.from) > midnight }?.from ?? midnight
  }

  private func offset(at moment: Timestamp) -> Int64 {
    changes.last { $0.from <= moment }?.seconds ?? seconds
  }
}
