/// A duration for people, at most seven columns wide: "0:06", "12:34", "1:02:03", "12 h", "3 days".
package struct TimeLeft: Sendable, Hashable, CustomStringConvertible {
  private let seconds: Int64

  /// Negative durations count as 0.
  package init(seconds: Int64) {
    self.seconds = max(0, seconds)
  }

  /// How long the rest of a transfer takes at its present rate; nil if that is unknown.
  package init?(bytes: Int64, at bytesPerSecond: Int64) {
    guard bytesPerSecond > 0, bytes >= 0 else { return nil }
    let (seconds, part) = bytes.quotientAndRemainder(dividingBy: bytesPerSecond)
    self.init(seconds: seconds + (part > 0 ? 1 : 0))
  }

  package var description: String {
    let (minutes, hours, days) = (seconds / 60 % 60, seconds / 3600, seconds / 86_400)
    if days >= 100 { return "months" }
    if hours >= 100 { return "\(days) days" }
    if hours >= 10 { return "\(hours) h" }
    return (hours > 0 ? "\(hours):\(Self.twoDigits(minutes))" : "\(minutes)") + ":" + Self.twoDigits(seconds % 60)
  }

  private static func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
