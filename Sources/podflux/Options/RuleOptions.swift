import ArgumentParser
import PodfluxClient
import PodfluxCore
import PodfluxPeople

/// The options of a feed's rules: which episodes the engine downloads and deletes by itself.
struct RuleOptions: ParsableArguments {
  @Flag(name: .customLong("new"), help: "Download each new episode, and none of those that are there.")
  var isNew = false

  @Option(parsing: .unconditional, help: "Download so many of the newest episodes that are there, then each new one.")
  var newest: Int?

  @Flag(help: "Download all episodes that are there, then each new one.")
  var all = false

  @Flag(help: "Begin with the oldest, as for a serial show; with --newest so many of the oldest.")
  var oldestFirst = false

  @Option(help: "Only episodes with this text in their title; can be repeated, for any of them.")
  var match: [String] = []

  @Option(help: "No episodes with this text in their title; can be repeated.")
  var exclude: [String] = []

  @Flag(help: "Any episodes, of all titles and lengths: without the conditions that there were.")
  var noCondition = false

  @Option(
    parsing: .unconditional, help: "Only episodes that take at least so long, such as 10m or 1h30m.",
    transform: PlayingTime.init(typed:))
  var min: PlayingTime?

  @Option(
    parsing: .unconditional, help: "Only episodes that take at most so long, such as 3h.",
    transform: PlayingTime.init(typed:))
  var max: PlayingTime?

  @Option(parsing: .unconditional, help: "Of what rules have downloaded, keep only so many of the newest.")
  var keep: Int?

  @Option(parsing: .unconditional, help: "Delete what rules have downloaded after so many days.")
  var keepDays: Int?

  @Flag(help: "Keep all that rules have downloaded: without --keep and --keep-days that there were.")
  var keepAll = false

  func validate() throws {
    guard [isNew, newest != nil, all].count(where: { $0 }) <= 1 else {
      throw ValidationError("give only one of --new, --newest and --all")
    }
    if isNew, oldestFirst {
      throw ValidationError("--oldest-first is about episodes that are there; give --newest or --all")
    }
    try Self.check("--newest", newest, FeedRules.Limits.newest)
    try Self.check("--keep", keep, FeedRules.Limits.kept)
    try Self.check("--keep-days", keepDays, FeedRules.Limits.days)
    if keepAll, keep != nil || keepDays != nil { throw ValidationError("--keep-all excludes --keep and --keep-days") }
    for text in match + exclude where !(1...Condition.Limits.textBytes).contains(text.utf8.count) {
      throw ValidationError("--match and --exclude take texts of 1 to \(Condition.Limits.textBytes) bytes")
    }
    if noCondition, hasCondition {
      throw ValidationError("--no-condition excludes --match, --exclude, --min and --max")
    }
    if let min, let max, min.seconds > max.seconds { throw ValidationError("--min is longer than --max") }
  }

  private static func check(_ name: String, _ number: Int?, _ range: ClosedRange<Int>) throws {
    guard let number, !range.contains(number) else { return }
    throw ValidationError("\(name) takes a number from \(range.lowerBound) to \(range.upperBound)")
  }

  /// Whether none is given.
  var isEmpty: Bool { !choosesEpisodes && keep == nil && keepDays == nil && !keepAll }

  private var choosesEpisodes: Bool { begins || oldestFirst || noCondition || hasCondition }

  /// Whether an option says which of the existing episodes are downloaded.
  private var begins: Bool { isNew || newest != nil || all }

  private var hasCondition: Bool { !match.isEmpty || !exclude.isEmpty || min != nil || max != nil }

  /// Rules in which the options stand for what they name; the rest stays.
  ///
  /// - Throws: `EngineRefusal` if the two together leave no episode.
  func applied(to rules: FeedRules) throws -> FeedRules {
    var rules = rules
    if oldestFirst, !begins, rules.autoDownload == nil {
      throw EngineRefusal(
        code: Refusal.Code.invalidValue.rawValue,
        message: "--oldest-first is about episodes that are there, and there is no rule; give --newest or --all, too")
    }
    // Where there is no rule, --no-condition alone makes none.
    if choosesEpisodes, var download = rules.autoDownload ?? (begins || hasCondition ? .init() : nil) {
      if begins {
        (download.since, download.newest) = (all ? .all : .subscribe, newest)
        // The newest are not the oldest, also if those were asked for before.
        download.order = .newest
      }
      if oldestFirst { download.order = .oldest }
      if noCondition { download.condition = .everything }
      if hasCondition {
        download.condition = download.condition.changed(
          match: match, exclude: exclude, shortest: min?.seconds, longest: max?.seconds)
        guard download.condition.hasLengths else {
          throw EngineRefusal(
            code: Refusal.Code.invalidValue.rawValue,
            message: "--min is longer than --max, one of which the rule has already; give both of them"
          )
        }
      }
      rules.autoDownload = download
    }
    if keep != nil || keepDays != nil || keepAll {
      var kept = rules.keep ?? .init()
      (kept.newest, kept.days) = keepAll ? (nil, nil) : (keep ?? kept.newest, keepDays ?? kept.days)
      rules.keep = kept == .init() ? nil : kept
    }
    return rules
  }
}

/// How long an episode takes, as a person says it: numbers with h, m and s. A number alone says nothing: feeds mean
/// seconds by it, and people minutes.
struct PlayingTime {
  let seconds: Int64

  init(typed text: String) throws {
    guard let seconds = PlayingTimeText.seconds(of: text) else {
      throw ValidationError("write how many hours, minutes and seconds, such as 1h30m or 90s; at most 31 days")
    }
    guard text.contains(where: \.isLetter) else {
      throw ValidationError("a unit is missing: \(text)m are minutes, and \(text)s are seconds")
    }
    self.seconds = seconds
  }
}
