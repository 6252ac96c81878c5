import EngineRuntime
import Flux
import Persistence
import PodfluxCore

/// The engine's survey, taken step by step: everything can happen between two of them.
final class SimulatedSurvey {
  /// What a survey was shown.
  final class Record {
    fileprivate(set) var entries: [LibraryEntry] = []
    fileprivate(set) var rows: [ExpectedFile] = []

    /// Whether a link or an unreadable folder was at a place or on the way to it.
    func isBlocked(_ place: EntryPath) -> Bool {
      entries.contains { entry in
        switch entry {
        case .other(let blocked), .unreadable(let blocked, _):
          place == blocked || place.bytes.starts(with: blocked.bytes + [UInt8(ascii: "/")])
        case .file, .emptyFolder: false
        }
      }
    }
  }

  let run: CleanupRun
  let record = Record()
  private let files: SimulatedFiles
  private let step: () -> SurveyEnding?

  init(
    _ run: CleanupRun, quarantineDays: Int, in process: SimulatedProcess, files: SimulatedFiles,
    isCancelled: @escaping () -> Bool
  ) {
    self.run = run
    self.files = files
    let world = process.world
    var asked = run
    if world.sabotage == .wordsIgnored { asked.options.orphans = .quarantine }
    let pace = SurveyPace(
      entriesAtOnce: world.random.pick([2, 6, 1_000]), rowsAtOnce: world.random.pick([2, 5, 1_000]),
      reportInterval: CleanupProgress(files: 5, readBytes: 1 << 16))
    let rows = SimulatedRows(
      world: world, record: record, hidesClaims: run.adopting != nil && world.sabotage == .adoptClaimed)
    step = asked.survey(
      of: files, rows, quarantineDays: quarantineDays, bootID: process.bootID, pace: pace,
      now: { [unowned world] in world.clock.wall }, isCancelled: isCancelled,
      report: { [unowned process] in process.post(.surveyed(run.key, .progress($0))) })
  }

  /// Takes the next step.
  func advance() throws -> SurveyEnding? {
    files.noteListed = { [record] in record.entries.append($0) }
    return try files.run(.reading) { step() }
  }
}

/// The rows that a survey reads, watched.
struct SimulatedRows: SurveyRows {
  unowned let world: World
  let record: SimulatedSurvey.Record
  /// Whether the survey is to take files of others for free ones.
  var hidesClaims = false

  var firstExpected: TableReader.ExpectedCursor { .start }

  func expectedFiles(
    after cursor: TableReader.ExpectedCursor, limit: Int
  ) throws -> (files: [ExpectedFile], next: TableReader.ExpectedCursor?) {
    let page = try world.database.expectedFiles(after: cursor, limit: limit)
    record.rows += page.files
    return hidesClaims ? ([], page.next) : page
  }

  func download(_ id: DownloadID) throws -> Download? { try world.database.download(id) }
  func nameable(_ id: DownloadID, of feed: FeedID?) throws -> NameableDownload? {
    try world.database.nameable(id, of: feed)
  }
  func episodeIndexes(of feed: Feed.Key) throws -> [EpisodeID: Int64] { try world.database.episodeIndexes(of: feed) }

  func feedNames(after key: Feed.Key, limit: Int) throws -> [FeedName] {
    try world.database.feedNames(after: key, limit: limit)
  }

  func adoptableEpisodes(
    of feed: Feed.Key, after episode: EpisodeID?, limit: Int
  ) throws -> [AdoptableEpisode] {
    try world.database.adoptableEpisodes(of: feed, after: episode, limit: limit)
  }

  func adoption(of episode: EpisodeID) throws -> EpisodeAdoption { try world.database.adoption(of: episode) }

  func downloadsWithBytes(after id: DownloadID?, limit: Int) throws -> [Download] {
    try world.database.downloadsWithBytes(after: id, limit: limit)
  }

  func formerFiles(like file: FoundFile) throws -> [FormerFile] { try world.database.formerFiles(like: file) }

  func failedDownload(wanting place: EntryPath) throws -> DownloadID? {
    try world.database.failedDownload(wanting: place)
  }

  func canAdopt(_ owner: DownloadID) throws -> Bool { try world.database.canAdopt(owner) }

  func isNeeded(_ file: FoundFile, otherThanBy id: DownloadID?, isAt: (LibraryPath) -> Bool) throws -> Bool {
    try !hidesClaims && world.database.isNeeded(file, otherThanBy: id, isAt: isAt)
  }

  func name(of file: FoundFile, isAt: (LibraryPath) -> Bool) throws -> FileName {
    hidesClaims ? .free : try world.database.name(of: file, isAt: isAt)
  }

  func lostFile(ofLength length: Int64) throws -> DownloadID? { try world.database.lostFile(ofLength: length) }

  func isSidecar(_ file: FoundFile) throws -> Bool {
    try world.sabotage != .sidecarTakenForOrphan && world.database.isSidecar(file)
  }

  func hasMade(_ folder: EntryPath) throws -> Bool {
    try world.sabotage == .anyFolderTaken || world.database.hasMade(folder)
  }
}
