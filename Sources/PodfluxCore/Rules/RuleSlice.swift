/// Some of the decisions about a feed's episodes, as many as a turn carries out.
struct RuleSlice {
  typealias Choice = (episode: RuledEpisode, reason: RuleReason)

  private let limit: Int
  private let watermark: Int64?
  private let order: FeedRules.Order
  private(set) var passedOver: [Choice] = []
  private(set) var deletions: [Choice] = []
  /// Downloads of which no byte has come, and which are not wanted any more.
  private(set) var withdrawals: [Choice] = []
  /// Whether there is more to be downloaded or passed over.
  private(set) var hasMore = false
  private var chosen: [Choice] = []

  init(limit: Int, watermark: Int64?, order: FeedRules.Order) {
    (self.limit, self.watermark, self.order) = (limit, watermark, order)
  }

  /// In the rule's order.
  var downloads: [Choice] { order == .oldest ? chosen.suffix(limit).reversed() : chosen }

  /// Whether no further episode matters. In the order `oldest` the last ones do.
  var isFull: Bool { order == .newest && hasMore }

  /// Takes in what is decided about the next episode; the newest comes first.
  mutating func take(_ decision: RuleDecision, on episode: RuledEpisode) {
    switch decision {
    case .download(let reason): choose((episode, reason))
    case .delete(let reason) where episode.download == .ruled(.untouched):
      if withdrawals.count < limit { withdrawals.append((episode, reason)) }
    case .delete(let reason): if deletions.count < limit { deletions.append((episode, reason)) }
    case .leave(.wouldExceed(let excess)?) where isNew(episode) && episode.passedOver == nil:
      if passedOver.count < limit { passedOver.append((episode, .wouldExceed(excess))) } else { hasMore = true }
    case .leave: break
    }
  }

  private func isNew(_ episode: RuledEpisode) -> Bool { watermark.map { episode.id.number > $0 } ?? false }

  private mutating func choose(_ choice: Choice) {
    hasMore = hasMore || chosen.count >= limit
    guard order == .oldest else {
      if !hasMore { chosen.append(choice) }
      return
    }
    chosen.append(choice)
    // Only the last ones count.
    if chosen.count >= 2 * limit { chosen.removeFirst(limit) }
  }
}
