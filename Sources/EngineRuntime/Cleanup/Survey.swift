import Flux
import PodfluxCore

/// Compares all rows with all files, and decides. It changes neither; an applying run forgets marks of restored files
/// that are gone.
///
/// It is taken step by step: each compares so many entries, or reads a page, or decides. Rows and files may change
/// between two steps; what it decides on is checked again when a step is carried out. It belongs to one caller.
package final class Survey<Files: LibraryFileSystem, Rows: SurveyRows> {
  private enum Stage {
    case beginning
    case comparing(Files.Listing)
    case lookingAgain(Files.Listing)
    case deciding
    case partials(Files.PartialListing)
    case rowsWithBytes(after: DownloadID?)
    case measuring
  }

  private let run: CleanupRun
  private let quarantineDays: Int
  private let bootID: String
  private let pace: SurveyPace
  private let files: Files
  private let rows: Rows
  private let evidence: SurveyEvidence<Files, Rows>
  private let now: () -> Timestamp
  private var planner: CleanupPlanner
  private var stage = Stage.beginning
  private var rowPage: ArraySlice<ExpectedFile> = []
  private var rowCursor: Rows.ExpectedCursor?
  private var partialBytes: Int64 = 0
  private var partialNames: Set<DownloadID> = []

  /// Prepares to compare.
  ///
  /// - Parameters:
  ///   - quarantineDays: After how many days files leave the quarantine; 0 for never.
  ///   - bootID: The machine's present boot.
  ///   - isCancelled: Asked for each entry and each piece that is read.
  ///   - report: Called now and then with how far it is.
  package init(
    _ run: CleanupRun, quarantineDays: Int, bootID: String, files: Files, rows: Rows, pace: SurveyPace = SurveyPace(),
    now: @escaping () -> Timestamp, isCancelled: @escaping () -> Bool, report: @escaping (CleanupProgress) -> Void
  ) {
    self.run = run
    self.quarantineDays = quarantineDays
    self.bootID = bootID
    self.pace = pace
    self.files = files
    self.rows = rows
    self.now = now
    planner = CleanupPlanner(run.options, isStart: run.cause == .start, doubtedSince: run.doubtedSince)
    evidence = SurveyEvidence(
      files: files, rows: rows, reportInterval: pace.reportInterval, isCancelled: isCancelled, report: report)
    rowCursor = rows.firstExpected
  }

  /// Takes the next step. Not to be called again once it has ended.
  ///
  /// - Returns: nil as long as it goes on.
  package func advance() -> SurveyEnding? {
    do {
      return try step()
    } catch {
      return SurveyEnding(error)
    }
  }

  private func step() throws -> SurveyEnding? {
    switch stage {
    case .beginning:
      guard try files.isInPlace() else { throw SurveyFailure.notInPlace }
      stage = .comparing(try files.listing())
    case .comparing(let listing): try compare(listing)
    case .lookingAgain(let listing): try lookAgain(listing)
    case .deciding:
      try planner.decide(evidence)
      stage = .partials(try files.partialListing())
    case .partials(let listing): try compare(listing)
    case .rowsWithBytes(let last): try compareWithNothing(after: last)
    case .measuring: return try measure()
    }
    return nil
  }

  // MARK: Published files

  private func compare(_ listing: Files.Listing) throws {
    let isDone = try planner.compare(
      rows: nextRow, entries: { try listing.next().map(evidence.count) }, evidence: evidence, atMost: pace.entriesAtOnce
    )
    guard isDone else { return }
    stage = planner.missesFiles ? .lookingAgain(try files.listing()) : .deciding
  }

  private func lookAgain(_ listing: Files.Listing) throws {
    let isDone = try planner.lookAgain(
      entries: { try listing.next() }, evidence: evidence, atMost: pace.entriesAtOnce)
    if isDone { stage = .deciding }
  }

  private func nextRow() throws -> ExpectedFile? {
    if rowPage.isEmpty, let cursor = rowCursor {
      let (page, next) = try rows.expectedFiles(after: cursor, limit: pace.rowsAtOnce)
      rowPage = page[...]
      rowCursor = next
    }
    return rowPage.popFirst()
  }

  // MARK: Partial files

  private func compare(_ listing: Files.PartialListing) throws {
    for _ in 0..<pace.entriesAtOnce {
      guard !evidence.isCancelled else { throw CleanupPlanner.Failure.cancelled }
      guard let entry = try listing.next() else {
        stage = .rowsWithBytes(after: nil)
        return
      }
      switch entry {
      case .partial(let partial):
        let row = try rows.download(partial.download)
        // The row was read behind the listing: meanwhile the file may have got its name, or have been deleted.
        guard try files.partialLength(of: partial.download) != nil else { continue }
        partialBytes = partialBytes.addingClamped(partial.length)
        partialNames.insert(partial.download)
        planner.compare(partial, with: row, bootID: bootID) { [files] length in
          files.tailHash(of: partial.download, length: length)
        }
      case .stray(let file): planner.note(strayPartial: file)
      }
    }
  }

  private func compareWithNothing(after last: DownloadID?) throws {
    let page = try rows.downloadsWithBytes(after: last, limit: pace.rowsAtOnce)
    for row in page where !partialNames.contains(row.id) { planner.compareWithNothing(row) }
    stage = page.last.map { .rowsWithBytes(after: $0.id) } ?? .measuring
  }

  // MARK: The end

  private func measure() throws -> SurveyEnding {
    if let limit = DailyUpkeep(quarantineDays: quarantineDays).quarantineLimit(at: now()) {
      var bytes: Int64 = 0
      try files.forEachQuarantined { if $0.at < limit { bytes = bytes.addingClamped($0.length) } }
      planner.note(expiredQuarantine: bytes, before: limit.milliseconds)
    }
    let usage = CleanupRun.Usage(
      media: planner.mediaBytes, partial: partialBytes, quarantine: try files.quarantineUsage().bytes,
      database: try files.databaseBytes(), other: planner.otherBytes)
    if run.options.mode == .apply { try files.forgetGoneRestorations() }
    let remark = planner.passedOver == 0 ? nil : SurveyFailure.tooMany(planner.passedOver)
    return .ended(planner.steps, .complete(usage, remark: remark))
  }
}

