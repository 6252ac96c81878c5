import Flux
import PodfluxCore

/// Conditions on episodes as the article Protocol has them.
extension JSONWriter {
  mutating func members(of condition: EpisodeCondition) {
    var clauses: [String: EpisodeCondition] = [:]
    Self.gather(condition, into: &clauses)
    for (key, clause) in clauses.sorted(by: { $0.key < $1.key }) {
      self.key(named: key)
      value(of: clause, under: key)
    }
  }

  /// Finds the key of each part; ranges and excluded titles have two.
  private static func gather(_ condition: EpisodeCondition, into clauses: inout [String: EpisodeCondition]) {
    switch condition {
    case .all(let parts):
      for part in parts { gather(part, into: &clauses) }
    case .published(let after, let before):
      if after != nil { clauses["publishedAfter"] = condition }
      if before != nil { clauses["publishedBefore"] = condition }
    case .bytes(let least, let most):
      if least != nil { clauses["minBytes"] = condition }
      if most != nil { clauses["maxBytes"] = condition }
    case .seconds(let least, let most):
      if least != nil { clauses["minSeconds"] = condition }
      if most != nil { clauses["maxSeconds"] = condition }
    case .not(.titleContains(let texts)) where clauses["titleExcludes"] == nil:
      clauses["titleExcludes"] = .titleContains(texts)
    case .not(let inner): clauses["not"] = inner
    case .any: clauses["any"] = condition
    case .feeds: clauses["feed"] = condition
    case .urls: clauses["url"] = condition
    case .podcasts: clauses["podcast"] = condition
    case .states: clauses["state"] = condition
    case .media: clauses["media"] = condition
    case .played: clauses["played"] = condition
    case .favorite: clauses["favorite"] = condition
    case .archived: clauses["archived"] = condition
    case .titleContains: clauses["titleContains"] = condition
    case .newerThanDays: clauses["newerThanDays"] = condition
    case .olderThanDays: clauses["olderThanDays"] = condition
    case .seasons: clauses["season"] = condition
    case .kinds: clauses["episodeType"] = condition
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
