import PodfluxCore

/// Which episodes are in the feed.
extension RefreshAttempt {
  /// The next page of the episodes that have left the feed and of those that are in it again; nil if none is left to
  /// tell.
  mutating func nextListing() -> RefreshReport.News? {
    guard !missing.isEmpty || !returned.isEmpty else { return nil }
    let limit = RefreshReport.episodesAtOnce
    let news = RefreshReport.News.listed(
      missing: Array(missing.prefix(limit)), returned: Array(returned.prefix(limit)))
    missing.removeFirst(min(limit, missing.count))
    returned.removeFirst(min(limit, returned.count))
    return news
  }
}
