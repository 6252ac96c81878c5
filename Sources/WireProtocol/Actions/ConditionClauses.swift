import PodfluxCore

/// The keys that say a condition in one object, and what each says.
///
/// An object has each key once. What wants a key that is taken already is said as what is excluded: to meet a part is
/// not to meet what excludes it.
///
/// | condition | said as |
/// |---|---|
/// | a and b | a and not (not b) |
/// | not a, and not b | not (a or b) |
struct ConditionClauses<Condition: ExcludableCondition> {
  private var clauses: [String: Condition] = [:]
  /// The excluded conditions, which are written under one key.
  private var excluded: [Condition] = []

  /// In the order of their keys.
  var sorted: [(key: String, value: Condition)] {
    var all = clauses
    if let first = excluded.first { all["not"] = excluded.count == 1 ? first : .any(excluded) }
    return all.sorted { $0.key < $1.key }
  }

  /// Whether one of these keys is taken.
  func hasAny(of keys: [String]) -> Bool { keys.contains { clauses[$0] != nil } }

  /// Says a part under its key, or under both of a range.
  mutating func add(_ part: Condition, under keys: [String]) {
    guard !hasAny(of: keys) else { return exclude(.not(part)) }
    for key in keys { clauses[key] = part }
  }

  /// Says that a part is not met.
  mutating func exclude(_ part: Condition) {
    excluded.append(part)
  }
}

/// A condition that others are made of.
protocol ExcludableCondition {
  static func any(_ conditions: [Self]) -> Self
  static func not(_ condition: Self) -> Self
}

extension Condition: ExcludableCondition {}
extension EpisodeCondition: ExcludableCondition {}

/// The ends that a range has, as keys.
func keys(_ least: String?, _ most: String?) -> [String] { [least, most].compactMap(\.self) }
