import PodfluxCore

/// What rules say, as clients see it (the article Protocol).
extension JSONWriter {
  mutating func members(of plan: RulesPlan) {
    array("delete", plan.deletions) { $1.object(of: $0) }
    array("download", plan.downloads) { $1.object(of: $0) }
    member("next", plan.next?.text)
  }

  private mutating func object(of entry: RulesPlan.Entry) {
    object { members in
      members.object("because") { $0.members(of: entry.reason, outcome: nil) }
      members.member("episode", entry.episode.description)
    }
  }

  mutating func member(because verdict: RuleVerdict?) {
    guard let verdict else { return member("because", String?.none) }
    object("because") { $0.members(of: verdict.reason, outcome: verdict.outcome) }
  }

  private mutating func members(of reason: RuleReason, outcome: RuleVerdict.Outcome?) {
    member("clause", reason.clause.rawValue)
    member("limit", reason.limit)
    if let outcome { member("outcome", outcome.rawValue) }
    member("rank", reason.rank)
    member("rule", reason.rule.rawValue)
    member("text", reason.sentence)
  }

  mutating func member(rules: FeedRules) {
    var rules = rules
    object("rules") { rules.exchange(with: &$0) }
  }
}
