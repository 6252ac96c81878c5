import Flux
import PodfluxCore

/// A feed's rules (the article Protocol).
extension FeedRules: FormedPayload {
  static let template = FeedRules()
  static let keys = templateKeys
  static let definition: String? = "feedRules"

  mutating func exchange<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) {
    try coder.optional("autoDownload", &autoDownload, .object)
    try coder.optional("keep", &keep, .object)
  }
}

extension FeedRules.AutoDownload: FormedPayload {
  static let template = Self()
  static let keys = templateKeys

  mutating func exchange<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) {
    try coder.optional("newest", &newest, .whole(in: FeedRules.Limits.newest))
    try coder.optional("order", &order, .choice, omitting: .newest)
    try coder.optional("since", &since, .choice, omitting: .subscribe)
    try coder.optional("where", &condition, .ruleCondition, omitting: .everything)
  }
}

extension FeedRules.Keep: FormedPayload {
  static let template = Self()
  static let keys = templateKeys

  mutating func exchange<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) {
    try coder.optional("bytes", &bytes, .keptBytes)
    try coder.optional("days", &days, .whole(in: FeedRules.Limits.days))
    try coder.optional("newest", &newest, .whole(in: FeedRules.Limits.kept))
  }
}

extension ValueForm<Int> {
  /// A number of episodes or days.
  static func whole(in range: ClosedRange<Int>) -> Self {
    Self(
      "an integer from \(range.lowerBound) to \(range.upperBound)",
      .integer(Int64(range.lowerBound)...Int64(range.upperBound)),
      read: { f throws(Refusal) in try f.integer(in: range) }, write: { $1.value(Int64($0)) })
  }
}

extension ValueForm<Int64> {
  /// How many bytes stay.
  static var keptBytes: Self {
    Self(
      "a number of bytes from 1", .integer(FeedRules.Limits.bytes),
      read: { f throws(Refusal) in try f.integer(in: FeedRules.Limits.bytes) },
      write: { $1.value($0) })
  }
}

extension ValueForm<EpisodeCondition> {
  /// A condition that each refresh reads: it is shorter than others may be.
  static var ruleCondition: Self {
    let form = ValueForm<EpisodeCondition>.episodeCondition
    return Self(
      form.kind, form.schema,
      read: { f throws(Refusal) in
        let condition = try form.read(f)
        var writer = JSONWriter()
        form.write(condition, &writer)
        let limit = FeedRules.Limits.conditionBytes
        guard writer.bytes.count <= limit else {
          throw f.refusal(
            .limitExceeded, "\(f.path) is longer than \(limit) bytes; choose by fewer or shorter values in a rule")
        }
        return condition
      }, write: form.write)
  }
}

/// A cursor of a plan: the two moments and the episode's number, joined by dots.
extension RulesCursor: TextualCursor {
  static let schema = ValueSchema.definition("rulesCursor")

  var text: String {
    "\(place.moment.milliseconds.compact).\(place.added.milliseconds.compact).\(place.id.number.compact)"
  }

  package init?(text: String) {
    let words = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard words.count == 3, let moment = Int64(compact: words[0]), let added = Int64(compact: words[1]),
      let number = Int64(compact: words[2])
    else { return nil }
    self.init(
      place: RuledEpisode.Place(
        moment: Timestamp(milliseconds: moment), added: Timestamp(milliseconds: added),
        id: EpisodeID(number: number)))
    guard self.text == text else { return nil }
  }
}
