import Flux
import PodfluxCore

/// A feed's rules as `feeds.rules` has them. They are validated like any other input: days are subtracted from dates,
/// and what a rule says decides about files.
enum StoredRules {
  /// Decodes the column.
  ///
  /// - Throws: `DamagedRow` for what no client could have set.
  static func value(of text: String) throws -> FeedRules {
    let column = "feeds.rules"
    let rules: FeedRules = try StoredJSON.value(of: text, column: column)
    guard rules.isPlausible else { throw DamagedRow(column: column) }
    return rules
  }
}

extension FeedRules {
  fileprivate var isPlausible: Bool {
    let download = autoDownload.map { rule in
      rule.newest.map(Limits.newest.contains) ?? true && rule.condition.isWithinLimits && rule.condition.isPlausible
    }
    let stay = keep.map { keep in
      keep.newest.map(Limits.kept.contains) ?? true && keep.days.map(Limits.days.contains) ?? true
        && keep.bytes.map(Limits.bytes.contains) ?? true
    }
    return download ?? true && stay ?? true
  }
}

extension EpisodeCondition {
  /// Whether its numbers are those that a client may say.
  fileprivate var isPlausible: Bool {
    switch self {
    case .all(let parts), .any(let parts): parts.allSatisfy(\.isPlausible)
    case .not(let part): part.isPlausible
    case .published(let after, let before):
      [after, before].allSatisfy { $0.map { StoredNumber.moment.range.contains($0.milliseconds) } ?? true }
    // The limits of conditions say which days.
    case .newerThanDays, .olderThanDays, .feeds, .urls, .podcasts, .states, .media, .played, .favorite, .archived,
      .titleContains, .bytes, .seconds, .seasons, .kinds:
      true
    }
  }
}
