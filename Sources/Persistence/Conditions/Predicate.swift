import GRDB

/// A condition in SQL, with the values that are bound to it: always 0 or 1, never NULL.
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

  /// What meets all of these.
  static func all(_ parts: [Predicate]) -> Predicate {
    joined(parts.filter { $0.sql != always.sql }, by: "AND") ?? always
  }

  /// What meets any of these.
  static func any(_ parts: [Predicate]) -> Predicate {
    joined(parts.filter { $0.sql != never.sql }, by: "OR") ?? never
  }

  static prefix func ! (predicate: Predicate) -> Predicate {
    Predicate("NOT (\(predicate.sql))", values: predicate.values)
  }

  /// Halves in halves: SQLite refuses expressions that are 1,000 deep, and a chain is as deep as it is long.
  private static func joined(_ parts: some Collection<Predicate>, by connective: String) -> Predicate? {
    guard parts.count > 1 else { return parts.first }
    let half = parts.count / 2
    guard let left = joined(parts.prefix(half), by: connective),
      let right = joined(parts.dropFirst(half), by: connective)
    else { return nil }
    return Predicate("(\(left.sql) \(connective) \(right.sql))", values: left.values + right.values)
  }
}
