import Flux
import PodfluxCore

/// Which episodes a client means (the article Protocol): the form of conditions on downloads, with the keys that
/// episodes have.
extension EpisodeCondition {
  init(_ field: Field) throws(Refusal) {
    var reader = EpisodeConditionReader(count: ConditionCount(path: field.path))
    self = try reader.condition(field, depth: 1)
  }

  /// The keys, in the order in which refusals name them.
  fileprivate static let keys = [
    "feed", "url", "podcast", "state", "media", "played", "favorite", "archived", "titleContains", "titleExcludes",
    "publishedAfter", "publishedBefore", "newerThanDays", "olderThanDays", "minBytes", "maxBytes", "minSeconds",
    "maxSeconds", "season", "episodeType", "not", "any",
  ]
}

/// Reads conditions that stand in each other, and counts them.
private struct EpisodeConditionReader {
  var count: ConditionCount

  mutating func condition(_ field: Field, depth: Int) throws(Refusal) -> EpisodeCondition {
    let fields = try Fields(field.object(), at: field.path, knowing: EpisodeCondition.keys)
    try ConditionCount.check(depth: depth, at: field.path)
    try count.add(max(1, fields.object.members.count))
    var conditions = try simple(fields) + amounts(fields)
    if let field = fields["not"] { conditions.append(.not(try condition(field, depth: depth + 1))) }
    if let field = fields["any"] {
      var alternatives: [EpisodeCondition] = []
      for element in try field.alternatives(atMost: Condition.Limits.parts) {
        alternatives.append(try condition(element, depth: depth + 1))
      }
      conditions.append(.any(alternatives))
    }
    return conditions.count == 1 ? conditions[0] : .all(conditions)
  }

  private func simple(_ fields: Fields) throws(Refusal) -> [EpisodeCondition] {
    let parts: [EpisodeCondition?] = [
      try fields["feed"].map { field throws(Refusal) in .feeds(try field.feedIDs()) },
      try fields["url"].map { field throws(Refusal) in .urls(try field.shownURLs()) },
      try fields["podcast"].map { field throws(Refusal) in .podcasts(try field.labels()) },
      try fields["state"].map { field throws(Refusal) in .states(try field.choices()) },
      try fields["media"].map { field throws(Refusal) in .media(try field.choices()) },
      try fields["played"].map { field throws(Refusal) in .played(try field.boolean()) },
      try fields["favorite"].map { field throws(Refusal) in .favorite(try field.boolean()) },
      try fields["archived"].map { field throws(Refusal) in .archived(try field.boolean()) },
      try fields["titleContains"].map { field throws(Refusal) in .titleContains(try field.searchTexts()) },
      try fields["titleExcludes"].map { field throws(Refusal) in .not(.titleContains(try field.searchTexts())) },
      try fields["season"].map { field throws(Refusal) in
        .seasons(try field.oneOrMore { element throws(Refusal) in try element.integer(in: Int64.min...(.max)) })
      },
      try fields["episodeType"].map { field throws(Refusal) in .kinds(try field.choices()) },
    ]
    return parts.compactMap { $0 }
  }

  private func amounts(_ fields: Fields) throws(Refusal) -> [EpisodeCondition] {
    var parts: [EpisodeCondition] = []
    let (after, before) = (try fields["publishedAfter"]?.moment(), try fields["publishedBefore"]?.moment())
    if after != nil || before != nil { parts.append(.published(after: after, before: before)) }
    if let days = try fields["newerThanDays"]?.integer(in: Condition.Limits.days) { parts.append(.newerThanDays(days)) }
    if let days = try fields["olderThanDays"]?.integer(in: Condition.Limits.days) { parts.append(.olderThanDays(days)) }
    if let (least, most) = try range(fields, "minBytes", "maxBytes") {
      parts.append(.bytes(atLeast: least, atMost: most))
    }
    if let (least, most) = try range(fields, "minSeconds", "maxSeconds") {
      parts.append(.seconds(atLeast: least, atMost: most))
    }
    return parts
  }

  private func range(_ fields: Fields, _ least: String, _ most: String) throws(Refusal) -> (Int64?, Int64?)? {
    let numbers = DownloadIntent.Enqueue.lengths
    let (least, most) = (try fields[least]?.integer(in: numbers), try fields[most]?.integer(in: numbers))
    return least == nil && most == nil ? nil : (least, most)
  }
}
