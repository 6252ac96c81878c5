import Flux
import GRDB

/// A condition in SQL with its arguments: always 0 or 1, never NULL.
struct Predicate {
  let sql: String
  let values: [any DatabaseValueConvertible]

  init(_ sql: String, _ values: any DatabaseValueConvertible...) {
    self.init(sql, values: values)
  }

  init(_ sql: String, values: [any DatabaseValueConvertible]) {
    self.sql = sql
    self.values = values
  }

  static var always: Predicate { Predicate("1") }
  static var never: Predicate { Predicate("0") }

  /// Whether it is plainly met by nothing.
  var isNever: Bool { sql == Self.never.sql }

  /// Whether a column has a number in a range, of which the ends count.
  static func range(_ column: String, atLeast least: Int64?, atMost most: Int64?) -> Predicate {
    comparing(column, least.map { (">=", $0) }, most.map { ("<=", $0) })
  }

  /// Whether a column has a moment between two others, which do not count.
  static func moments(_ column: String, after first: Timestamp?, before last: Timestamp?) -> Predicate {
    comparing(column, first.map { (">", $0.milliseconds) }, last.map { ("<", $0.milliseconds) })
  }

  private static func comparing(
    _ column: String, _ bounds: (comparison: String, number: Int64)?...
  ) -> Predicate {
    let parts = bounds.compactMap(\.self).map { Predicate("coalesce(\(column) \($0.comparison) ?, 0)", $0.number) }
    return .all([Predicate("\(column) IS NOT NULL")] + parts)
  }

  /// The conjunction of the parts.
  static func all(_ parts: [Predicate]) -> Predicate {
    if parts.contains(where: \.isNever) { return never }
    return joined(parts.filter { $0.sql != always.sql }, by: "AND") ?? always
  }

  /// The disjunction of the parts.
  static func any(_ parts: [Predicate]) -> Predicate {
    joined(parts.filter { $0.sql != never.sql }, by: "OR") ?? never
  }

  static prefix func ! (predicate: Predicate) -> Predicate {
    Predicate("NOT (\(predicate.sql))", values: predicate.values)
  }

  /// Joins as a balanced tree: SQLite limits expressions to a depth of 1,000, and a chain is as deep as it is long.
  private static func joined(_ parts: some Collection<Predicate>, by connective: String) -> Predicate? {
    guard parts.count > 1 else { return parts.first }
    let half = parts.count / 2
    guard let left = joined(parts.prefix(half), by: connective),
      let right = joined(parts.dropFirst(half), by: connective)
    else { return nil }
    return Predicate("(\(left.sql) \(connective) \(right.sql))", values: left.values + right.values)
  }
}
