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

  /// The conjunction of the parts.
  static func all(_ parts: [Predicate]) -> Predicate {
    joined(parts.filter { $0.sql != always.sql }, by: "AND") ?? always
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
