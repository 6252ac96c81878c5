import Flux
import PodfluxClient
import PodfluxCore
import Texts

/// Finds what a person means with a selector: an id, a URL, or a unique part of a title, without regard to case and
/// diacritics.
///
/// An id is believed before a URL, a URL before a title, and a whole title before a part of one. A download without a title is
/// known by the end of its URL. Ids of downloads, URLs and such names are looked for page by page, since no query asks for
/// them: that costs some milliseconds for a thousand rows.
package struct LibraryFinder {
  /// How many candidates of an ambiguous selector are listed.
  package static let shownCandidates = 10

  private let source: any SnapshotSource

  package init(_ source: any SnapshotSource) {
    self.source = source
  }

  /// The only thing of these kinds that the selector names.
  ///
  /// - Throws: `SelectionFailure`, or what the source throws.
  package func find(_ selector: String, among kinds: SelectedKinds) throws -> Selected {
    if let found = try find(id: selector, among: kinds) { return found }
    if let address = try? WebAddress(selector) {
      if let found = try find(url: address.redacted, among: kinds) { return found }
      throw SelectionFailure.nothing(selector: selector, kinds: kinds)
    }
    return try find(title: selector, among: kinds)
  }

  // MARK: Ids

  private func find(id: String, among kinds: SelectedKinds) throws -> Selected? {
    if kinds.contains(.feeds), let id = FeedID(id), let feed = try source.feeds([id]).first { return .feed(feed) }
    if kinds.contains(.episodes), let id = EpisodeID(id), let episode = try episode(id) { return .episode(episode) }
    guard kinds.contains(.downloads), DownloadID(id) != nil else { return nil }
    return try download { $0.id == id }.map(Selected.download)
  }

  /// An episode's id is the number of its row, and a page begins behind a row.
  private func episode(_ id: EpisodeID) throws -> EpisodeItem? {
    let order = EpisodeOrder(.added)
    let query = EpisodesQuery(
      isUnfiltered: true, order: order, limit: 1, after: EpisodeCursor(order: order, value: .none, key: id.number - 1))
    let page = try source.snapshot(SnapshotQuery(stores: [.episodes], episodes: query)).episodes()
    return page.items.first { $0.id == id.description }
  }

  /// The newest download that meets a condition.
  private func download(_ matches: (DownloadItem) -> Bool) throws -> DownloadItem? {
    var found: DownloadItem?
    try source.forEachDownload(order: .init(.added, isReversed: true)) { item in
      if matches(item) { found = item }
      return found == nil
    }
    return found
  }

  // MARK: URLs

  private func find(url: String, among kinds: SelectedKinds) throws -> Selected? {
    if kinds.contains(.feeds), let feed = try source.feeds().first(where: { $0.url == url || $0.movedFrom == url }) {
      return .feed(feed)
    }
    if kinds.contains(.downloads), let item = try download({ $0.url == url }) { return .download(item) }
    guard kinds.contains(.episodes) else { return nil }
    var found: EpisodeItem?
    try source.forEachEpisode { episode in
      if episode.url == url { found = episode }
      return found == nil
    }
    return found.map(Selected.episode)
  }

  // MARK: Titles

  private func find(title: String, among kinds: SelectedKinds) throws -> Selected {
    let folded = FoldedText.of(title)
    var candidates: [Selected] = []
    if !folded.isEmpty, title.utf8.count <= Condition.Limits.textBytes {
      candidates = try withTitles(containing: title, among: kinds)
      if candidates.isEmpty, kinds.contains(.downloads) { candidates = try untitled(containing: folded) }
    }
    let whole = candidates.filter { FoldedText.of($0.title) == folded }
    let best = whole.isEmpty ? candidates : whole
    guard let first = best.first else { throw SelectionFailure.nothing(selector: title, kinds: kinds) }
    guard best.count == 1 else {
      let shown = Array(best.prefix(Self.shownCandidates))
      let feeds = shown.contains { $0.kind == .episodes } ? try source.feedTitles() : [:]
      throw SelectionFailure.ambiguous(selector: title, candidates: shown, feeds: feeds, count: best.count)
    }
    return first
  }

  private func withTitles(containing title: String, among kinds: SelectedKinds) throws -> [Selected] {
    var found: [Selected] = []
    if kinds.contains(.feeds) {
      found += try source.feeds().filter { $0.matches(title) }.map(Selected.feed)
    }
    var downloads: Set<String> = []
    if kinds.contains(.downloads) {
      try source.forEachDownload(.titleContains([title])) { item in
        downloads.insert(item.id)
        found.append(.download(item))
        return true
      }
    }
    if kinds.contains(.episodes) {
      try source.forEachEpisode(.titleContains([title])) { episode in
        // An episode that has been downloaded is one thing, not two.
        if episode.download.map(downloads.contains) != true { found.append(.episode(episode)) }
        return true
      }
    }
    return found
  }
}

extension LibraryFinder {
  /// The downloads without a title that have a folded text in their name.
  private func untitled(containing folded: String) throws -> [Selected] {
    let part = FoldedText.bytes(of: folded)
    var found: [Selected] = []
    try source.forEachDownload(order: .init(.added, isReversed: true)) { item in
      guard item.title?.isEmpty ?? true else { return true }
      if FoldedText.contains(part, in: FoldedText.bytes(of: item.name)) { found.append(.download(item)) }
      return true
    }
    return found
  }
}

extension FeedItem {
  /// Whether a text is in its title, without regard to case and diacritics.
  package func matches(_ text: String) -> Bool {
    FoldedText.contains(FoldedText.bytes(of: text), in: FoldedText.bytes(of: title ?? ""))
  }
}
