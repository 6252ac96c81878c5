import CoreMetrics
import Synchronization

/// A metrics backend that keeps every metric in memory, for Prometheus to read.
///
/// A metric is known by its name and its labels: two handles of the same one count in one place. Thread safe;
/// counting costs a lock of its own, making a metric a look-up: make it once, and keep it.
package final class PrometheusRegistry: MetricsFactory {
  /// How many combinations of labels one name has at most. All further ones count together, with the value `other`.
  package static let maximumMetrics = 256

  enum Metric {
    case counter(CounterMetric)
    case fractionCounter(FractionCounterMetric)
    case gauge(GaugeMetric)
    case histogram(HistogramMetric)

    var kind: MetricFamily.Kind {
      switch self {
      case .counter, .fractionCounter: .counter
      case .gauge: .gauge
      case .histogram: .histogram
      }
    }
  }

  private let families: [String: MetricFamily]
  private let metrics = Mutex<[String: [MetricLabels: Metric]]>([:])

  /// Makes a registry.
  ///
  /// - Parameter families: What is known of some metrics; others have no help, and default bounds.
  package init(_ families: [MetricFamily] = []) {
    self.families = Dictionary(families.map { (MetricName.metric($0.name), $0) }) { $1 }
  }

  // MARK: MetricsFactory

  package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    make(label, dimensions, { .counter(CounterMetric()) }) {
      if case .counter(let counter) = $0 { counter } else { nil }
    }
  }

  package func makeFloatingPointCounter(
    label: String, dimensions: [(String, String)]
  ) -> any FloatingPointCounterHandler {
    make(label, dimensions, { .fractionCounter(FractionCounterMetric()) }) {
      if case .fractionCounter(let counter) = $0 { counter } else { nil }
    }
  }

  package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    makeGauge(label, dimensions)
  }

  package func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler {
    aggregate ? makeHistogram(label, dimensions) : makeGauge(label, dimensions)
  }

  package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    makeHistogram(label, dimensions)
  }

  package func destroyCounter(_ handler: any CounterHandler) { forget(handler) }

  package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) { forget(handler) }

  package func destroyMeter(_ handler: any MeterHandler) { forget(handler) }

  package func destroyRecorder(_ handler: any RecorderHandler) { forget(handler) }

  package func destroyTimer(_ handler: any TimerHandler) { forget(handler) }

  private func makeGauge(_ label: String, _ dimensions: [(String, String)]) -> GaugeMetric {
    make(label, dimensions, { .gauge(GaugeMetric()) }) { if case .gauge(let gauge) = $0 { gauge } else { nil } }
  }

  private func makeHistogram(_ label: String, _ dimensions: [(String, String)]) -> HistogramMetric {
    let bounds = families[MetricName.metric(label)]?.bounds ?? Histogram.defaultBounds
    return make(label, dimensions, { .histogram(HistogramMetric(bounds: bounds)) }) {
      if case .histogram(let histogram) = $0 { histogram } else { nil }
    }
  }

  private func make<Handler: Sendable>(
    _ label: String, _ dimensions: [(String, String)], _ new: () -> Metric, _ handler: (Metric) -> Handler?
  ) -> Handler {
    let name = MetricName.metric(label)
    var labels = MetricLabels(dimensions)
    return metrics.withLock { metrics in
      var family = metrics[name, default: [:]]
      if family[labels] == nil, family.count >= Self.maximumMetrics { labels = labels.other }
      let metric = family[labels] ?? new()
      guard let found = handler(metric), family.values.first.map({ $0.kind == metric.kind }) ?? true else {
        preconditionFailure("the metrics \"\(name)\" are of two kinds")
      }
      family[labels] = metric
      metrics[name] = family
      return found
    }
  }

  private func forget(_ handler: AnyObject) {
    metrics.withLock { metrics in
      for name in metrics.keys {
        metrics[name] = metrics[name]?.filter { $0.value.object !== handler }
        if metrics[name]?.isEmpty == true { metrics[name] = nil }
      }
    }
  }

  // MARK: Exposition

  /// All metrics in Prometheus' text format 0.0.4, in the order of their names and labels.
  package func exposition() -> [UInt8] {
    var text = ""
    for (name, family) in metrics.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
      if let help = families[name]?.help { text += "# HELP \(name) \(MetricText.escaped(help, quotes: false))\n" }
      if let kind = family.values.first?.kind { text += "# TYPE \(name) \(kind.rawValue)\n" }
      for (labels, metric) in family.sorted(by: { $0.key < $1.key }) { metric.append(to: &text, name, labels) }
    }
    return Array(text.utf8)
  }
}

extension PrometheusRegistry.Metric {
  fileprivate var object: AnyObject {
    switch self {
    case .counter(let metric): metric
    case .fractionCounter(let metric): metric
    case .gauge(let metric): metric
    case .histogram(let metric): metric
    }
  }

  fileprivate func append(to text: inout String, _ name: String, _ labels: MetricLabels) {
    switch self {
    case .counter(let counter): text += "\(name)\(labels.text()) \(counter.current)\n"
    case .fractionCounter(let counter): text += "\(name)\(labels.text()) \(MetricText.number(counter.current))\n"
    case .gauge(let gauge): text += "\(name)\(labels.text()) \(MetricText.number(gauge.current))\n"
    case .histogram(let histogram): append(histogram.current, to: &text, name, labels)
    }
  }

  /// The buckets of the text format are cumulative.
  private func append(_ histogram: Histogram, to text: inout String, _ name: String, _ labels: MetricLabels) {
    var count: Int64 = 0
    for (bound, number) in zip(histogram.bounds + [.infinity], histogram.counts) {
      count += number
      text += "\(name)_bucket\(labels.text(and: ("le", MetricText.number(bound)))) \(count)\n"
    }
    text += "\(name)_sum\(labels.text()) \(MetricText.number(histogram.sum))\n"
    text += "\(name)_count\(labels.text()) \(count)\n"
  }
}
