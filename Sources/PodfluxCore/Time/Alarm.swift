import Flux

/// A wish to be woken at a moment of the wall clock, which may be set meanwhile.
///
/// Whoever keeps it looks now and then, at the latest after `longestMilliseconds`, so that a clock that is set does not
/// make anybody sleep for years. Looking costs nothing: nobody is woken before there is a reason.
public struct Alarm: Hashable, Sendable {
  /// The longest that nobody looks.
  public static let longestMilliseconds: Int64 = 60_000
  /// By how much the wall clock may fall behind the other before it counts as set back.
  private static let toleranceMilliseconds: Int64 = 1000

  /// When to wake.
  public let moment: Timestamp
  private let setAt: ClockReading

  /// Makes a wish.
  public init(at moment: Timestamp, setAt clock: ClockReading) {
    self.moment = moment
    setAt = clock
  }

  /// How long it is until the next look, in milliseconds.
  public func delay(at clock: ClockReading) -> Int64 {
    min(max(0, moment.milliseconds - clock.wall.milliseconds), Self.longestMilliseconds)
  }

  /// Whether to wake now: the moment has come, or the clock was set back, and moments mean something else.
  public func isDue(at clock: ClockReading) -> Bool {
    let elapsed = clock.monotonicMilliseconds - setAt.monotonicMilliseconds
    let shown = clock.wall.milliseconds - setAt.wall.milliseconds
    return clock.wall >= moment || shown < elapsed - Self.toleranceMilliseconds
  }
}
