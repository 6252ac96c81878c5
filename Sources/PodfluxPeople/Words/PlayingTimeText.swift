/// How people write how long an episode takes.
package enum PlayingTimeText {
  /// Longer ones are mistakes: a month.
  private static let limit: Int64 = 31 * 86_400

  /// The seconds of a text such as 90, 10m or 1h30m; nil for others.
  package static func seconds(of text: String) -> Int64? {
    if let seconds = number(text[...]) { return checked(seconds) }
    var (rest, sum) = (text[...], Int64(0))
    for (unit, factor): (Character, Int64) in [("h", 3600), ("m", 60), ("s", 1)] {
      guard let end = rest.firstIndex(of: unit) else { continue }
      guard let count = number(rest[..<end]) else { return nil }
      sum += count * factor
      rest = rest[rest.index(after: end)...]
    }
    return rest.isEmpty && !text.isEmpty ? checked(sum) : nil
  }

  /// The text of seconds, which `seconds(of:)` reads.
  package static func text(of seconds: Int64) -> String {
    let parts = [(seconds / 3600, "h"), (seconds / 60 % 60, "m"), (seconds % 60, "s")].filter { $0.0 != 0 }
    return parts.isEmpty ? "0s" : parts.map { "\($0.0)\($0.1)" }.joined()
  }

  private static func number(_ digits: Substring) -> Int64? {
    guard (1...9).contains(digits.utf8.count), digits.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return Int64(digits)
  }

  private static func checked(_ seconds: Int64) -> Int64? { (0...limit).contains(seconds) ? seconds : nil }
}