/// How a survey ends.
package enum SurveyEnding {
  /// The survey has ended with these steps, and with this news for its run.
  case ended([CleanupStep], CleanupNews)
  /// Its run has been cancelled: there is nothing to tell.
  case cancelled

  /// The end of a survey that has met an error: it has no findings.
  init(_ error: any Error) {
    self =
      switch error {
      case CleanupPlanner.Failure.everythingGone(let count):
        .ended([], .refused(SurveyFailure.everythingGone(count).description))
      case CleanupPlanner.Failure.cancelled: .cancelled
      case let failure as SurveyFailure: .ended([], .refused(failure.description))
      default: .ended([], .failed("\(error)"))
      }
  }
}

/// How much of a survey is one step.
package struct SurveyPace: Sendable {
  /// How many entries are compared in one step.
  package var entriesAtOnce: Int
  /// How many rows are read at once: each page is one short reading.
  package var rowsAtOnce: Int
  /// After how many files, or bytes that were read, progress is reported.
  package var reportInterval: CleanupProgress

  /// Makes a pace; by default everything that is listed is compared in one step.
  package init(
    entriesAtOnce: Int = .max, rowsAtOnce: Int = 1000,
    reportInterval: CleanupProgress = CleanupProgress(files: 10_000, readBytes: 64 << 20)
  ) {
    self.entriesAtOnce = entriesAtOnce
    self.rowsAtOnce = rowsAtOnce
    self.reportInterval = reportInterval
  }
}
