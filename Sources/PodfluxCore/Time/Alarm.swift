import Flux

/// An alarm at a wall-clock time; the clock may be set meanwhile.
///
/// Its owner checks it at the latest after `longestMilliseconds`, so that a clock change delays no alarm for years. A
/// check that finds nothing due has no effect.
package struct Alarm: Hashable, Sendable {
  /// The longest interval between checks.
  package static let longestMilliseconds: Int64 = 60_000
  /// By how much the wall clock may fall behind the monotonic clock before it counts as set back.
  private static let toleranceMilliseconds: Int64 = 1000

  package let moment: Timestamp
  private let setAt: ClockReading

  package init(at moment: Timestamp, setAt clock: ClockReading) {
    self.moment = moment
    setAt = clock
  }

  /// The time until the next check, in milliseconds.
  package func delay(at clock: ClockReading) -> Int64 {
    min(max(0, moment.milliseconds - clock.wall.milliseconds), Self.longestMilliseconds)
  }

  /// Whether the alarm is due: its time has come, or the clock was set back, which invalidates the time.
  package func isDue(at clock: ClockReading) -> Bool {
    let elapsed = clock.monotonicMilliseconds - setAt.monotonicMilliseconds
    let shown = clock.wall.milliseconds - setAt.wall.milliseconds
    return clock.wall >= moment || shown < elapsed - Self.toleranceMilliseconds
  }
}
