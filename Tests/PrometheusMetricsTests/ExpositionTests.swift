import CoreMetrics
import Testing

@testable import PrometheusMetrics

@Suite("Prometheus' text format")
struct ExpositionTests {
  private func text(_ registry: PrometheusRegistry) -> String {
    String(decoding: registry.exposition(), as: UTF8.self)
  }

  @Test("Metrics come in the order of names and labels, each name with its help and its type")
  func order() {
    let registry = PrometheusRegistry([MetricFamily("b_total", help: "What is counted."), MetricFamily("c", help: "-")])
    Counter(label: "b_total", dimensions: [("state", "z")], factory: registry).increment(by: 2)
    Counter(label: "b_total", dimensions: [("state", "a"), ("reason", "r")], factory: registry).increment()
    Meter(label: "a", factory: registry).set(-1.5)
    Gauge(label: "c", factory: registry).record(1 << 40)
    let expected = """
      # TYPE a gauge
      a -1.5
      # HELP b_total What is counted.
      # TYPE b_total counter
      b_total{reason="r",state="a"} 1
      b_total{state="z"} 2
      # HELP c -
      # TYPE c gauge
      c 1099511627776

      """
    #expect(text(registry) == expected)
    #expect(text(PrometheusRegistry()) == "")
  }

  @Test("Names, labels and helps are escaped")
  func escaping() {
    let registry = PrometheusRegistry([MetricFamily("9lives", help: "a\\b\n\"c\"")])
    Counter(label: "9lives", dimensions: [("a-b:c", "x\"y\\z\nü")], factory: registry).increment()
    Counter(label: "", factory: registry).increment()
    let expected = #"""
      # TYPE _ counter
      _ 1
      # HELP _9lives a\\b\n"c"
      # TYPE _9lives counter
      _9lives{a_b_c="x\"y\\z\nü"} 1

      """#
    #expect(text(registry) == expected)
  }

  @Test(
    "Numbers are written as Prometheus reads them",
    arguments: [
      (0, "0"), (-3, "-3"), (0.1, "0.1"), (1e300, "1e+300"), (0.00005, "5e-05"), (.infinity, "+Inf"),
      (-.infinity, "-Inf"), (.nan, "NaN"), (9_007_199_254_740_992, "9007199254740992"),
    ])
  func numbers(value: Double, expected: String) {
    #expect(MetricText.number(value) == expected)
  }

  @Test("A histogram has cumulative buckets, a sum and a count, and a bound belongs to its bucket")
  func histogram() {
    let registry = PrometheusRegistry([MetricFamily("t", help: "Time.", bounds: [0.5, 1])])
    let timer = CoreMetrics.Timer(label: "t", dimensions: [("k", "v")], factory: registry)
    for nanoseconds in [250_000_000, 500_000_000, 750_000_000, 2_000_000_000] as [Int64] {
      timer.recordNanoseconds(nanoseconds)
    }
    let expected = """
      # HELP t Time.
      # TYPE t histogram
      t_bucket{k="v",le="0.5"} 2
      t_bucket{k="v",le="1"} 3
      t_bucket{k="v",le="+Inf"} 4
      t_sum{k="v"} 3.5
      t_count{k="v"} 4

      """
    #expect(text(registry) == expected)
    let recorder = Recorder(label: "r", factory: registry)
    recorder.record(3)
    recorder.record(Double.nan)
    #expect(text(registry).contains("r_bucket{le=\"5\"} 1\n") && text(registry).contains("r_count 1\n"))
  }

  @Test("Two handles of one metric count in one place; a destroyed metric is shown no more")
  func handles() {
    let registry = PrometheusRegistry()
    let first = Counter(label: "n", dimensions: [("a", "1"), ("b", "2")], factory: registry)
    let second = Counter(label: "n", dimensions: [("b", "2"), ("a", "1")], factory: registry)
    first.increment(by: 3)
    second.increment(by: 4)
    #expect(text(registry).hasSuffix("n{a=\"1\",b=\"2\"} 7\n"))
    first.reset()
    #expect(text(registry).hasSuffix("n{a=\"1\",b=\"2\"} 0\n"))
    second.destroy()
    #expect(text(registry) == "")
  }

  @Test("Counters go up only, and saturate")
  func counters() {
    let counter = CounterMetric()
    counter.increment(by: -1)
    #expect(counter.current == 0)
    counter.increment(by: .max)
    counter.increment(by: 1)
    #expect(counter.current == .max)
    let registry = PrometheusRegistry()
    let fraction = FloatingPointCounter(label: "f", factory: registry)
    for amount in [0.25, -1, .nan, .infinity, 0.5] { fraction.increment(by: amount) }
    #expect(text(registry).hasSuffix("f 0.75\n"))
    let meter = Meter(label: "m", factory: registry)
    meter.set(4)
    meter.increment(by: 1.5)
    meter.decrement(by: 5)
    #expect(text(registry).hasSuffix("m 0.5\n"))
  }

  @Test("A name has a bounded number of metrics: further ones count together")
  func cardinality() {
    let registry = PrometheusRegistry()
    for number in 0..<(2 * PrometheusRegistry.maximumMetrics) {
      Counter(label: "n", dimensions: [("host", "\(number)")], factory: registry).increment()
    }
    let lines = text(registry).split(separator: "\n")
    #expect(lines.count == PrometheusRegistry.maximumMetrics + 2)
    #expect(lines.contains("n{host=\"other\"} \(PrometheusRegistry.maximumMetrics)"))
  }

  @Test("Many threads count without loss")
  func threads() async {
    let registry = PrometheusRegistry()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<1000 {
            Counter(label: "n", factory: registry).increment()
            CoreMetrics.Timer(label: "t", factory: registry).recordNanoseconds(1)
          }
        }
      }
    }
    #expect(text(registry).contains("\nn 8000\n") && text(registry).hasSuffix("t_count 8000\n"))
  }
}
