import Flux
import PodfluxCore

/// Which downloads a client means (the article Protocol).
struct DownloadConditionForm: ConditionForm {
  var any: [Condition]?
  var errorCodes: [DownloadError.Code]?
  var feeds: [FeedID]?
  var ids: [DownloadID]?
  var maxBytes: Int64?
  var media: [MediaKind]?
  var minBytes: Int64?
  var newerThanDays: Int?
  var not: Condition?
  var olderThanDays: Int?
  var origins: [Origin]?
  var podcasts: [String]?
  var publishedAfter: Timestamp?
  var publishedBefore: Timestamp?
  var reasons: [WaitingReason]?
  var states: [DownloadState.Kind]?
  var titleContains: [String]?
  var titleExcludes: [String]?
  var urls: [String]?
  /// The classes of filters: a program can name them, but no line. The engine refuses what a client says of them.
  var ages: [AgeClass]?
  var networks: [NetworkPolicy]?
  var sizes: [SizeClass]?
  var excluded: [Condition] = []

  static let template = Self()
  static let definition: String? = "condition"
  /// What downloads have, in the order of the article Protocol; what only episodes have comes with them.
  static let keys = templateKeys(naming: [
    "id", "url", "feed", "state", "reason", "podcast", "origin", "media", "titleContains", "titleExcludes",
    "publishedAfter", "publishedBefore", "newerThanDays", "olderThanDays", "minBytes", "maxBytes", "errorCode", "not",
    "any",
  ])

  mutating func exchange<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) {
    if let ages { coder.derived("age", ages, .choices()) }
    try coder.optional("any", &any, .alternatives(by: Self.self))
    try coder.optional("errorCode", &errorCodes, .choices())
    try coder.optional("feed", &feeds, .oneOrMore(of: .feedID))
    try coder.optional("id", &ids, .oneOrMore(of: .downloadID))
    try coder.optional("maxBytes", &maxBytes, .length)
    try coder.optional("media", &media, .choices())
    try coder.optional("minBytes", &minBytes, .length)
    if let networks { coder.derived("network", networks, .choices()) }
    try coder.optional("newerThanDays", &newerThanDays, .days)
    try coder.optional("not", &not, .part(by: Self.self))
    try coder.optional("olderThanDays", &olderThanDays, .days)
    try coder.optional("origin", &origins, .choices())
    try coder.optional("podcast", &podcasts, .oneOrMore(of: .label))
    try coder.optional("publishedAfter", &publishedAfter, .moment)
    try coder.optional("publishedBefore", &publishedBefore, .moment)
    try coder.optional("reason", &reasons, .choices())
    if let sizes { coder.derived("size", sizes, .choices()) }
    try coder.optional("state", &states, .choices())
    try coder.optional("titleContains", &titleContains, .oneOrMore(of: .titlePart))
    try coder.optional("titleExcludes", &titleExcludes, .oneOrMore(of: .titlePart))
    try coder.optional("url", &urls, .oneOrMore(of: .shownAddress))
  }

  var parts: [Condition?] {
    [
      ids.map(Condition.ids), urls.map(Condition.urls), feeds.map(Condition.feeds), states.map(Condition.states),
      reasons.map(Condition.reasons), podcasts.map(Condition.podcasts), origins.map(Condition.origins),
      media.map(Condition.media), titleContains.map(Condition.titleContains),
      titleExcludes.map { .not(.titleContains($0)) },
    ] + partsBehindTitles + [not.map(Condition.not), any.map(Condition.any)]
  }

  private var partsBehindTitles: [Condition?] {
    [
      publishedAfter == nil && publishedBefore == nil
        ? nil : .published(after: publishedAfter, before: publishedBefore),
      newerThanDays.map(Condition.newerThanDays), olderThanDays.map(Condition.olderThanDays),
      minBytes == nil && maxBytes == nil ? nil : .bytes(atLeast: minBytes, atMost: maxBytes),
      errorCodes.map(Condition.errorCodes),
    ]
  }

  mutating func add(_ part: Condition) {
    switch part {
    case .all(let parts): for part in parts { add(part) }
    // An array of no alternatives is taken for a mistake.
    case .any([]): excluded.append(.everything)
    case .any(let conditions): say(conditions, as: \.any, of: part)
    // Reading gives the parts in the same order.
    case .not(.titleContains(let texts)) where titleExcludes == nil && partsBehindTitles.allSatisfy { $0 == nil }:
      titleExcludes = texts
    case .not(let condition): excluded.append(condition)
    case .ids(let ids): say(ids, as: \.ids, of: part)
    case .urls(let urls): say(urls, as: \.urls, of: part)
    case .feeds(let feeds): say(feeds, as: \.feeds, of: part)
    case .states(let states): say(states, as: \.states, of: part)
    case .reasons(let reasons): say(reasons, as: \.reasons, of: part)
    case .podcasts(let podcasts): say(podcasts, as: \.podcasts, of: part)
    case .origins(let origins): say(origins, as: \.origins, of: part)
    case .media(let media): say(media, as: \.media, of: part)
    case .titleContains(let texts): say(texts, as: \.titleContains, of: part)
    case .published(let after, let before): say((after, before), as: (\.publishedAfter, \.publishedBefore), of: part)
    case .newerThanDays(let days): say(days, as: \.newerThanDays, of: part)
    case .olderThanDays(let days): say(days, as: \.olderThanDays, of: part)
    case .bytes(let least, let most): say((least, most), as: (\.minBytes, \.maxBytes), of: part)
    case .errorCodes(let codes): say(codes, as: \.errorCodes, of: part)
    case .ages(let ages): say(ages, as: \.ages, of: part)
    case .networks(let networks): say(networks, as: \.networks, of: part)
    case .sizes(let sizes): say(sizes, as: \.sizes, of: part)
    }
  }
}
