import PodfluxCore
import Terminal

/// Rules as people read them.
extension FeedRules {
  /// The effect of each rule in some words: "the newest 3, then each new one", and "keep the newest 5".
  package var words: [String] {
    var words: [String] = []
    if let rule = autoDownload {
      let amount: String? =
        switch (rule.newest, rule.since, rule.order) {
        case (let number?, _, let order) where number > 0: "the \(order.rawValue) \(number)"
        case (nil, .all, .newest): "all"
        case (nil, .all, .oldest): "all, the oldest first"
        default: nil
        }
      let scope = rule.condition.words.map { ", of those \($0)" } ?? ""
      words.append((amount.map { "\($0), then each new one" } ?? "each new one") + scope)
    }
    if let limit = keep?.newest { words.append("keep the newest \(limit)") }
    if let days = keep?.days { words.append("keep each for \(days) day" + (days == 1 ? "" : "s")) }
    if let bytes = keep?.bytes { words.append("keep the newest \(ByteCount(bytes))") }
    return words
  }
}
