import Flux

/// What has to be looked after once a day, however long the engine runs: deletions that could not be done are tried again,
/// what has been in quarantine for long enough goes, the system's certificate authorities are read anew, and what the tables
/// of folders and former files keep for nobody is forgotten.
///
/// A start does the first and the third as well; comparing rows and files is a start's alone. It goes in rounds, each of
/// them a turn with a bounded amount of work; one that a crash has interrupted begins again.
public struct UpkeepStore: Sendable {
  /// How many deletions are tried again, folders are looked at, and former files are forgotten, in one round.
  public static let perRound = 256

  /// The day, counted from 1970-01-01, on which it was done last; nil if it never was.
  public private(set) var lastDay: Int64?

  private var round: Round?

  /// How far it is.
  private struct Round {
    /// The day for which it is done.
    var day: Int64
    /// The last deletion that was tried again; nil when all were.
    var deletion: Deletion.Key? = 0
    /// The last folder that was looked at; nil when all were.
    var folder: String? = ""
    var areFormerFilesDone = false

    var isLast: Bool { deletion == nil && folder == nil && areFormerFilesDone }
  }

  /// Makes the store with what its table holds.
  public init(lastDay: Int64? = nil) {
    self.lastDay = lastDay
  }

  /// When it is due next; nil before the first turn, and while a cleanup keeps it from beginning: the turn that ends the
  /// cleanup begins it.
  func wakeAt(isCleaning: Bool) -> Timestamp? {
    round == nil && !isCleaning ? lastDay.map { Timestamp(day: $0 + 1) } : nil
  }

  mutating func handle(_ action: Action, downloads: inout DownloadsStore, in turn: inout PodfluxTurn) throws {
    switch action {
    // A new library has nothing to be looked after, and a start has just done the most of it.
    case .recovered: if lastDay == nil { try note(turn.now.day, in: turn) }
    case .upkeepDone(let gone): try goOn(forgetting: gone, downloads: &downloads, in: &turn)
    default: break
    }
  }

  /// Begins when a day has begun, or the clock was set back by one.
  mutating func endBatch(
    settings: Settings, downloads: inout DownloadsStore, isCleaning: Bool, in turn: inout PodfluxTurn
  ) throws {
    guard round == nil, let lastDay, turn.now.day != lastDay, downloads.isScheduling, !isCleaning else { return }
    round = Round(day: turn.now.day)
    turn.perform(.runUpkeep(try nextFolders(in: turn), day: .init(quarantineDays: settings.quarantineDays)))
    try retryDeletions(downloads: &downloads, in: turn)
  }

  // MARK: Rounds

  private mutating func goOn(
    forgetting gone: [LibraryPath], downloads: inout DownloadsStore, in turn: inout PodfluxTurn
  ) throws {
    guard let round else { return }
    for folder in gone { try turn.tables.upkeep.forget(folder) }
    let areFormerFilesDone = try forgetFormerFiles(in: turn)
    self.round?.areFormerFilesDone = areFormerFilesDone
    try retryDeletions(downloads: &downloads, in: turn)
    guard self.round?.isLast == false else {
      self.round = nil
      return try note(round.day, in: turn)
    }
    turn.perform(.runUpkeep(try nextFolders(in: turn), day: nil))
  }

  private mutating func nextFolders(in turn: borrowing PodfluxTurn) throws -> [LibraryPath] {
    guard let last = round?.folder else { return [] }
    let folders = try turn.tables.upkeep.folders(after: last, limit: Self.perRound)
    round?.folder = folders.count == Self.perRound ? folders.last?.description : nil
    return folders
  }

  private mutating func retryDeletions(downloads: inout DownloadsStore, in turn: borrowing PodfluxTurn) throws {
    guard let last = round?.deletion else { return }
    let next = try downloads.retryDeletions(after: last, limit: Self.perRound, in: turn)
    round?.deletion = next
  }

  /// - Returns: whether none is left to be forgotten.
  private func forgetFormerFiles(in turn: borrowing PodfluxTurn) throws -> Bool {
    let limit = FormerFile.Keeping(
      since: turn.now.advanced(byDays: -FormerFile.keptDays), number: FormerFile.keptNumber)
    return try turn.tables.upkeep.forgetFormerFiles(beyond: limit, now: turn.now, limit: Self.perRound) < Self.perRound
  }

  private mutating func note(_ day: Int64, in turn: borrowing PodfluxTurn) throws {
    try turn.tables.upkeep.save(day: day)
    lastDay = day
  }
}

extension FormerFile {
  /// For how many days one is kept in any case.
  public static let keptDays = 400
  /// How many are kept in any case.
  public static let keptNumber = 20_000

  /// Which former files are kept: one is forgotten if it is older and not among the last so many.
  public struct Keeping: Hashable, Sendable {
    /// Since when one is kept in any case.
    public var since: Timestamp
    /// How many are kept in any case.
    public var number: Int

    /// Names both limits.
    public init(since: Timestamp, number: Int) {
      self.since = since
      self.number = number
    }
  }
}
