import Flux
import GRDB
import PodfluxCore
import Texts

/// Translates conditions on episodes to SQL, over the columns of `episodes`.
struct EpisodeConditionSQL {
  private let moment: ConditionMoment
  private let db: Database

  init(at moment: ConditionMoment, in db: Database) {
    self.moment = moment
    self.db = db
  }

  /// The condition as a predicate: always 0 or 1, never NULL.
  func predicate(_ condition: EpisodeCondition) throws -> Predicate {
    switch condition {
    case .all(let conditions): return .all(try conditions.map(predicate))
    case .any(let conditions): return .any(try conditions.map(predicate))
    case .not(let condition): return try !predicate(condition)
    case .feeds(let ids):
      let keys = try keys(of: ids)
      // One key in a plain list would be put in the place of `feed` in other terms, and no index over `feed >> 3` be
      // used.
      return keys.isEmpty
        ? .never : Predicate("feed IN (SELECT value FROM json_each(?))", try ConditionSQL.list(keys.sorted()))
    case .urls(let urls): return try ShownURLs.predicate(urls, in: "url")
    case .podcasts(let titles):
      return Predicate(
        "feed IN (SELECT key FROM feeds WHERE title_key IN (SELECT value FROM json_each(?)))",
        try ConditionSQL.list(titles.map(FoldedText.of)))
    case .states(let kinds):
      return Predicate(
        """
        coalesce((SELECT state FROM downloads WHERE downloads.id = episodes.download), '') \
        IN (SELECT value FROM json_each(?))
        """, try ConditionSQL.list(kinds.map(\.rawValue)))
    case .media(let kinds): return Predicate("media IN (\(Self.list(kinds.map(\.rowCode))))")
    case .played(let value): return Predicate("played = \(value ? 1 : 0)")
    case .favorite(let value): return Predicate("favorite = \(value ? 1 : 0)")
    case .archived(let value): return Predicate("archived = \(value ? 1 : 0)")
    case .titleContains(let texts):
      return texts.isEmpty ? .never : Predicate("contains_text(title_key, ?)", try ConditionSQL.list(texts))
    case .published(let after, let before): return .moments("published", after: after, before: before)
    case .newerThanDays(let days):
      return Predicate("coalesce(published, added_at) >= ?", moment.beginning(ofDays: days))
    case .olderThanDays(let days): return Predicate("coalesce(published, added_at) < ?", moment.beginning(ofDays: days))
    case .bytes(let least, let most): return .range("bytes", atLeast: least, atMost: most)
    case .seconds(let least, let most): return .range("seconds", atLeast: least, atMost: most)
    case .seasons(let seasons): return Predicate("coalesce(season IN (\(Self.list(seasons))), 0)")
    case .kinds(let kinds):
      return Predicate(
        "coalesce(kind, 'full') IN (SELECT value FROM json_each(?))", try ConditionSQL.list(kinds.map(\.rawValue)))
    }
  }

  /// The keys of the feeds to which a condition at its top level limits episodes; nil if it names none.
  func feeds(_ condition: EpisodeCondition) throws -> Set<Int64>? {
    switch condition {
    case .feeds(let ids): return Set(try keys(of: ids))
    case .podcasts(let titles): return Set(try keys(ofTitled: titles))
    case .all(let conditions):
      let named = try conditions.compactMap { try feeds($0) }
      return named.dropFirst().reduce(named.first) { $0?.intersection($1) }
    case .any(let conditions) where !conditions.isEmpty:
      let named = try conditions.compactMap { try feeds($0) }
      return named.count == conditions.count ? named.reduce([]) { $0.union($1) } : nil
    default: return nil
    }
  }

  private func keys(of ids: [FeedID]) throws -> [Int64] {
    try keys("id", ids.map(\.description))
  }

  private func keys(ofTitled titles: [String]) throws -> [Int64] {
    try keys("title_key", titles.map(FoldedText.of))
  }

  private func keys(_ column: String, _ values: [String]) throws -> [Int64] {
    try Int64.fetchAll(
      db.cachedStatement(sql: "SELECT key FROM feeds WHERE \(column) IN (SELECT value FROM json_each(?)) ORDER BY key"),
      arguments: [try ConditionSQL.list(values)])
  }

  private static func list(_ numbers: [Int64]) -> String { numbers.map(String.init).joined(separator: ", ") }
}
