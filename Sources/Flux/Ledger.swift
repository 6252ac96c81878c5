/// How far the log of committed actions has come.
public struct LogPosition: Hashable, Sendable {
  /// Grows by one for every committed transaction.
  public var revision: Int64
  /// Grows by one for every committed action.
  public var sequence: Int64

  /// Makes a position.
  public init(revision: Int64, sequence: Int64) {
    self.revision = revision
    self.sequence = sequence
  }

  /// Where a new library begins.
  public static let origin = LogPosition(revision: 0, sequence: 0)
}

/// What a turn was made of: folding the same actions at the same clock over the same state gives the same state.
public struct TurnRecord<Action: Sendable>: Sendable {
  /// Where the log stands after it.
  public var position: LogPosition
  /// What the clocks showed.
  public var clock: ClockReading
  /// The actions that were handled, in order: no readings, and nothing that was refused.
  public var actions: [Action]

  /// Makes a record.
  public init(position: LogPosition, clock: ClockReading, actions: [Action]) {
    self.position = position
    self.clock = clock
    self.actions = actions
  }

  /// The number of the first action; the others follow it one by one.
  public var firstSequence: Int64 { position.sequence - Int64(actions.count) + 1 }
}

/// Where turns are committed: one batch, one transaction.
public protocol Ledger<Tables> {
  /// The tables that stores write to.
  associatedtype Tables

  /// Runs the body in one transaction, commits it durably, and rolls everything back if the body or the commit throws.
  func transaction<Result>(_ body: (Tables) throws -> Result) throws -> Result

  /// Records, inside the transaction, the position that it reaches: behind everything else that the turn does to the tables.
  func record(_ position: LogPosition) throws
}
