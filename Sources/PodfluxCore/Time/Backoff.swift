import Flux

/// How long is waited after failures that follow each other: exponentially longer, with jitter.
///
/// With jitter of up to half of the wait, what failed together does not come back together.
struct Backoff {
  /// The wait after the first failure, in milliseconds.
  let firstMilliseconds: Int64
  /// The longest wait, in milliseconds.
  let longestMilliseconds: Int64
  /// By how much the wait grows with each further failure.
  var factor: Int64 = 2

  /// The wait after so many failures, in milliseconds.
  func milliseconds(afterFailures failures: Int, using random: inout SeededGenerator) -> Int64 {
    var wait = firstMilliseconds
    for _ in 1..<max(1, failures) where wait < longestMilliseconds { wait *= factor }
    wait += Int64.random(in: 0...(wait / 2), using: &random)
    return min(wait, longestMilliseconds)
  }
}
