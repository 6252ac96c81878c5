import Flux

/// How long an origin asks to be left alone (RFC 9110 section 10.2.3).
public enum RetryAfter {
  /// The shortest wait that is believed, in milliseconds: "at once" is no answer to a failure.
  public static let minMilliseconds: Int64 = 1000
  /// The longest wait that is believed, in milliseconds: a day. An origin that asks for more is tried sooner.
  public static let maxMilliseconds: Int64 = 24 * 3600 * 1000

  /// Milliseconds that the response's `Retry-After` asks to wait from when it was sent, between `minMilliseconds` and
  /// `maxMilliseconds`; nil if it has none, or one that is neither seconds nor a date.
  ///
  /// A date is counted from the response's own `Date`, if that can be read, since the clocks of both sides may differ;
  /// else from `now`. Dates in the past ask for the shortest wait.
  public static func milliseconds(in head: ResponseHead, now: Timestamp) -> Int64? {
    guard let text = head.retryAfter else { return nil }
    if let seconds = seconds(text) {
      // Clamped first, so that the product cannot overflow.
      return clamped(min(seconds, maxMilliseconds) * 1000)
    }
    guard let date = Timestamp(httpDate: text, now: now) else { return nil }
    let sent = head["Date"].flatMap { Timestamp(httpDate: $0, now: now) } ?? now
    let (wait, overflow) = date.milliseconds.subtractingReportingOverflow(sent.milliseconds)
    return clamped(overflow ? (date < sent ? .min : .max) : wait)
  }

  /// The grammar's `delay-seconds`: digits only, of any number; beyond `Int64` they are very many seconds.
  private static func seconds(_ text: String) -> Int64? {
    guard !text.isEmpty, text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else { return nil }
    return decimalNumber(text.utf8) ?? .max
  }

  private static func clamped(_ milliseconds: Int64) -> Int64 {
    min(max(milliseconds, minMilliseconds), maxMilliseconds)
  }
}
