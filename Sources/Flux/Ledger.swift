/// The position of the log of committed actions.
///
/// Use: `dispatcher.position`.
public struct LogPosition: Hashable, Sendable {
  /// Grows by one for every committed transaction.
  public var revision: Int64
  /// Grows by one for every committed action.
  public var sequence: Int64

  public init(revision: Int64, sequence: Int64) {
    self.revision = revision
    self.sequence = sequence
  }

  /// The position of a new library.
  public static let origin = LogPosition(revision: 0, sequence: 0)
}

/// The input of a turn: the same actions at the same clock reading on the same state give the same state.
///
/// ```swift
/// if let record = try dispatcher.dispatch([.add(1)], at: clock).record { print(record.firstSequence, record.actions) }
/// ```
public struct TurnRecord<Action: Sendable>: Sendable {
  /// The log's position after it.
  public var position: LogPosition
  /// The clocks at its start.
  public var clock: ClockReading
  /// The handled actions, in order, without readings and refused actions.
  public var actions: [Action]

  public init(position: LogPosition, clock: ClockReading, actions: [Action]) {
    self.position = position
    self.clock = clock
    self.actions = actions
  }

  /// The sequence number of the first action; the others follow it.
  public var firstSequence: Int64 { position.sequence - Int64(actions.count) + 1 }
}

/// Commits turns: one batch, one transaction.
///
/// One that keeps nothing, for tests of stores without tables:
///
/// ```swift
/// struct Forgetful: Ledger {
///   struct Tables {}
///   func transaction<Result>(_ body: (Tables) throws -> Result) throws -> Result { try body(Tables()) }
///   func record(_ position: LogPosition) {}
/// }
/// ```
public protocol Ledger<Tables> {
  /// The tables that stores write to.
  associatedtype Tables

  /// Runs the body in one transaction, commits it durably, and rolls everything back if the body or the commit throws.
  func transaction<Result>(_ body: (Tables) throws -> Result) throws -> Result

  /// Records, inside the transaction, the position that it reaches: after all other changes of the turn.
  func record(_ position: LogPosition) throws
}
