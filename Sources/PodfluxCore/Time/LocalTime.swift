import Flux

/// The machine's time zone over the next time, as far as anybody has looked: stores ask nobody for it.
public struct LocalTime: Hashable, Sendable, Codable {
  /// By how much local clocks differ from UTC from a moment on.
  public struct Offset: Hashable, Sendable, Codable {
    /// The first moment at which they do.
    public var from: Timestamp
    /// East of Greenwich, in seconds.
    public var seconds: Int64

    /// Describes clocks from a moment on.
    public init(from: Timestamp, seconds: Int64) {
      self.from = from
      self.seconds = seconds
    }
  }

  /// Offsets lie within a day of UTC.
  public static let seconds: ClosedRange<Int64> = -86_400...86_400
  /// How many changes of clocks are looked at.
  public static let maximumChanges = 8

  /// How clocks go before the first change.
  public var seconds: Int64
  /// The changes after that, in order.
  public var changes: [Offset]
  /// Until when all changes are known.
  public var knownUntil: Timestamp

  /// Describes a time zone.
  public init(seconds: Int64, changes: [Offset] = [], knownUntil: Timestamp = Timestamp(milliseconds: .max)) {
    self.seconds = seconds
    self.changes = changes
    self.knownUntil = knownUntil
  }

  /// Clocks that show UTC.
  public static let utc = LocalTime(seconds: 0)

  /// What local clocks show, as the moment at which clocks in Greenwich show it.
  public func shown(at moment: Timestamp) -> Timestamp {
    moment.advanced(byMilliseconds: offset(at: moment) * 1000)
  }

  /// The moments at which local clocks show a time, given as the moment at which clocks in Greenwich do: none in the hour
  /// that clocks skip, two in the one that they repeat.
  public func moments(showing time: Timestamp) -> [Timestamp] {
    let offsets = Set([seconds] + changes.map(\.seconds))
    return offsets.map { time.advanced(byMilliseconds: -$0 * 1000) }.filter { shown(at: $0) == time }.sorted()
  }

  /// The month, counted from January of the year 0.
  public func month(at moment: Timestamp) -> Int64 {
    let date = CivilDate(daysSince1970: shown(at: moment).day)
    return date.year * 12 + date.month - 1
  }

  /// When a month begins, counted from January of the year 0. Where clocks skip that midnight it begins with what follows.
  public func beginning(ofMonth month: Int64) -> Timestamp {
    let (year, index) = month.quotientAndRemainder(dividingBy: 12)
    let midnight = Timestamp(day: CivilDate(year: year, month: index + 1, day: 1).daysSince1970)
    return moments(showing: midnight).first ?? changes.first { shown(at: $0.from) > midnight }?.from ?? midnight
  }

  private func offset(at moment: Timestamp) -> Int64 {
    changes.last { $0.from <= moment }?.seconds ?? seconds
  }
}
