import Flux

extension Timestamp {
  /// The year of this version: 2026-01-01.
  private static let version = Timestamp(milliseconds: 1_767_225_600_000)

  /// Whether a right clock can show it: a machine without a clock of its own begins in 1970, or when its system was
  /// made, until it has asked for the time.
  var isPossible: Bool { self >= Self.version }

  /// The latest moment at which a wait can end that a right clock has set: each is spread over time, by less than
  /// itself. nil if this moment is none that a right clock can show.
  ///
  /// - Parameter longest: The longest wait, before it is spread, in milliseconds.
  func latestEnd(ofWaitsUpTo longest: Int64) -> Timestamp? {
    isPossible ? advanced(byMilliseconds: 2 * longest) : nil
  }
}
