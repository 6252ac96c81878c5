import Flux

/// When an episode was published, with the publisher's offset from UTC.
///
/// The timestamp decides order and selection; the displayed day is that of the publisher's clock.
///
/// Use: `episode.content.published`. `PublicationDate(Timestamp(day: 20_000))` makes one, in UTC.
public struct PublicationDate: Hashable, Sendable {
  /// The range of a publisher's offset: `time-numoffset` of RFC 3339 goes from -23:59 to +23:59.
  public static let offsets: ClosedRange<Int64> = -86_340...86_340

  public let moment: Timestamp
  /// East of Greenwich, in seconds; within `offsets`.
  public let offsetSeconds: Int64

  /// Restores a date; nil for an offset that RFC 3339 cannot express: outside `offsets`, or not in whole minutes.
  public init?(_ moment: Timestamp, offsetSeconds: Int64) {
    guard Self.offsets.contains(offsetSeconds), offsetSeconds % 60 == 0 else { return nil }
    self.moment = moment
    self.offsetSeconds = offsetSeconds
  }

  /// A timestamp without a known offset: in UTC.
  public init(_ moment: Timestamp) {
    self.moment = moment
    offsetSeconds = 0
  }

  /// The day on the publisher's clock.
  package var day: CivilDate { day(offsetSeconds: offsetSeconds) }

  /// Whether it is midnight on the publisher's clock, as where only the day is known.
  package var isMidnight: Bool {
    (moment.milliseconds + offsetSeconds * 1000).isMultiple(of: 86_400_000)
  }

  /// The day at another offset from UTC.
  package func day(offsetSeconds: Int64) -> CivilDate {
    CivilDate(milliseconds: moment.advanced(byMilliseconds: offsetSeconds * 1000).milliseconds)
  }
}
