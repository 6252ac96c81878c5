import PodfluxCore
import Texts

/// Looks for media files that no download has, pairs them with episodes, and decides. It changes nothing.
///
/// It is taken step by step: each looks at some entries, or reads a page of episodes, or matches the files of one feed.
/// What it decides on is checked again when a step is carried out. It belongs to one caller.
package final class AdoptionSurvey<Files: LibraryFileSystem, Rows: SurveyRows> {
  private enum Stage {
    case beginning
    case readingNames(after: Feed.Key)
    case listing(Files.Listing)
    case placing(ArraySlice<FoundFile>)
    case matching(ArraySlice<Feed.Key>, [AdoptableEpisode])
    case matchingStrays(ArraySlice<Feed.Key>, after: EpisodeID?)
  }

  private let adopting: Adopting
  private let pace: SurveyPace
  private let files: Files
  private let rows: Rows
  private let isCancelled: () -> Bool
  private let report: (CleanupProgress) -> Void
  private let comparable = ComparableText(folding: { FoldedText.of($0) })
  private var stage = Stage.beginning
  private var progress = CleanupProgress(files: 0, readBytes: 0)
  private var names: FeedNames
  private var onlyFeed: Feed.Key?
  /// The keys and titles of all feeds, or of the one that is meant.
  private var feeds: [Feed.Key: [String]] = [:]
  private var planner: AdoptionPlanner?
  private var rowPage: ArraySlice<ExpectedFile> = []
  private var rowCursor: Rows.ExpectedCursor?
  /// The addresses of the episodes that get a file, and their feeds: episodes of two feeds with one address share a
  /// download, so that only one of them gets a file.
  private var addresses: [WebAddress: Feed.Key] = [:]

  /// Prepares to look.
  ///
  /// - Parameters:
  ///   - isCancelled: Asked for each file.
  ///   - report: Called now and then with how far it is.
  package init(
    _ adopting: Adopting, files: Files, rows: Rows, pace: SurveyPace = SurveyPace(),
    isCancelled: @escaping () -> Bool, report: @escaping (CleanupProgress) -> Void
  ) {
    (self.adopting, self.files, self.rows, self.pace) = (adopting, files, rows, pace)
    (self.isCancelled, self.report) = (isCancelled, report)
    names = FeedNames(comparing: comparable)
    rowCursor = rows.firstExpected
  }

  /// Takes the next step. Not to be called again once it has ended.
  ///
  /// - Returns: nil as long as it goes on.
  package func advance() -> SurveyEnding? {
    do {
      guard !isCancelled() else { return .cancelled }
      return try step()
    } catch {
      return SurveyEnding(error)
    }
  }

  private func step() throws -> SurveyEnding? {
    switch stage {
    case .beginning:
      guard try files.isInPlace() else { throw SurveyFailure.notInPlace }
      stage = .readingNames(after: 0)
    case .readingNames(let last): try readNames(after: last)
    case .listing(let listing): try list(listing)
    case .placing(let rest): try place(rest)
    case .matching(let rest, let episodes): return try match(rest, episodes)
    case .matchingStrays(let rest, let last): return try matchStrays(rest, after: last)
    }
    return nil
  }

  // MARK: Feeds and files

  private func readNames(after last: Feed.Key) throws {
    let page = try rows.feedNames(after: last, limit: pace.rowsAtOnce)
    for feed in page {
      names.add(feed)
      if adopting.feed == nil || adopting.feed == feed.id { feeds[feed.key] = feed.titles }
      if adopting.feed == feed.id { onlyFeed = feed.key }
    }
    if let last = page.last, page.count == pace.rowsAtOnce {
      stage = .readingNames(after: last.key)
      return
    }
    // A feed that is gone meanwhile has no files.
    if adopting.feed != nil, onlyFeed == nil { onlyFeed = 0 }
    planner = AdoptionPlanner(adopting, names: names, onlyFeed: onlyFeed, comparing: comparable)
    stage = .listing(try files.listing())
  }

  private func list(_ listing: Files.Listing) throws {
    for _ in 0..<pace.entriesAtOnce {
      guard !isCancelled() else { throw CleanupPlanner.Failure.cancelled }
      guard let entry = try listing.next() else {
        stage = .placing(planner?.filesWithoutFeed[...] ?? [])
        return
      }
      guard case .file(let file) = entry else { continue }
      progress.files += 1
      if progress.files.isMultiple(of: pace.reportInterval.files) { report(progress) }
      guard adopting.includes(file.place), MediaKind(ofFileNamed: file.place.text) != .other,
        try !isKnown(file)
      else { continue }
      planner?.add(file)
    }
  }

  /// Asks the tags of a file that names no feed for its album.
  private func place(_ rest: ArraySlice<FoundFile>) throws {
    guard let file = rest.first else {
      stage = .matching(planner?.feedsWithFiles[...] ?? [], [])
      return
    }
    try planner?.placeByAlbum(file, readTags: tags)
    stage = .placing(rest.dropFirst())
  }

  private func tags(of file: FoundFile) throws -> AdoptableFile.Tags? {
    guard !isCancelled() else { throw CleanupPlanner.Failure.cancelled }
    let isCancelled = self.isCancelled
    return files.tags(of: file) { !isCancelled() }
  }

  /// Whether a row expects a file at this place, or this file anywhere.
  private func isKnown(_ file: FoundFile) throws -> Bool {
    while true {
      if rowPage.isEmpty, let cursor = rowCursor {
        let (page, next) = try rows.expectedFiles(after: cursor, limit: pace.rowsAtOnce)
        (rowPage, rowCursor) = (page[...], next)
        if page.isEmpty { rowCursor = nil }
      }
      guard let row = rowPage.first, row.place <= file.place else { break }
      if row.place == file.place { return true }
      rowPage.removeFirst()
    }
    if try rows.isNeeded(file, otherThanBy: nil, isAt: { files.isAlso(file, at: $0) }) { return true }
    return try rows.name(of: file) { files.isAlso(file, at: $0) } != .free
  }

  // MARK: Matching

  private func match(_ rest: ArraySlice<Feed.Key>, _ episodes: [AdoptableEpisode]) throws -> SurveyEnding? {
    guard let feed = rest.first else {
      guard planner?.hasStrays == true else { return end() }
      stage = .matchingStrays(feeds.keys.sorted()[...], after: nil)
      return nil
    }
    let page = try rows.adoptableEpisodes(of: feed, after: episodes.last?.id, limit: pace.rowsAtOnce)
    guard page.count < pace.rowsAtOnce else {
      stage = .matching(rest, episodes + page)
      return nil
    }
    try planner?.match(
      filesOf: feed, titled: feeds[feed] ?? [], with: episodes + page, readTags: tags, likeness: likeness(of:),
      obstacle: obstacle)
    stage = .matching(rest.dropFirst(), [])
    return nil
  }

  private func matchStrays(_ rest: ArraySlice<Feed.Key>, after last: EpisodeID?) throws -> SurveyEnding? {
    guard let feed = rest.first else {
      try planner?.decideStrays(likeness: likeness(of:), obstacle: obstacle)
      return end()
    }
    let page = try rows.adoptableEpisodes(of: feed, after: last, limit: pace.rowsAtOnce)
    planner?.matchStrays(with: page)
    if page.count == pace.rowsAtOnce, let last = page.last {
      stage = .matchingStrays(rest, after: last.id)
    } else {
      stage = .matchingStrays(rest.dropFirst(), after: nil)
    }
    return nil
  }

  private func likeness(of file: FoundFile) throws -> MediaCheck.Likeness? {
    guard !isCancelled() else { throw CleanupPlanner.Failure.cancelled }
    return files.likeness(of: file)
  }

  private func obstacle(to episode: EpisodeID) throws -> String? {
    let adoption = try rows.adoption(of: episode)
    guard adoption.obstacle == nil, let wish = adoption.wish, let feed = wish.episode?.feed else {
      return adoption.obstacle ?? "the episode is gone"
    }
    guard addresses[wish.address, default: feed] == feed else {
      return "an episode of another feed with the same address gets a file"
    }
    addresses[wish.address] = feed
    return nil
  }

  private func end() -> SurveyEnding {
    let passedOver = planner?.passedOver ?? 0
    let remark = passedOver == 0 ? nil : SurveyFailure.tooMany(passedOver)
    return .ended(planner?.takeSteps() ?? [], .complete(.init(), remark: remark))
  }
}
