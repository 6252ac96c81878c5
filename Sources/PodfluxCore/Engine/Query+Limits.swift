extension PageRequest {
  /// The nearest number of items that a page can have.
  package static func bounded(_ limit: Int) -> Int { min(max(1, limit), maximumLimit) }
}

extension SnapshotQuery {
  /// The same with pages of sizes that pages can have.
  package var bounded: SnapshotQuery {
    var query = self
    query.downloads.limit = PageRequest.bounded(downloads.limit)
    query.feeds.limit = PageRequest.bounded(feeds.limit)
    query.episodes.limit = PageRequest.bounded(episodes.limit)
    query.stepsPage.limit = PageRequest.bounded(stepsPage.limit)
    return query
  }

  /// Checks the conditions of the stores that it shows: SQLite refuses deep ones, and long ones take long.
  ///
  /// - Throws: `Refusal` if one is beyond `Condition.Limits`.
  package func checkConditions() throws(Refusal) {
    if stores.contains(.downloads) { try downloads.condition.check(at: "payload.downloads.where") }
    if stores.contains(.episodes) { try episodes.condition.check(at: "payload.episodes.where") }
  }
}

extension Query {
  /// - Throws: `Refusal` if a condition is beyond `Condition.Limits`.
  package func checkConditions() throws(Refusal) {
    switch self {
    case .snapshot(let query): try query.checkConditions()
    case .observe(let wish): try wish.state.checkConditions()
    case .planRules(let query): try query.rules.autoDownload?.condition.check(at: "payload.rules.autoDownload.where")
    case .preview(let wish): try wish.rules.autoDownload?.condition.check(at: "payload.rules.autoDownload.where")
    case .resumeData, .exportFeeds, .unobserve: break
    }
  }
}

extension Intent {
  /// Checks the condition by which it selects: what SQLite refuses would fail all that is committed with it.
  ///
  /// - Throws: `Refusal` if it is beyond `Condition.Limits`.
  package func checkConditions() throws(Refusal) {
    let path = "payload.where"
    switch self {
    case .downloads(.pause(.matching(let condition))), .downloads(.resume(.matching(let condition))),
      .downloads(.cancel(.matching(let condition))), .downloads(.retry(.matching(let condition))),
      .downloads(.verify(.matching(let condition))), .downloads(.remove(.matching(let condition), _)):
      try condition.check(at: path, takesClasses: false)
    case .podcasts(.download(.matching(let condition))), .podcasts(.mark(.matching(let condition), _)):
      try condition.check(at: path)
    default: break
    }
  }
}
