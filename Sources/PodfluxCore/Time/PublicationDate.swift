import Flux

/// When an episode was published, and what clocks showed then where its publisher is.
///
/// The moment orders and chooses; the day that people know an episode by is that of the publisher's clocks.
public struct PublicationDate: Hashable, Sendable {
  /// By how much a publisher's clocks can differ from UTC: `time-numoffset` of RFC 3339 goes from -23:59 to +23:59.
  public static let offsets: ClosedRange<Int64> = -86_340...86_340

  /// The moment.
  public let moment: Timestamp
  /// East of Greenwich, in seconds; within `offsets`.
  public let offsetSeconds: Int64

  /// Puts a date together again; nil for an offset that RFC 3339 cannot say: beyond `offsets`, or not of whole minutes.
  public init?(_ moment: Timestamp, offsetSeconds: Int64) {
    guard Self.offsets.contains(offsetSeconds), offsetSeconds % 60 == 0 else { return nil }
    self.moment = moment
    self.offsetSeconds = offsetSeconds
  }

  /// A moment of which nobody has said where it was noted: in Greenwich.
  public init(_ moment: Timestamp) {
    self.moment = moment
    offsetSeconds = 0
  }

  /// The day that the publisher's clocks showed.
  public var day: CivilDate { day(offsetSeconds: offsetSeconds) }

  /// The day that clocks showed which are so many seconds ahead of UTC.
  public func day(offsetSeconds: Int64) -> CivilDate {
    CivilDate(milliseconds: moment.advanced(byMilliseconds: offsetSeconds * 1000).milliseconds)
  }
}
