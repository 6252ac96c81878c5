import Flux
import PodfluxClient
import PodfluxCore
import Texts
import WireProtocol

/// Finds what a person means with a selector: an id, a URL, or a unique part of a title, without regard to case and
/// diacritics.
///
/// An id is believed before a URL, a URL before a title, and a whole title before a part of one. A download without a
/// title is known by the end of its URL. An id costs a look-up, a URL of an episode or a part of a title a look at each
/// row.
package struct LibraryFinder {
  /// How many candidates of an ambiguous selector are listed.
  package static let shownCandidates = 10

  private let source: any SnapshotSource

  package init(_ source: any SnapshotSource) {
    self.source = source
  }

  /// The only thing of these kinds that the selector names.
  ///
  /// - Parameters:
  ///   - selector: An id, a URL, or a part of a title.
  ///   - kinds: What it may name.
  ///   - preferred: Of several things whose whole title it is, the only one of this kind is meant.
  /// - Throws: `SelectionFailure`, or what the source throws.
  package func find(
    _ selector: String, among kinds: SelectedKinds, preferring preferred: SelectedKinds = []
  ) throws -> Selected {
    if let found = try find(id: selector, among: kinds) { return found }
    if let address = (try? WebAddress(fetchable: selector)) ?? (try? WebAddress(selector)) {
      if let found = try find(address, among: kinds) { return found }
      throw SelectionFailure.nothing(selector: selector, kinds: kinds)
    }
    return try find(title: selector, among: kinds, preferring: preferred)
  }

  /// The id of the only feed that the selector names.
  ///
  /// - Throws: `SelectionFailure`, or what the source throws.
  package func feed(_ selector: String) throws -> FeedID {
    guard let id = FeedID(try find(selector, among: .feeds).id) else {
      throw MalformedLine("a feed without a valid id")
    }
    return id
  }

  // MARK: Ids

  private func find(id: String, among kinds: SelectedKinds) throws -> Selected? {
    if kinds.contains(.feeds), let id = FeedID(id), let feed = try source.feeds([id]).first { return .feed(feed) }
    if kinds.contains(.episodes), let id = EpisodeID(id), let episode = try episode(id) { return .episode(episode) }
    guard kinds.contains(.downloads), let id = DownloadID(id) else { return nil }
    return try source.downloads([id]).first.map(Selected.download)
  }

  /// An episode's id is the number of its row, and a page begins behind a row.
  package func episode(_ id: EpisodeID) throws -> EpisodeItem? {
    let order = EpisodeOrder(.added)
    let query = EpisodesQuery(
      isUnfiltered: true, order: order, limit: 1, after: EpisodeCursor(order: order, value: .none, key: id.number - 1))
    let page = try source.snapshot(SnapshotQuery(stores: [.episodes], episodes: query)).episodes()
    return page.items.first { $0.id == id.description }
  }

  /// The episode that a download was made for; nil if there is none, or its title cannot be searched for.
  package func episode(having download: DownloadItem) throws -> EpisodeItem? {
    guard let title = download.title, Condition.isSearchable(title) else { return nil }
    var found: EpisodeItem?
    try source.forEachEpisode(.titleContains([title])) { episode in
      if episode.download == download.id { found = episode }
      return found == nil
    }
    return found
  }

  // MARK: URLs

  /// Several things can have one URL: items show it without what may be secret in it, such as the value of a parameter.
  /// A URL with such a part names none of them for sure.
  private func find(_ address: WebAddress, among kinds: SelectedKinds) throws -> Selected? {
    let url = address.redacted
    guard let found = try find(url: url, among: kinds) else { return nil }
    guard url == address.description else {
      throw SelectionFailure.ambiguous(
        selector: address.description, candidates: [found],
        feeds: found.kind == .episodes ? try source.feedTitles() : [:], count: 1)
    }
    return found
  }

  private func find(url: String, among kinds: SelectedKinds) throws -> Selected? {
    if kinds.contains(.feeds) {
      let feeds = try source.feeds()
      let now = feeds.filter { $0.url == url }
      let best = now.isEmpty ? feeds.filter { $0.movedFrom == url } : now
      if let feed = try theOnly(of: best.map(Selected.feed), named: url) { return feed }
    }
    if kinds.contains(.downloads) {
      let found = try source.downloads(meeting: .urls([url]))
      let sound = found.filter { $0.state != .failed }
      // A failed download may have been requested again under another id.
      let best = sound.count == 1 ? sound : found
      if let download = try theOnly(of: best.map(Selected.download), named: url) { return download }
    }
    guard kinds.contains(.episodes) else { return nil }
    var found: [Selected] = []
    try source.forEachEpisode(.urls([url])) { episode in
      found.append(.episode(episode))
      return true
    }
    return try theOnly(of: found, named: url)
  }

  private func theOnly(of candidates: [Selected], named selector: String) throws -> Selected? {
    try theOnly(of: Candidates(candidates), named: selector)
  }

  /// The only candidate; nil if there is none.
  private func theOnly(of candidates: Candidates, named selector: String) throws -> Selected? {
    guard candidates.count > 1 else { return candidates.first.first }
    let feeds = candidates.first.contains { $0.kind == .episodes } ? try source.feedTitles() : [:]
    throw SelectionFailure.ambiguous(
      selector: selector, candidates: candidates.first, feeds: feeds, count: candidates.count)
  }

  /// What a selector may mean: a common word is in the titles of a hundred thousand episodes, of which a few are shown.
  private struct Candidates {
    private(set) var count = 0
    /// The first ones, as many as are shown.
    private(set) var first: [Selected] = []

    init(_ candidates: [Selected] = []) { candidates.forEach { add($0) } }

    mutating func add(_ candidate: Selected) {
      count += 1
      if count <= LibraryFinder.shownCandidates { first.append(candidate) }
    }
  }

  // MARK: Titles

  /// The candidates whose titles have a text in them, and those among them whose whole title it is.
  private struct TitleMatches {
    let folded: String
    let preferred: SelectedKinds
    private(set) var all = Candidates()
    private var whole = Candidates()
    /// The candidates of the preferred kinds.
    private var meant = Candidates()

    init(_ title: String, preferring preferred: SelectedKinds) {
      (folded, self.preferred) = (FoldedText.of(title), preferred)
    }

    mutating func add(_ candidate: Selected) {
      all.add(candidate)
      guard FoldedText.of(candidate.title) == folded else { return }
      whole.add(candidate)
      if preferred.contains(candidate.kind) { meant.add(candidate) }
    }

    var best: Candidates { meant.count == 1 ? meant : whole.count == 0 ? all : whole }
  }

  private func find(
    title: String, among kinds: SelectedKinds, preferring preferred: SelectedKinds
  ) throws -> Selected {
    var matches = TitleMatches(title, preferring: preferred)
    if Condition.isSearchable(title) {
      try findTitles(containing: title, among: kinds) { matches.add($0) }
      if matches.all.count == 0, kinds.contains(.downloads) {
        try untitled(containing: matches.folded).forEach { matches.add($0) }
      }
    }
    guard let only = try theOnly(of: matches.best, named: title) else {
      throw SelectionFailure.nothing(selector: title, kinds: kinds)
    }
    return only
  }

  private func findTitles(
    containing title: String, among kinds: SelectedKinds, _ found: (Selected) -> Void
  ) throws {
    if kinds.contains(.feeds) {
      for feed in try source.feeds() where feed.matches(title) { found(.feed(feed)) }
    }
    var downloads: Set<String> = []
    if kinds.contains(.downloads) {
      try source.forEachDownload(.titleContains([title])) { item in
        downloads.insert(item.id)
        found(.download(item))
        return true
      }
    }
    if kinds.contains(.episodes) {
      try source.forEachEpisode(.titleContains([title])) { episode in
        // An episode that has been downloaded is one thing, not two.
        if episode.download.map(downloads.contains) != true { found(.episode(episode)) }
        return true
      }
    }
  }
}

extension LibraryFinder {
  /// The downloads without a title that have a folded text in their name. Cost: a walk through those without a title,
  /// which come before all others in the order of titles.
  private func untitled(containing folded: String) throws -> [Selected] {
    let part = FoldedText.bytes(of: folded)
    var found: [DownloadID] = []
    try source.forEachDownload(order: .init(.title), fields: [.id, .title, .url]) { item in
      guard FoldedText.of(item.title ?? "").isEmpty else { return false }
      if item.title?.isEmpty ?? true, FoldedText.contains(part, in: FoldedText.bytes(of: item.name)),
        let id = DownloadID(item.id)
      {
        found.append(id)
      }
      return true
    }
    return try source.downloads(found).map(Selected.download)
  }
}

extension Condition {
  /// Whether titles can be searched for a text: it has a character that can be seen, and is not too long.
  package static func isSearchable(_ text: String) -> Bool {
    !FoldedText.of(text).isEmpty && text.utf8.count <= Limits.textBytes
  }
}

extension FeedItem {
  /// Whether a text is in its title, without regard to case and diacritics.
  package func matches(_ text: String) -> Bool {
    FoldedText.contains(FoldedText.bytes(of: text), in: FoldedText.bytes(of: title ?? ""))
  }
}
