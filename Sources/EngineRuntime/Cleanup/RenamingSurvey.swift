import PodfluxCore

/// Compares the names of all files with those that they would get now, and decides. It changes nothing.
///
/// It is taken step by step: each reads a page of rows, or decides. What it decides on is checked again when a step is
/// carried out. It belongs to one caller.
package final class RenamingSurvey<Files: LibraryFileSystem, Rows: SurveyRows> {
  private let renaming: Renaming
  private let rowsAtOnce: Int
  private let rows: Rows
  private let evidence: RenamingDisk<Files>
  private let report: (CleanupProgress) -> Void
  private let reportedFiles: Int
  private var cursor: Rows.ExpectedCursor?
  private var planner = RenamingPlanner()
  private var progress = CleanupProgress(files: 0, readBytes: 0)
  /// The places of episodes in their feed, of the feed that was asked for last: its files mostly stand together.
  private var places: (feed: Feed.Key, indexes: [EpisodeID: Int64])?

  /// Prepares to compare.
  ///
  /// - Parameters:
  ///   - isCancelled: Asked for each file.
  ///   - report: Called now and then with how far it is.
  package init(
    _ renaming: Renaming, files: Files, rows: Rows, pace: SurveyPace = SurveyPace(),
    isCancelled: @escaping () -> Bool, report: @escaping (CleanupProgress) -> Void
  ) {
    self.renaming = renaming
    self.rows = rows
    self.report = report
    (rowsAtOnce, reportedFiles) = (pace.rowsAtOnce, pace.reportInterval.files)
    evidence = RenamingDisk(files, isPortable: renaming.isPortable, isCancelled)
    cursor = rows.firstExpected
  }

  /// Takes the next step. Not to be called again once it has ended.
  ///
  /// - Returns: nil as long as it goes on.
  package func advance() -> SurveyEnding? {
    do {
      guard let cursor else { return try decide() }
      guard try evidence.files.isInPlace() else { throw SurveyFailure.notInPlace }
      let page = try rows.expectedFiles(after: cursor, limit: rowsAtOnce)
      for row in page.files where row.isCompleted {
        guard !evidence.isCancelled else { return .cancelled }
        try compare(row)
      }
      self.cursor = page.next
      return nil
    } catch {
      return SurveyEnding(error)
    }
  }

  private func decide() throws -> SurveyEnding {
    let remark = planner.passedOver == 0 ? nil : SurveyFailure.tooMany(planner.passedOver)
    return .ended(try planner.steps(evidence), .complete(.init(), remark: remark))
  }

  private func compare(_ row: ExpectedFile) throws {
    progress.files += 1
    if progress.files.isMultiple(of: reportedFiles) { report(progress) }
    guard let nameable = try rows.nameable(row.download, of: renaming.feed),
      let facts = try nameable.namingFacts(for: renaming, of: row.file, index: index),
      let path = try evidence.name(for: facts, number: 1), path != row.file.path
    else { return }
    // A link on the way to one name says nothing of the others.
    if case .behindLink(let failure) = try evidence.files.look(at: EntryPath(path)) {
      return planner.leave(row.download, row.file, for: path, "\(failure)")
    }
    switch try evidence.files.look(at: row.place) {
    case .file(let present) where row.file.isUntouched(as: present): planner.add(row.download, row.file, facts)
    case .file, .link, .other: planner.leave(row.download, row.file, for: path, CleanupStep.fileHasChanged)
    case .nothing: planner.leave(row.download, row.file, for: path, CleanupStep.fileHasGone)
    case .behindLink(let failure): planner.leave(row.download, row.file, for: path, "\(failure)")
    }
  }

  private func index(of episode: Episode) throws -> Int64? {
    if let places, places.feed == episode.feed { return places.indexes[episode.id] }
    let indexes = try rows.episodeIndexes(of: episode.feed)
    places = (episode.feed, indexes)
    return indexes[episode.id]
  }
}

/// Names, and what stands at them on the disk.
private struct RenamingDisk<Files: LibraryFileSystem>: RenamingEvidence {
  let files: Files
  let isPortable: Bool
  private let asksWhetherCancelled: () -> Bool

  init(_ files: Files, isPortable: Bool, _ isCancelled: @escaping () -> Bool) {
    self.files = files
    self.isPortable = isPortable
    asksWhetherCancelled = isCancelled
  }

  var isCancelled: Bool { asksWhetherCancelled() }

  func name(for facts: PublishingFacts, number: Int) throws -> LibraryPath? {
    try files.candidate(for: facts, number: number)
  }

  func occupant(of path: LibraryPath) throws -> EntryPath? {
    try files.occupant(of: path, portably: isPortable)
  }
}

extension PublishedFile {
  /// Whether a file at its place is this one, and has not been written to since it was published.
  func isUntouched(as present: FoundFile) -> Bool {
    FoundFile(self).isSameFile(as: present) && !hasOtherTime(than: present)
  }
}
