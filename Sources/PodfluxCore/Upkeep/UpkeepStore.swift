import Flux

/// Events by which the upkeep informs other stores.
package enum UpkeepEvent: Sendable {
  /// The upkeep of a day begins.
  case began
  /// A round has come to the downloads: postponed deletions after this one are to be tried again, as many as a round
  /// takes, none if it is nil; and former files beyond their limit are to be forgotten, if the round does that too.
  case round(deletionsAfter: Deletion.Key?, forgettingFormerFiles: Bool)
}

/// The daily upkeep, however long the engine runs: postponed deletions are tried again, files leave the quarantine
/// after their time, the system's certificate authorities and the time zone are read anew, and folders and former files
/// that no longer matter are forgotten.
///
/// A start does the first and the third as well; only a start compares rows and files. The upkeep goes in rounds, each
/// of them a turn with a bounded amount of work. A crash in a round makes the upkeep begin again.
///
/// The store owns the table of folders that the engine has made, and the day of the last upkeep.
package struct UpkeepStore: DomainStore {
  /// The parts of other stores that this store reads.
  package struct Context: Sendable {
    /// Whether anything may be started.
    var isScheduling: Bool
    /// Whether a cleanup is under way or waits.
    var isCleaning: Bool
    /// After how many days files leave the quarantine.
    var quarantineDays: Int
  }

  /// How many deletions are tried again, folders are looked at, and former files are forgotten, in one round.
  package static let perRound = 256

  /// The day, counted from 1970-01-01, on which it was done last; nil if it never was.
  package private(set) var lastDay: Int64?

  /// When it is due next; nil while a round is under way, and while a cleanup keeps it from beginning.
  package private(set) var nextMoment: Timestamp?
  private var round: Round?

  /// How far a round of the upkeep has come.
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
  package init(lastDay: Int64? = nil) {
    self.lastDay = lastDay
  }

  /// What the store does something for, of actions and events.
  private enum Concern {
    case recovered
    case lookedAtFolders(gone: [LibraryPath])
    case madeFolders([LibraryPath])
    case removedFolder(LibraryPath)
    case didRound(nextDeletion: Deletion.Key?, areFormerFilesDone: Bool?)

    init?(_ action: Action) {
      switch action {
      case .recovered: self = .recovered
      case .upkeepDone(let gone): self = .lookedAtFolders(gone: gone)
      default: return nil
      }
    }

    init?(_ event: StoreEvent) {
      switch event {
      case .downloads(.madeFolders(let folders)), .cleanup(.madeFolders(let folders)),
        .sidecars(.madeFolders(let folders)):
        self = .madeFolders(folders)
      case .cleanup(.removedFolder(let folder)): self = .removedFolder(folder)
      case .downloads(.didRound(let next, let areDone)):
        self = .didRound(nextDeletion: next, areFormerFilesDone: areDone)
      default: return nil
      }
    }
  }

  /// Whether the store does something for a call of the list.
  static func isConcerned(by call: StoreCall) -> Bool {
    switch call {
    case .handle(let action): Concern(action) != nil
    case .receive(let event): Concern(event) != nil
    case .endBatch: true
    }
  }

  /// Notes the day of a new library, and goes on with the round whose folders have been looked at.
  package mutating func handle(
    _ action: Action, in turn: inout StoreTurn<Self>, reading context: Context
  ) throws -> Reply? {
    if let concern = Concern(action) { try take(concern, in: &turn) }
    return nil
  }

  /// Keeps track of folders, and ends a round that the downloads have done their part of.
  package mutating func receive(_ event: StoreEvent, in turn: inout StoreTurn<Self>, reading context: Context) throws {
    if let concern = Concern(event) { try take(concern, in: &turn) }
  }

  private mutating func take(_ concern: Concern, in turn: inout StoreTurn<Self>) throws {
    switch concern {
    // A new library needs no upkeep, and a start has just done the most of it.
    case .recovered: if lastDay == nil { try note(turn.now.day, in: turn) }
    case .lookedAtFolders(let gone): try goOn(forgetting: gone, in: &turn)
    case .madeFolders(let folders): try turn.tables.upkeep.note(made: folders)
    case .removedFolder(let folder): try turn.tables.upkeep.forget(folder)
    case .didRound(let next, let areFormerFilesDone):
      round?.deletion = next
      if let areFormerFilesDone { try endRound(areFormerFilesDone: areFormerFilesDone, in: &turn) }
    }
  }

  /// Begins when a day has begun, or the clock was set back by one.
  package mutating func endBatch(in turn: inout StoreTurn<Self>, reading context: Context) throws {
    // The turn that ends a cleanup begins what waits for it.
    defer { nextMoment = round == nil && !context.isCleaning ? lastDay.map { Timestamp(day: $0 + 1) } : nil }
    guard round == nil, let lastDay, turn.now.day != lastDay, context.isScheduling, !context.isCleaning else { return }
    round = Round(day: turn.now.day)
    turn.perform(.runUpkeep(try nextFolders(in: turn), day: .init(quarantineDays: context.quarantineDays)))
    turn.tell(.upkeep(.began))
    turn.tell(.upkeep(.round(deletionsAfter: 0, forgettingFormerFiles: false)))
  }

  // MARK: Rounds

  private mutating func goOn(forgetting gone: [LibraryPath], in turn: inout StoreTurn<Self>) throws {
    guard let round else { return }
    for folder in gone { try turn.tables.upkeep.forget(folder) }
    turn.tell(.upkeep(.round(deletionsAfter: round.deletion, forgettingFormerFiles: true)))
  }

  private mutating func endRound(areFormerFilesDone: Bool, in turn: inout StoreTurn<Self>) throws {
    guard var round else { return }
    round.areFormerFilesDone = areFormerFilesDone
    self.round = round
    guard !round.isLast else {
      self.round = nil
      return try note(round.day, in: turn)
    }
    turn.perform(.runUpkeep(try nextFolders(in: turn), day: nil))
  }

  private mutating func nextFolders(in turn: borrowing StoreTurn<Self>) throws -> [LibraryPath] {
    guard let last = round?.folder else { return [] }
    let folders = try turn.tables.upkeep.folders(after: last, limit: Self.perRound)
    round?.folder = folders.count == Self.perRound ? folders.last?.description : nil
    return folders
  }

  private mutating func note(_ day: Int64, in turn: borrowing StoreTurn<Self>) throws {
    try turn.tables.upkeep.save(day: day)
    lastDay = day
  }
}

extension UpkeepStore.Context {
  /// Copies what this context has of the stores.
  init(_ stores: borrowing Stores) {
    isScheduling = stores.lifecycle.isScheduling
    isCleaning = stores.cleanup.owesWork
    quarantineDays = stores.settings.settings.quarantineDays
  }
}
