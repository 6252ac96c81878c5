import FileStore
import Flux
import Foundation
import Persistence
import PodfluxCore

/// Compares all rows with all files, and decides. It changes neither; an applying run forgets marks in the quarantine
/// whose files are gone.
final class SurveyOperation: Operation, @unchecked Sendable {
  // `@unchecked`: inherited from Operation; everything below is immutable.

  private let run: CleanupRun
  private let files: LibraryFiles
  private let database: LibraryDatabase
  private let bootID: String
  private let quarantineDays: Int
  private let now: @Sendable () -> ClockReading
  private let post: @Sendable (Action) -> Void
  private let ended: @Sendable ([CleanupStep], CleanupNews) -> Void

  init(
    _ run: CleanupRun, files: LibraryFiles, database: LibraryDatabase, bootID: String, quarantineDays: Int,
    now: @escaping @Sendable () -> ClockReading, post: @escaping @Sendable (Action) -> Void,
    ended: @escaping @Sendable ([CleanupStep], CleanupNews) -> Void
  ) {
    self.run = run
    self.files = files
    self.database = database
    self.bootID = bootID
    self.quarantineDays = quarantineDays
    self.now = now
    self.post = post
    self.ended = ended
    super.init()
    qualityOfService = .background
  }

  // It blocks on the disk and nothing else, and there is one at a time.
  override func main() {
    do {
      let (steps, usage, remark) = try look()
      ended(steps, .complete(usage, remark: remark))
    } catch CleanupPlanner.Failure.everythingGone(let count) {
      ended([], .refused(Self.everythingGone(count)))
    } catch CleanupPlanner.Failure.cancelled {
      return
    } catch let failure as SurveyFailure {
      ended([], .refused(failure.description))
    } catch {
      ended([], .failed("\(error)"))
    }
  }

  private func look() throws -> ([CleanupStep], CleanupRun.Usage, remark: String?) {
    guard try files.isInPlace() else { throw SurveyFailure.notInPlace }
    let reader = try database.reader()
    defer { try? reader.close() }
    let evidence = SurveyEvidence(
      reader: reader, files: files, isCancelled: { self.isCancelled }, report: report)
    var planner = CleanupPlanner(run.options, isStart: run.cause == .start)
    let listing = try files.listing()
    let rows = ExpectedFiles(reader)
    try planner.compare(
      rows: rows.next, entries: { try listing.next().map { evidence.count(LibraryEntry($0)) } }, evidence: evidence)
    if planner.missesFiles {
      let second = try files.listing()
      try planner.lookAgain(entries: { try second.next().map(LibraryEntry.init) }, evidence: evidence)
    }
    try planner.decide(evidence)
    let partialBytes = try comparePartials(&planner, reader, evidence)
    let moment = now().wall
    if quarantineDays > 0 {
      let limit = moment.advanced(byDays: -quarantineDays)
      planner.note(expiredQuarantine: try files.quarantinedBytes(before: limit), before: limit.milliseconds)
    }
    let usage = CleanupRun.Usage(
      media: planner.mediaBytes, partial: partialBytes, quarantine: try files.quarantinedBytes(before: nil),
      database: try files.databaseBytes(), other: planner.otherBytes)
    if run.options.mode == .apply { try files.forgetGoneRestorations() }
    let remark = planner.passedOver == 0 ? nil : Self.tooMany(planner.passedOver)
    return (planner.steps, usage, remark)
  }

  /// - Returns: how many bytes all partial files have.
  private func comparePartials(
    _ planner: inout CleanupPlanner, _ reader: LibraryDatabase, _ evidence: SurveyEvidence
  ) throws -> Int64 {
    var bytes: Int64 = 0
    var names: Set<DownloadID> = []
    try files.forEachPartial { entry in
      guard !isCancelled else { throw CleanupPlanner.Failure.cancelled }
      switch entry {
      case .partial(let partial):
        bytes += partial.length
        names.insert(partial.download)
        let row = try reader.read { try $0.download(partial.download) }
        planner.compare(partial, with: row, bootID: bootID) { [files] length in
          files.tailHash(of: partial.download, length: length)
        }
      case .stray(let file): planner.note(strayPartial: file)
      }
    }
    var last: DownloadID?
    while true {
      let rows = try reader.read { try $0.downloadsWithBytes(after: last, limit: ExpectedFiles.pageSize) }
      for row in rows where !names.contains(row.id) { planner.compareWithNothing(row) }
      guard let next = rows.last?.id else { return bytes }
      last = next
    }
  }

