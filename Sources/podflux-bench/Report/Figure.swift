/// A quantity with several measurements.
struct Figure {
  enum Unit: String, Encodable {
    case seconds = "s"
    case milliseconds = "ms"
    case kibibytes = "KiB"
    case mebibytes = "MiB"
    case linesPerSecond = "lines/s"
    case times = "×"
    case percent = "%"
    case count = ""
  }

  /// The required median.
  enum Target {
    case atLeast(Double)
    case atMost(Double)

    func isMet(by value: Double) -> Bool {
      switch self {
      case .atLeast(let limit): value >= limit
      case .atMost(let limit): value <= limit
      }
    }
  }

  let name: String
  let unit: Unit
  let samples: [Double]
  let target: Target?

  init(_ name: String, _ unit: Unit, _ samples: [Double], target: Target? = nil) {
    precondition(!samples.isEmpty, "a figure needs a measurement")
    self.name = name
    self.unit = unit
    self.samples = samples
    self.target = target
  }

  var minimum: Double { samples.min() ?? .nan }
  var median: Double { samples.percentile(50) }
  var maximum: Double { samples.max() ?? .nan }
  /// Nil without a target.
  var isMet: Bool? { target.map { $0.isMet(by: median) } }
}

extension Figure: Encodable {
  private enum Key: String, CodingKey {
    case name, unit, samples, minimum, median, maximum, atLeast, atMost, isMet
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(name, forKey: .name)
    try container.encode(unit, forKey: .unit)
    try container.encode(samples, forKey: .samples)
    try container.encode(minimum, forKey: .minimum)
    try container.encode(median, forKey: .median)
    try container.encode(maximum, forKey: .maximum)
    switch target {
    case .atLeast(let limit)?: try container.encode(limit, forKey: .atLeast)
    case .atMost(let limit)?: try container.encode(limit, forKey: .atMost)
    case nil: break
    }
    try container.encodeIfPresent(isMet, forKey: .isMet)
  }
}

extension [Double] {
  /// The given percentile, interpolated between measurements.
  func percentile(_ percent: Double) -> Double {
    let sorted = self.sorted()
    guard let last = sorted.indices.last else { return .nan }
    let place = Double(last) * percent / 100
    let lower = Int(place)
    let upper = Swift.min(lower + 1, last)
    return sorted[lower] + (sorted[upper] - sorted[lower]) * (place - Double(lower))
  }
}

extension Int64 {
  var mebibytes: Double { Double(self) / 1_048_576 }
}
