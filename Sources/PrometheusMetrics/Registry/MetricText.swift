/// Names as the text format allows them.
enum MetricName {
  /// A metric's name: other characters than `[a-zA-Z0-9_:]` become underscores, and a digit gets one in front of it.
  static func metric(_ name: String) -> String {
    allowed(name) { $0 == ":" }
  }

  /// A label's name, which has no colons.
  static func label(_ name: String) -> String {
    allowed(name) { _ in false }
  }

  private static func allowed(_ name: String, _ isAllowed: (Unicode.Scalar) -> Bool) -> String {
    var text = ""
    for scalar in name.unicodeScalars {
      let isDigit = ("0"..."9").contains(scalar)
      if isDigit, text.isEmpty { text.append("_") }
      let isLetter = ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
      text.unicodeScalars.append(isDigit || isLetter || isAllowed(scalar) ? scalar : "_")
    }
    return text.isEmpty ? "_" : text
  }
}

/// Values and texts in Prometheus' text format 0.0.4.
enum MetricText {
  /// Escapes backslashes and line feeds, and quotes in a label's value.
  static func escaped(_ text: String, quotes: Bool) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\\\"
      case "\n": escaped += "\\n"
      case "\"" where quotes: escaped += "\\\""
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// The largest number up to which a `Double` has each integer.
  private static let exactIntegers = 9_007_199_254_740_992.0

  /// A number; whole ones without a point.
  static func number(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
    guard value == value.rounded(), abs(value) <= exactIntegers else { return "\(value)" }
    return "\(Int64(value))"
  }
}