  private func report(_ progress: CleanupProgress) {
    post(.surveyed(run.key, .progress(progress)))
  }

  private static func everythingGone(_ count: Int) -> String {
    """
    the files of all \(count) completed downloads are gone at once, so that their disk is perhaps not mounted; mount it, \
    or remove the downloads with downloads/remove
    """
  }

  private static func tooMany(_ count: Int) -> String {
    "\(count) more differences were passed over; run it again for them"
  }
}

/// Why nothing can be compared.
enum SurveyFailure: Error, CustomStringConvertible {
  case notInPlace

  var description: String {
    """
    the library's folder is not the one that was opened any more, or its marker .podflux/library is missing: its disk is \
    perhaps not mounted; mount it and start the engine again, or write the line "podflux library 1" into the marker
    """
  }
}

/// The files that rows say are there, page by page: each page is one short reading.
private final class ExpectedFiles {
  static let pageSize = 1000

  private let reader: LibraryDatabase
  private var page: ArraySlice<ExpectedFile> = []
  private var cursor: TableReader.ExpectedCursor? = .start

  init(_ reader: LibraryDatabase) {
    self.reader = reader
  }

  func next() throws -> ExpectedFile? {
    if page.isEmpty, let cursor {
      let (files, next) = try reader.read { try $0.expectedFiles(after: cursor, limit: Self.pageSize) }
      page = files[...]
      self.cursor = next
    }
    return page.popFirst()
  }
}

/// What the planner asks for, from the database and the disk.
private final class SurveyEvidence: CleanupEvidence {
  private let reader: LibraryDatabase
  private let files: LibraryFiles
  /// Read when it is first asked for: when everything has been listed.
  private lazy var restored = Result { try files.restoredFiles() }
  private let asksWhetherCancelled: () -> Bool
  private let report: (CleanupProgress) -> Void
  private var progress = CleanupProgress(files: 0, readBytes: 0)
  private var reported = CleanupProgress(files: 0, readBytes: 0)

  /// After how many files, or bytes that were read, it is told how far it is.
  private static let reportInterval = CleanupProgress(files: 10_000, readBytes: 64 << 20)

  init(
    reader: LibraryDatabase, files: LibraryFiles, isCancelled: @escaping () -> Bool,
    report: @escaping (CleanupProgress) -> Void
  ) {
    self.reader = reader
    self.files = files
    asksWhetherCancelled = isCancelled
    self.report = report
  }

  var isCancelled: Bool { asksWhetherCancelled() }

  /// Counts what has been looked at.
  func count(_ entry: LibraryEntry) -> LibraryEntry {
    progress.files += 1
    reportIfDue()
    return entry
  }

  func sha256(of file: FoundFile) throws -> String? {
    let hash = files.sha256(of: file) { bytes in
      progress.readBytes += Int64(bytes)
      reportIfDue()
      return !isCancelled
    }
    guard !isCancelled else { throw CleanupPlanner.Failure.cancelled }
    return hash
  }

  private func reportIfDue() {
    guard
      progress.files - reported.files >= Self.reportInterval.files
        || progress.readBytes - reported.readBytes >= Self.reportInterval.readBytes
    else { return }
    reported = progress
    report(progress)
  }

  func formerFiles(like file: FoundFile) throws -> [FormerFile] {
    try reader.read { try $0.formerFiles(like: file) }
  }

  func failedDownload(wanting place: EntryPath) throws -> DownloadID? {
    try reader.read { try $0.failedDownload(wanting: place) }
  }

  func canAdopt(_ owner: DownloadID) throws -> Bool {
    try reader.read { try $0.canAdopt(owner) }
  }

  func isNeeded(_ file: FoundFile, otherThanBy id: DownloadID?) throws -> Bool {
    try reader.read { try $0.isNeeded(file, otherThanBy: id) { files.isAlso(file, at: $0) } }
  }

  func likeness(of file: FoundFile) throws -> MediaCheck.Likeness? { files.likeness(of: file) }

  func existed(_ file: FoundFile, at moment: Timestamp) throws -> Bool? { files.existed(file, at: moment) }

  func lostFile(ofLength length: Int64) throws -> DownloadID? {
    try reader.read { try $0.lostFile(ofLength: length) }
  }

  func isRestored(_ file: FoundFile) throws -> Bool {
    try restored.get().contains(file.withoutTime)
  }

  func hasMade(_ folder: EntryPath) throws -> Bool {
    try reader.read { try $0.hasMade(folder) }
  }
}
