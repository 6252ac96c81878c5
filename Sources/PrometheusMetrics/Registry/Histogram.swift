import CoreMetrics
import Synchronization

/// How many observations fell under each bound, and their sum.
package struct Histogram: Hashable, Sendable {
  /// Half a millisecond to ten seconds.
  package static let defaultBounds = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
  ]

  /// The upper bounds of all buckets but the last, which has none.
  let bounds: [Double]
  /// How many observations are in each bucket, the last included.
  private(set) var counts: [Int64]
  private(set) var sum = 0.0

  init(bounds: [Double]) {
    self.bounds = bounds
    counts = Array(repeating: 0, count: bounds.count + 1)
  }

  /// Takes an observation; a bound belongs to its bucket.
  mutating func record(_ value: Double) {
    guard !value.isNaN else { return }
    counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
    sum += value
  }
}

/// A histogram of values, or of durations in seconds.
final class HistogramMetric: RecorderHandler, TimerHandler {
  private static let nanosecondsPerSecond = 1e9

  private let histogram: Mutex<Histogram>

  init(bounds: [Double]) {
    histogram = Mutex(Histogram(bounds: bounds))
  }

  func record(_ value: Int64) {
    record(Double(value))
  }

  func record(_ value: Double) {
    histogram.withLock { $0.record(value) }
  }

  func recordNanoseconds(_ duration: Int64) {
    record(Double(duration) / Self.nanosecondsPerSecond)
  }

  var current: Histogram { histogram.withLock { $0 } }
}
