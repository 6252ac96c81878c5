/// The labels of one metric, in the order of their names.
struct MetricLabels: Hashable, Comparable {
  private let pairs: [Pair]

  private struct Pair: Hashable, Comparable {
    let name: String
    let value: String

    static func < (first: Pair, second: Pair) -> Bool {
      (first.name, first.value) < (second.name, second.value)
    }
  }

  /// Takes the dimensions of swift-metrics. Of two with the same name the last one counts.
  init(_ dimensions: [(String, String)]) {
    let values = Dictionary(dimensions.map { (MetricName.label($0.0), $0.1) }) { $1 }
    pairs = values.map { Pair(name: $0.key, value: $0.value) }.sorted()
  }

  /// The same labels with a value for all that have too many.
  var other: MetricLabels {
    MetricLabels(pairs.map { ($0.name, "other") })
  }

  static func < (first: MetricLabels, second: MetricLabels) -> Bool {
    first.pairs.lexicographicallyPrecedes(second.pairs)
  }

  /// The labels as the text format writes them, with one more at the end; an empty text without labels.
  func text(and last: (name: String, value: String)? = nil) -> String {
    var written = pairs.map { "\($0.name)=\"\(MetricText.escaped($0.value, quotes: true))\"" }
    if let last { written.append("\(last.name)=\"\(last.value)\"") }
    return written.isEmpty ? "" : "{\(written.joined(separator: ","))}"
  }
}
