import Flux
import Foundation
import GRDB
import PodfluxCore

/// Translates conditions to SQL.
///
/// It evaluates conditions on traits once for each existing class, and emits a list of classes; other conditions are
/// evaluated for each row. A list is bound as one value (`json_each`), so that its length meets no limit of SQLite.
struct ConditionSQL {
  /// An existing class, and its traits as clients see them.
  struct Known {
    let row: PackedTraits
    /// The traits on hosts that are not special.
    let plain: Traits
    /// The traits on each group of special hosts, in order.
    let special: [Traits]

    init(_ row: PackedTraits, _ obstacles: Obstacles, _ hosts: SpecialHosts) throws {
      let traits = try row.traits()
      self.row = row
      plain = obstacles.visible(traits, on: .ordinary)
      special = hosts.groups.map { obstacles.visible(traits, on: $0.kind) }
    }

    /// Whether clients see rows of it in this state.
    func isSeen(as kind: DownloadState.Kind) -> Bool { plain.kind == kind || special.contains { $0.kind == kind } }

    /// Whether clients see rows of it in several states.
    var isMixed: Bool { special.contains { $0.kind != plain.kind } }
  }

  /// The classes in the table.
  let classes: [Known]
  private let moment: ConditionMoment
  /// The hosts of each special group, as a JSON list.
  private let hosts: [String]
  private let spellings: (String) throws -> [String]

  /// Reads the existing classes. Cost: a look-up for each, and those of `SpecialHosts`.
  init(at moment: ConditionMoment, in db: Database) throws {
    let special = try SpecialHosts(moment.obstacles, in: db)
    classes = try Int64.fetchAll(db.cachedStatement(sql: DistinctValues.select("class"))).map { code in
      try Known(PackedTraits(code: code), moment.obstacles, special)
    }
    self.moment = moment
    hosts = try special.groups.map { try Self.list($0.hosts) }
    let present = PodcastSpellings(db: db)
    spellings = { try present.spellings(of: $0) }
  }

  /// A condition in SQL, over the columns of `downloads`. It names no index; the caller does.
  func predicate(_ condition: Condition) throws -> Predicate {
    if condition.isDecidedByTraits { return try among(condition) }
    switch condition {
    case .all(let conditions):
      let decided = conditions.filter(\.isDecidedByTraits)
      let others = conditions.filter { !$0.isDecidedByTraits }
      return .all(try [among(.all(decided))] + others.map(predicate))
    case .any(let conditions):
      let decided = conditions.filter(\.isDecidedByTraits)
      let names = conditions.compactMap(\.names)
      let others = conditions.filter { !$0.isDecidedByTraits && $0.names == nil }
      return .any(try [among(.any(decided)), ofPodcasts(names.flatMap(\.self))] + others.map(predicate))
    case .not(let condition): return try !predicate(condition)
    case .ids(let ids): return try Self.withIDs(ids)
    case .urls(let urls): return try ShownURLs.predicate(urls, in: "url")
    case .feeds(let ids): return try Self.ofFeeds(ids)
    case .podcasts(let names): return try ofPodcasts(names)
    case .titleContains(let texts):
      return texts.isEmpty ? .never : Predicate("contains_text(title_key, ?)", try Self.list(texts))
    case .published(let after, let before):
      return .moments("published", after: after, before: before)
    case .newerThanDays(let days):
      return Predicate("coalesce(published, added_at) >= ?", moment.beginning(ofDays: days))
    case .olderThanDays(let days):
      return Predicate("coalesce(published, added_at) < ?", moment.beginning(ofDays: days))
    case .bytes(let least, let most):
      return .range("length", atLeast: least, atMost: most)
    case .states, .reasons, .origins, .media, .sizes, .ages, .networks, .errorCodes:
      preconditionFailure("traits decide it")
    }
  }

  /// The classes whose rows can meet a condition, and whether all of their rows do.
  func candidates(_ condition: Condition) -> (classes: [Known], isExact: Bool) {
    let conjuncts = condition.conjuncts
    let decided = Condition.all(conjuncts.filter(\.isDecidedByTraits))
    var isExact = conjuncts.allSatisfy(\.isDecidedByTraits)
    let found = classes.filter { known in
      let plain = decided.isMet(by: known.plain, podcast: nil) == true
      let special = known.special.contains {
        ($0 == known.plain ? plain : decided.isMet(by: $0, podcast: nil) == true) != plain
      }
      // Which rows of the class meet it depends on their hosts.
      if special { isExact = false }
      return plain || special
    }
    return (found, isExact)
  }

