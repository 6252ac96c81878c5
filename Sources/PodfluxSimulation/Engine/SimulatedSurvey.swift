import Digests
import Flux
import Persistence
import PodfluxCore

/// A comparison of rows and files that is under way, as `SurveyOperation` makes it. What the real one does in one go
/// beside all turns is several events here, so that everything can happen between two of its looks.
final class SimulatedSurvey {
  private enum Stage {
    case entries, rows, partials
  }

  let run: CleanupRun
  private unowned let world: World
  private let bootID: String
  private var stages: [Stage]
  private(set) var entries: [LibraryEntry] = []
  private(set) var rows: [ExpectedFile] = []
  private var cursor: TableReader.ExpectedCursor? = .start
  private var partials: [FoundPartial] = []

  init(_ run: CleanupRun, bootID: String, in world: World) {
    self.run = run
    self.world = world
    self.bootID = bootID
    stages = world.random.pick([
      [.entries, .rows, .partials], [.rows, .entries, .partials], [.partials, .rows, .entries],
    ])
  }

  /// Has the next look; true when there is nothing more to look at.
  func look() throws -> Bool {
    guard let stage = stages.first else { return true }
    switch stage {
    case .entries: entries = world.disk.listing
    case .partials: partials = world.disk.partialListing
    case .rows:
      // A page is one short reading, and a library has many.
      guard let cursor else { break }
      let limit = world.random.pick([2, 5, 1_000])
      let (page, next) = try world.database.read { try $0.expectedFiles(after: cursor, limit: limit) }
      rows += page
      self.cursor = next
      if next != nil { return false }
    }
    stages.removeFirst()
    return false
  }

  /// Decides, by the real planner.
  func decide() throws -> (steps: [CleanupStep], usage: CleanupRun.Usage) {
    var options = run.options
    if world.sabotage == .wordsIgnored { options.orphans = .quarantine }
    var planner = CleanupPlanner(options, isStart: run.cause == .start)
    let evidence = SimulatedEvidence(world: world)
    var (row, entry) = (rows.makeIterator(), entries.makeIterator())
    try planner.compare(rows: { row.next() }, entries: { entry.next() }, evidence: evidence)
    try planner.decide(evidence)
    try comparePartials(&planner)
    return (planner.steps, CleanupRun.Usage(media: planner.mediaBytes, other: planner.otherBytes))
  }

  private func comparePartials(_ planner: inout CleanupPlanner) throws {
    for partial in partials {
      let row = try world.database.read { try $0.download(partial.download) }
      planner.compare(partial, with: row, bootID: bootID) { length in
        guard let file = world.disk.partials[partial.download], file.length == Int(length) else { return nil }
        return file.tailHash
      }
    }
    let names = Set(partials.map(\.download))
    let rows = try world.database.read { try $0.downloadsWithBytes(after: nil, limit: 1_000) }
    for row in rows where !names.contains(row.id) { planner.compareWithNothing(row) }
  }
}

/// What the planner asks for, from the tables and the disk.
private struct SimulatedEvidence: CleanupEvidence {
  unowned let world: World

  var isCancelled: Bool { false }

  func sha256(of file: FoundFile) throws -> String? {
    guard world.disk.standsUntouched(file), let entry = world.disk.entry(at: file.place) else { return nil }
    guard !world.suffers(.disk) || !world.random.once(in: 30) else { return nil }
    return InvariantChecker.digest(of: entry.file.content, .sha256).hexadecimal
  }

  func formerFiles(like file: FoundFile) throws -> [FormerFile] {
    try world.database.read { try $0.formerFiles(like: file) }
  }

  func failedDownload(wanting place: EntryPath) throws -> DownloadID? {
    try world.database.read { try $0.failedDownload(wanting: place) }
  }

  func isRestored(_ file: FoundFile) throws -> Bool {
    world.disk.restored.contains(file.withoutTime)
  }

  func existed(_ file: FoundFile, at moment: Timestamp) throws -> Bool? { nil }

  func likeness(of file: FoundFile) throws -> MediaCheck.Likeness? {
    guard world.disk.standsUntouched(file), let entry = world.disk.entry(at: file.place) else { return nil }
    return entry.file.isMedia && world.sabotage != .editTakenForDamage ? .media : .other
  }

  func lostFile(ofLength length: Int64) throws -> DownloadID? {
    try world.database.read { try $0.lostFile(ofLength: length) }
  }

  func isNeeded(_ file: FoundFile, otherThanBy id: DownloadID?) throws -> Bool {
    try world.database.read { tables in
      try tables.isNeeded(file, otherThanBy: id) { world.disk.entry(at: EntryPath($0))?.file.inode == file.inode }
    }
  }

  func canAdopt(_ owner: DownloadID) throws -> Bool {
    try world.database.read { try $0.canAdopt(owner) }
  }

  func hasMade(_ folder: EntryPath) throws -> Bool {
    if world.sabotage == .anyFolderTaken { return true }
    return try world.database.read { try $0.hasMade(folder) }
  }
}
