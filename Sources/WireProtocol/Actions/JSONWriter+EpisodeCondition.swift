import Flux
import PodfluxCore

/// Conditions on episodes as the article Protocol has them.
extension JSONWriter {
  mutating func members(of condition: EpisodeCondition) {
    var clauses = ConditionClauses<EpisodeCondition>()
    Self.gather(condition, into: &clauses)
    for (key, clause) in clauses.sorted {
      self.key(named: key)
      value(of: clause, under: key)
    }
  }

  /// Finds the key of each part; ranges and excluded titles have two.
  private static func gather(_ condition: EpisodeCondition, into clauses: inout ConditionClauses<EpisodeCondition>) {
    switch condition {
    case .all(let parts):
      for part in parts { gather(part, into: &clauses) }
    case .published(let after, let before):
      clauses.add(condition, under: keys(after.map { _ in "publishedAfter" }, before.map { _ in "publishedBefore" }))
    case .bytes(let least, let most):
      clauses.add(condition, under: keys(least.map { _ in "minBytes" }, most.map { _ in "maxBytes" }))
    case .seconds(let least, let most):
      clauses.add(condition, under: keys(least.map { _ in "minSeconds" }, most.map { _ in "maxSeconds" }))
    case .not(.titleContains(let texts)) where !clauses.hasAny(of: ["titleExcludes"]):
      clauses.add(.titleContains(texts), under: ["titleExcludes"])
    case .not(let inner): clauses.exclude(inner)
    // An array of no alternatives is taken for a mistake.
    case .any(let parts) where parts.isEmpty: clauses.exclude(.everything)
    default: clauses.add(condition, under: [key(of: condition)])
    }
  }

  private static func key(of condition: EpisodeCondition) -> String {
    switch condition {
    case .any: "any"
    case .feeds: "feed"
    case .urls: "url"
    case .podcasts: "podcast"
    case .states: "state"
    case .media: "media"
    case .played: "played"
    case .favorite: "favorite"
    case .archived: "archived"
    case .titleContains: "titleContains"
    case .newerThanDays: "newerThanDays"
    case .olderThanDays: "olderThanDays"
    case .seasons: "season"
    case .kinds: "episodeType"
    case .all, .not, .published, .bytes, .seconds: preconditionFailure("it has no key of its own")
    }
  }

  private mutating func value(of clause: EpisodeCondition, under key: String) {
    guard key != "not" else { return object { $0.members(of: clause) } }
    switch clause {
    case .any(let conditions): elements(conditions) { condition, writer in writer.object { $0.members(of: condition) } }
    case .feeds(let ids): elements(ids) { $1.element($0.description) }
    case .urls(let texts), .podcasts(let texts), .titleContains(let texts): elements(texts) { $1.element($0) }
    case .states(let kinds): elements(kinds) { $1.element($0.rawValue) }
    case .media(let kinds): elements(kinds) { $1.element($0.rawValue) }
    case .kinds(let kinds): elements(kinds) { $1.element($0.rawValue) }
    case .played(let mark), .favorite(let mark), .archived(let mark): value(mark)
    case .published(let after, let before): value(key == "publishedAfter" ? after : before)
    case .bytes(let least, let most), .seconds(let least, let most): value(key.hasPrefix("min") ? least : most)
    case .newerThanDays(let days), .olderThanDays(let days): value(Int64(days))
    case .seasons(let seasons): elements(seasons) { $1.value($0) }
    case .all, .not: preconditionFailure("it has no key of its own")
    }
  }
}
