/// A domain's state and the rules by which actions change it.
///
/// A store is a value owned by the dispatcher alone and changed in place. It performs no I/O: what has to be
/// done it appends to the turn as effects, and what is unbounded it keeps in its own tables. The time, ids
/// and random numbers come with the turn, never from the system.
public protocol Store: Sendable {
  /// What it handles.
  associatedtype Action: ActionProtocol
  /// What it can ask services to do, as values.
  associatedtype Effect: Sendable
  /// The tables behind it, valid during a turn only.
  associatedtype Tables
  /// What a client reads when its intent was carried out.
  associatedtype Reply: Sendable
  /// Why an intent was not carried out. A store refuses before it changes anything, memory or row.
  associatedtype Refusal: Error & Sendable

  /// Handles one action; the reply is nil where this action gets none from this store.
  ///
  /// - Throws: `Refusal` for an intent that cannot be carried out (the batch goes on), anything else when the
  ///   tables fail (the whole batch is undone).
  mutating func handle(_ action: Action, in turn: inout Turn<Tables, Effect>) throws -> Reply?

  /// Does once for a batch what need not be done for each action, such as filling free slots.
  mutating func endBatch(in turn: inout Turn<Tables, Effect>) throws
}

/// What a store may use while it handles an action.
public struct Turn<Tables, Effect: Sendable> {
  /// The number of the action; readings share the number of the action before them.
  public internal(set) var sequence: Int64
  /// What the clocks showed when the batch began: the same for each of its actions.
  public let clock: ClockReading
  /// The random draws of this action. They follow from the engine's seed and the sequence alone.
  public var random: SeededGenerator
  /// The tables, inside the batch's transaction.
  public let tables: Tables
  /// What is to be done once the batch is committed, in this order.
  public private(set) var effects: [Effect] = []

  /// Makes a turn for a test of one store; the dispatcher makes its own.
  public init(sequence: Int64, clock: ClockReading, random: SeededGenerator, tables: Tables) {
    self.sequence = sequence
    self.clock = clock
    self.random = random
    self.tables = tables
  }

  /// The wall clock.
  public var now: Timestamp { clock.wall }

  /// Asks for something to be done after the commit. Every effect must bear being carried out twice.
  public mutating func perform(_ effect: Effect) {
    effects.append(effect)
  }
}
