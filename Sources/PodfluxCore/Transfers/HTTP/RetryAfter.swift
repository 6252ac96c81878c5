import Flux

/// The delay that an origin requests (RFC 9110 section 10.2.3).
package enum RetryAfter {
  /// The shortest accepted delay, in milliseconds: "at once" is no answer to a failure.
  package static let minMilliseconds: Int64 = 1000
  /// The longest accepted delay of a download, in milliseconds: a day. The engine retries sooner if an origin requests
  /// more.
  package static let maxMilliseconds: Int64 = 24 * 3600 * 1000

  /// The delay of the response's `Retry-After` in milliseconds from its sending, clamped to `minMilliseconds` ...
  /// `longest`; nil if there is none, or it is neither seconds nor a date.
  ///
  /// A date counts from the response's own `Date` if readable, since the clocks of both sides may differ; else from
  /// `now`. A past date gives the shortest delay.
  package static func milliseconds(
    in head: ResponseHead, now: Timestamp, atMost longest: Int64 = maxMilliseconds
  ) -> Int64? {
    let clamped = { min(max($0, minMilliseconds), longest) }
    guard let text = head.retryAfter else { return nil }
    if let seconds = seconds(text) {
      // Clamped first, so that the product cannot overflow.
      return clamped(min(seconds, longest) * 1000)
    }
    guard let date = Timestamp(httpDate: text, now: now) else { return nil }
    let sent = head["Date"].flatMap { Timestamp(httpDate: $0, now: now) } ?? now
    let (wait, overflow) = date.milliseconds.subtractingReportingOverflow(sent.milliseconds)
    return clamped(overflow ? (date < sent ? .min : .max) : wait)
  }

  /// The grammar's `delay-seconds`: any number of digits; a value beyond `Int64` is clamped.
  private static func seconds(_ text: String) -> Int64? {
    guard !text.isEmpty, text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else { return nil }
    return decimalNumber(text.utf8) ?? .max
  }
}
