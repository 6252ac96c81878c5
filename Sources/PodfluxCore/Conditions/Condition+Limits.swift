/// A condition whose depth and parts are limited.
protocol LimitedCondition {
  var structure: ConditionStructure<Self> { get }
}

extension LimitedCondition {
  /// - Parameters:
  ///   - path: Where it stands, for what is said of it.
  ///   - takesClasses: Whether it may select by the classes that filters show. No line of an action can say them.
  /// - Throws: `Refusal` if it is beyond `Condition.Limits`.
  func check(at path: String, takesClasses: Bool = true) throws(Refusal) {
    var walk = ConditionWalk<Self>(path: path, takesClasses: takesClasses)
    try walk.add(self, depth: 1)
  }
}

extension Condition: LimitedCondition {
  var structure: ConditionStructure<Self> {
    switch self {
    case .all(let parts): .all(parts)
    case .any(let parts): .any(parts)
    case .not(let part): .not(part)
    case .newerThanDays(let days), .olderThanDays(let days): .days(days)
    case .sizes, .ages, .networks: .classes
    case .ids, .urls, .feeds, .states, .reasons, .podcasts, .origins, .media, .errorCodes, .titleContains, .published,
      .bytes:
      .other
    }
  }
}

extension EpisodeCondition: LimitedCondition {
  var structure: ConditionStructure<Self> {
    switch self {
    case .all(let parts): .all(parts)
    case .any(let parts): .any(parts)
    case .not(let part): .not(part)
    case .newerThanDays(let days), .olderThanDays(let days): .days(days)
    case .feeds, .urls, .podcasts, .states, .media, .played, .favorite, .archived, .titleContains, .published, .bytes,
      .seconds, .seasons, .kinds:
      .other
    }
  }
}

extension EpisodeCondition {
  /// Whether a client may say it, as far as `Condition.Limits` concern its parts, its depth and its days.
  package var isWithinLimits: Bool { (try? check(at: "")) != nil }
}

/// What a condition is made of, as far as limits concern it.
enum ConditionStructure<Condition> {
  case all([Condition])
  case any([Condition])
  case not(Condition)
  case days(Int)
  /// By what filters show: sizes, ages, networks.
  case classes
  case other
}

/// Counts the parts of conditions that stand in each other: they cost more to carry out than to write.
package struct ConditionCount {
  /// Where the outermost condition stands.
  private let path: String
  private var parts = 0

  package init(path: String) {
    self.path = path
  }

  /// Counts further parts.
  ///
  /// - Throws: `Refusal` if there are more than `Condition.Limits.parts` by now.
  package mutating func add(_ more: Int) throws(Refusal) {
    parts += more
    guard parts <= Condition.Limits.parts else {
      throw Refusal(
        .limitExceeded, "\(path) is made of more than \(Condition.Limits.parts) conditions; ask in several steps",
        path: path)
    }
  }

  /// - Parameters:
  ///   - depth: How deep a condition stands in others, 1 for the outermost one.
  ///   - path: Where it stands.
  /// - Throws: `Refusal` if that is deeper than `Condition.Limits.depth`.
  package static func check(depth: Int, at path: String) throws(Refusal) {
    guard depth <= Condition.Limits.depth else {
      throw Refusal(
        .limitExceeded, "conditions stand in each other more than \(Condition.Limits.depth) deep; write them flatter",
        path: path)
    }
  }
}

/// Walks through a condition and counts its parts, and how deep they stand in each other, as lines do: a line joins
/// what must all hold in one object, and what is excluded, or an alternative, is an object of its own.
private struct ConditionWalk<Value: LimitedCondition> {
  let path: String
  let takesClasses: Bool
  private var count: ConditionCount

  init(path: String, takesClasses: Bool) {
    (self.path, self.takesClasses) = (path, takesClasses)
    count = ConditionCount(path: path)
  }

  mutating func add(_ condition: Value, depth: Int) throws(Refusal) {
    switch condition.structure {
    case .days(let days):
      guard Condition.Limits.days.contains(days) else {
        let limits = Condition.Limits.days
        throw Refusal(
          .invalidValue, "a number of days must be from \(limits.lowerBound) to \(limits.upperBound)", path: path)
      }
      try count.add(1)
    case .classes:
      guard takesClasses else {
        throw Refusal(
          .invalidValue, "an action selects by bytes, published and podcast, not by the classes of filters", path: path)
      }
      try count.add(1)
    case .other: try count.add(1)
    case .all(let parts):
      try ConditionCount.check(depth: depth, at: path)
      if parts.isEmpty { try count.add(1) }
      for part in parts {
        // An `all` inside another one is no object of its own, but a level of its own for every walk.
        let isJoined = if case .all = part.structure { true } else { false }
        try add(part, depth: isJoined ? depth + 1 : depth)
      }
    case .any(let parts):
      try ConditionCount.check(depth: depth, at: path)
      try count.add(1)
      for part in parts { try add(part, depth: depth + 1) }
    case .not(let part):
      try ConditionCount.check(depth: depth, at: path)
      try add(part, depth: depth + 1)
    }
  }
}
