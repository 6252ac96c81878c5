/// What readers of the exposition are told of all metrics with one name.
package struct MetricFamily: Hashable, Sendable {
  /// The name of the metrics: `[a-zA-Z_:][a-zA-Z0-9_:]*`.
  package var name: String
  /// One sentence for people.
  package var help: String
  /// The upper bounds of a histogram's buckets, in ascending order; the registry's own, by default.
  package var bounds: [Double]

  package init(_ name: String, help: String, bounds: [Double] = Histogram.defaultBounds) {
    self.name = name
    self.help = help
    self.bounds = bounds
  }

  /// The kinds of metrics, as the text format names them.
  enum Kind: String {
    case counter, gauge, histogram
  }
}