  /// The rank of the state as clients see it.
  var stateRank: Predicate {
    get throws {
      let field = PackedTraits.Field.kind
      let rank = "(class & \(field.mask)) >> \(field.shift)"
      let waiting = try among { $0.kind == .waiting }
      guard classes.contains(where: { $0.row.kindCode != $0.plain.kind.rowCode || $0.isMixed }) else {
        return Predicate("(\(rank))")
      }
      return Predicate(
        "(CASE WHEN \(waiting.sql) THEN \(DownloadState.Kind.waiting.rowCode) ELSE \(rank) END)",
        values: waiting.values)
    }
  }

  // MARK: Parts

  /// Rows whose traits, as clients see them, meet a condition.
  private func among(_ condition: Condition) throws -> Predicate {
    try among { condition.isMet(by: $0, podcast: nil) == true }
  }

  /// Rows whose traits, as clients see them, satisfy the closure: on hosts of each special group, and on the others.
  private func among(_ isMet: (Traits) -> Bool) throws -> Predicate {
    let plain = classes.filter { isMet($0.plain) }.map(\.row.code)
    let others = try among(plain)
    var (cases, values) = ("", [any DatabaseValueConvertible]())
    for (index, hosts) in hosts.enumerated() {
      let special = classes.filter { isMet($0.special[index]) }.map(\.row.code)
      guard special != plain else { continue }
      let predicate = try among(special)
      cases += "WHEN host IN (SELECT value FROM json_each(?)) THEN \(predicate.sql) "
      values += [hosts] + predicate.values
    }
    return cases.isEmpty ? others : Predicate("CASE \(cases)ELSE \(others.sql) END", values: values + others.values)
  }

  private func among(_ codes: [Int64]) throws -> Predicate {
    guard codes.count < classes.count else { return .always }
    return codes.isEmpty ? .never : Predicate("+class IN (SELECT value FROM json_each(?))", try Self.list(codes))
  }

  private func ofPodcasts(_ names: [String]) throws -> Predicate {
    guard !names.isEmpty else { return .never }
    return Predicate(
      "coalesce(+podcast IN (SELECT value FROM json_each(?)), 0)", try Self.list(try names.flatMap(spellings)))
  }

  /// The podcasts that a condition names at its top level, in all their spellings; nil if it names none.
  func podcasts(_ condition: Condition) throws -> [String]? {
    try condition.conjuncts.lazy.compactMap(\.names).first.map { try $0.flatMap(spellings) }
  }

  private static func withIDs(_ ids: [DownloadID]) throws -> Predicate {
    guard !ids.isEmpty else { return .never }
    return Predicate("id IN (SELECT value FROM json_each(?))", try list(ids.map(\.description)))
  }

  private static func ofFeeds(_ ids: [FeedID]) throws -> Predicate {
    guard !ids.isEmpty else { return .never }
    return Predicate(
      """
      id IN (SELECT download FROM episodes INDEXED BY episodes_download WHERE download IS NOT NULL
        AND feed IN (SELECT key FROM feeds WHERE feeds.id IN (SELECT value FROM json_each(?))))
      """, try list(ids.map(\.description)))
  }

  /// The downloads that a condition names one by one, or by their feeds, at its top level, as a predicate that the
  /// index of ids answers; nil if it names none.
  static func named(_ condition: Condition) throws -> Predicate? {
    for part in condition.conjuncts {
      switch part {
      case .ids(let ids): return try withIDs(ids)
      case .feeds(let ids): return try ofFeeds(ids)
      default: continue
      }
    }
    return nil
  }

  /// A list for `json_each`.
  static func list(_ values: some Encodable) throws -> String {
    try StoredJSON.text(values)
  }
}

extension ConditionMoment {
  /// The start of a range of so many local days that ends today, in milliseconds.
  func beginning(ofDays days: Int) -> Int64 {
    today.beginning(daysBefore: Int64(days).addingClamped(-1)).milliseconds
  }
}

extension Condition {
  /// Whether it depends on traits only.
  var isDecidedByTraits: Bool {
    switch self {
    case .all(let conditions), .any(let conditions): conditions.allSatisfy(\.isDecidedByTraits)
    case .not(let condition): condition.isDecidedByTraits
    case .states, .reasons, .origins, .media, .sizes, .ages, .networks, .errorCodes: true
    case .ids, .urls, .feeds, .podcasts, .titleContains, .published, .newerThanDays, .olderThanDays, .bytes: false
    }
  }

  /// The conditions that must all hold.
  var conjuncts: [Condition] {
    if case .all(let conditions) = self { conditions.flatMap(\.conjuncts) } else { [self] }
  }

  /// The podcasts, if it names nothing else.
  var names: [String]? {
    switch self {
    case .podcasts(let names): return names
    case .any(let conditions) where !conditions.isEmpty:
      let names = conditions.compactMap(\.names)
      return names.count == conditions.count ? names.flatMap(\.self) : nil
    default: return nil
    }
  }
}
