import CoreMetrics
import Synchronization

/// A counter of whole numbers, which saturates.
final class CounterMetric: CounterHandler {
  private let value = Mutex<Int64>(0)

  func increment(by amount: Int64) {
    guard amount > 0 else { return }
    value.withLock { value in
      let (sum, overflow) = value.addingReportingOverflow(amount)
      value = overflow ? .max : sum
    }
  }

  func reset() {
    value.withLock { $0 = 0 }
  }

  var current: Int64 { value.withLock { $0 } }
}

/// A counter of fractions.
final class FractionCounterMetric: FloatingPointCounterHandler {
  private let value = Mutex(0.0)

  func increment(by amount: Double) {
    guard amount > 0, amount.isFinite else { return }
    value.withLock { $0 += amount }
  }

  func reset() {
    value.withLock { $0 = 0 }
  }

  var current: Double { value.withLock { $0 } }
}

/// A value that can rise and fall; swift-metrics' meters and its recorders without aggregation.
final class GaugeMetric: MeterHandler, RecorderHandler {
  private let value = Mutex(0.0)

  func set(_ value: Int64) {
    set(Double(value))
  }

  func set(_ value: Double) {
    self.value.withLock { $0 = value }
  }

  func increment(by amount: Double) {
    value.withLock { $0 += amount }
  }

  func decrement(by amount: Double) {
    value.withLock { $0 -= amount }
  }

  func record(_ value: Int64) {
    set(value)
  }

  func record(_ value: Double) {
    set(value)
  }

  var current: Double { value.withLock { $0 } }
}
