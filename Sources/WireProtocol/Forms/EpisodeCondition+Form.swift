import Flux
import PodfluxCore

/// Which episodes a client means (the article Protocol): the form of conditions on downloads, with the keys that
/// episodes have.
struct EpisodeConditionForm: ConditionForm {
  var any: [EpisodeCondition]?
  var isArchived: Bool?
  var isFavorite: Bool?
  var isPlayed: Bool?
  var feeds: [FeedID]?
  var kinds: [EpisodeContent.Kind]?
  var maxBytes: Int64?
  var maxSeconds: Int64?
  var media: [MediaKind]?
  var minBytes: Int64?
  var minSeconds: Int64?
  var newerThanDays: Int?
  var not: EpisodeCondition?
  var olderThanDays: Int?
  var podcasts: [String]?
  var publishedAfter: Timestamp?
  var publishedBefore: Timestamp?
  var seasons: [Int64]?
  var states: [DownloadState.Kind]?
  var titleContains: [String]?
  var titleExcludes: [String]?
  var urls: [String]?
  var excluded: [EpisodeCondition] = []

  static let template = Self()
  static let definition: String? = "episodeCondition"
  static let keys = templateKeys(naming: [
    "feed", "url", "podcast", "state", "media", "played", "favorite", "archived", "titleContains", "titleExcludes",
    "publishedAfter", "publishedBefore", "newerThanDays", "olderThanDays", "minBytes", "maxBytes", "minSeconds",
    "maxSeconds", "season", "episodeType", "not", "any",
  ])

  mutating func exchange<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) {
    try coder.optional("any", &any, .alternatives(by: Self.self))
    try coder.optional("archived", &isArchived, .boolean)
    try coder.optional("episodeType", &kinds, .choices())
    try coder.optional("favorite", &isFavorite, .boolean)
    try coder.optional("feed", &feeds, .oneOrMore(of: .feedID))
    try coder.optional("maxBytes", &maxBytes, .length)
    try coder.optional("maxSeconds", &maxSeconds, .length)
    try coder.optional("media", &media, .choices())
    try coder.optional("minBytes", &minBytes, .length)
    try coder.optional("minSeconds", &minSeconds, .length)
    try coder.optional("newerThanDays", &newerThanDays, .days)
    try coder.optional("not", &not, .part(by: Self.self))
    try coder.optional("olderThanDays", &olderThanDays, .days)
    try coder.optional("played", &isPlayed, .boolean)
    try coder.optional("podcast", &podcasts, .oneOrMore(of: .label))
    try coder.optional("publishedAfter", &publishedAfter, .moment)
    try coder.optional("publishedBefore", &publishedBefore, .moment)
    try coder.optional("season", &seasons, .oneOrMore(of: .anyInteger))
    try coder.optional("state", &states, .choices())
    try coder.optional("titleContains", &titleContains, .oneOrMore(of: .titlePart))
    try coder.optional("titleExcludes", &titleExcludes, .oneOrMore(of: .titlePart))
    try coder.optional("url", &urls, .oneOrMore(of: .shownAddress))
  }

  var parts: [EpisodeCondition?] {
    let choices: [EpisodeCondition?] = [
      feeds.map(EpisodeCondition.feeds), urls.map(EpisodeCondition.urls), podcasts.map(EpisodeCondition.podcasts),
      states.map(EpisodeCondition.states), media.map(EpisodeCondition.media), isPlayed.map(EpisodeCondition.played),
      isFavorite.map(EpisodeCondition.favorite), isArchived.map(EpisodeCondition.archived),
      titleContains.map(EpisodeCondition.titleContains), titleExcludes.map { .not(.titleContains($0)) },
      seasons.map(EpisodeCondition.seasons), kinds.map(EpisodeCondition.kinds),
    ]
    let amounts: [EpisodeCondition?] = [
      publishedAfter == nil && publishedBefore == nil
        ? nil : .published(after: publishedAfter, before: publishedBefore),
      newerThanDays.map(EpisodeCondition.newerThanDays), olderThanDays.map(EpisodeCondition.olderThanDays),
      minBytes == nil && maxBytes == nil ? nil : .bytes(atLeast: minBytes, atMost: maxBytes),
      minSeconds == nil && maxSeconds == nil ? nil : .seconds(atLeast: minSeconds, atMost: maxSeconds),
    ]
    return choices + amounts + [not.map(EpisodeCondition.not), any.map(EpisodeCondition.any)]
  }

  mutating func add(_ part: EpisodeCondition) {
    switch part {
    case .all(let parts): for part in parts { add(part) }
    // An array of no alternatives is taken for a mistake.
    case .any([]): excluded.append(.everything)
    case .any(let conditions): say(conditions, as: \.any, of: part)
    case .not(.titleContains(let texts)) where titleExcludes == nil: titleExcludes = texts
    case .not(let condition): excluded.append(condition)
    case .feeds(let feeds): say(feeds, as: \.feeds, of: part)
    case .urls(let urls): say(urls, as: \.urls, of: part)
    case .podcasts(let podcasts): say(podcasts, as: \.podcasts, of: part)
    case .states(let states): say(states, as: \.states, of: part)
    case .media(let media): say(media, as: \.media, of: part)
    case .played(let mark): say(mark, as: \.isPlayed, of: part)
    case .favorite(let mark): say(mark, as: \.isFavorite, of: part)
    case .archived(let mark): say(mark, as: \.isArchived, of: part)
    case .titleContains(let texts): say(texts, as: \.titleContains, of: part)
    case .published(let after, let before): say((after, before), as: (\.publishedAfter, \.publishedBefore), of: part)
    case .newerThanDays(let days): say(days, as: \.newerThanDays, of: part)
    case .olderThanDays(let days): say(days, as: \.olderThanDays, of: part)
    case .bytes(let least, let most): say((least, most), as: (\.minBytes, \.maxBytes), of: part)
    case .seconds(let least, let most): say((least, most), as: (\.minSeconds, \.maxSeconds), of: part)
    case .seasons(let seasons): say(seasons, as: \.seasons, of: part)
    case .kinds(let kinds): say(kinds, as: \.kinds, of: part)
    }
  }
}
