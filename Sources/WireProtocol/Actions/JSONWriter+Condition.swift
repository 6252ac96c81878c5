import Flux
import PodfluxCore

/// Conditions as the article Protocol has them: the keys of an object are joined by AND, the values of a key by OR.
extension JSONWriter {
  mutating func members(of condition: Condition) {
    var clauses = ConditionClauses<Condition>()
    Self.gather(condition, into: &clauses)
    for (key, clause) in clauses.sorted {
      self.key(named: key)
      value(of: clause, under: key)
    }
  }

  /// The parts that are read behind a title that is excluded.
  private static let keysBehindTitles = [
    "publishedAfter", "publishedBefore", "newerThanDays", "olderThanDays", "minBytes", "maxBytes", "errorCode",
  ]

  /// Finds the key of each part, so that reading them gives the parts in the same order. Excluded titles have two.
  private static func gather(_ condition: Condition, into clauses: inout ConditionClauses<Condition>) {
    switch condition {
    case .all(let parts):
      for part in parts { gather(part, into: &clauses) }
    case .published(let after, let before):
      clauses.add(condition, under: keys(after.map { _ in "publishedAfter" }, before.map { _ in "publishedBefore" }))
    case .bytes(let atLeast, let atMost):
      clauses.add(condition, under: keys(atLeast.map { _ in "minBytes" }, atMost.map { _ in "maxBytes" }))
    case .not(.titleContains(let texts)) where !clauses.hasAny(of: ["titleExcludes"] + keysBehindTitles):
      clauses.add(.titleContains(texts), under: ["titleExcludes"])
    case .not(let inner): clauses.exclude(inner)
    // An array of no alternatives is taken for a mistake.
    case .any(let parts) where parts.isEmpty: clauses.exclude(.everything)
    default: clauses.add(condition, under: [key(of: condition)])
    }
  }

  private static func key(of condition: Condition) -> String {
    switch condition {
    case .any: "any"
    case .ids: "id"
    case .urls: "url"
    case .feeds: "feed"
    case .states: "state"
    case .reasons: "reason"
    case .podcasts: "podcast"
    case .origins: "origin"
    case .media: "media"
    case .sizes: "size"
    case .ages: "age"
    case .networks: "network"
    case .errorCodes: "errorCode"
    case .titleContains: "titleContains"
    case .newerThanDays: "newerThanDays"
    case .olderThanDays: "olderThanDays"
    case .all, .not, .published, .bytes: preconditionFailure("it has no key of its own")
    }
  }

  private mutating func value(of clause: Condition, under key: String) {
    guard key != "not" else { return object { $0.members(of: clause) } }
    switch clause {
    case .any(let conditions): elements(conditions) { condition, writer in writer.object { $0.members(of: condition) } }
    case .ids(let ids): elements(ids) { $1.element($0.description) }
    case .feeds(let ids): elements(ids) { $1.element($0.description) }
    case .states(let kinds): names(kinds)
    case .reasons(let reasons): names(reasons)
    case .urls(let names), .podcasts(let names), .titleContains(let names): elements(names) { $1.element($0) }
    case .origins(let origins): names(origins)
    case .media(let kinds): names(kinds)
    case .sizes(let sizes): names(sizes)
    case .ages(let ages): names(ages)
    case .networks(let policies): names(policies)
    case .errorCodes(let codes): names(codes)
    case .published(let after, let before): value(key == "publishedAfter" ? after : before)
    case .bytes(let atLeast, let atMost): value(key == "minBytes" ? atLeast : atMost)
    case .newerThanDays(let days), .olderThanDays(let days): value(Int64(days))
    case .all, .not: preconditionFailure("it has no key of its own")
    }
  }

  private mutating func names<Name: RawRepresentable<String>>(_ names: [Name]) {
    elements(names) { $1.element($0.rawValue) }
  }
}
