/// The one place where state changes: batches of actions in, committed turns out.
///
/// A batch is handled in order and committed as one transaction; the root declares the order of its stores.
/// Replies and effects leave this type only after the commit. If the commit fails, memory is what it was before
/// the batch: nothing is half-done.
///
/// Not thread safe, and deliberately so: its owner drains a mailbox from one place.
///
/// With the store `Counter` that `Store` shows:
///
/// ```swift
/// var dispatcher = Dispatcher(state: Counter(), position: .origin, ledger: ledger, seed: 7)
/// let turnout = try dispatcher.dispatch([.add(1), .add(2)], at: clock)
/// print(turnout.position.revision, dispatcher.state.sum)
/// ```
public struct Dispatcher<Root: Store> where Root.Context == Void {
  /// What became of a batch that was committed.
  ///
  /// ```swift
  /// let turnout = try dispatcher.dispatch([.add(1), .add(2)], at: clock)
  /// print(turnout.outcomes.count, "answers,", turnout.effects.count, "effects to carry out")
  /// ```
  public struct Turnout: Sendable {
    /// Where the log stands now.
    public var position: LogPosition
    /// The committed turn; nil if the batch was empty or had readings only.
    public var record: TurnRecord<Root.Action>?
    /// The result of each action, in the batch's order.
    public var outcomes: [Outcome]
    /// The effects to carry out now, in order.
    public var effects: [Root.Effect]
  }

  /// The result of one action of a committed batch.
  ///
  /// ```swift
  /// for outcome in try dispatcher.dispatch([.add(1)], at: clock).outcomes {
  ///   switch outcome {
  ///   case .handled(let reply): print(reply ?? 0)
  ///   case .refused(let refusal): print("refused:", refusal)
  ///   }
  /// }
  /// ```
  public enum Outcome: Sendable {
    /// Handled; intents have a reply.
    case handled(Root.Reply?)
    /// Refused; nothing was changed for it.
    case refused(Root.Refusal)

    fileprivate var isRefusal: Bool {
      if case .refused = self { true } else { false }
    }
  }

  /// The state of all stores. Only `dispatch` changes it.
  public private(set) var state: Root
  /// Where the log stands: the last committed turn.
  public private(set) var position: LogPosition

  private let ledger: any Ledger<Root.Tables>
  private let seed: UInt64
  private let willCommit: (TurnRecord<Root.Action>) -> () -> Void

  /// Makes a dispatcher.
  ///
  /// - Parameters:
  ///   - state: The stores, with the state that the ledger's tables hold at `position`.
  ///   - position: Where the ledger's log stands.
  ///   - ledger: Where batches are committed.
  ///   - seed: What all random draws follow from.
  ///   - willCommit: Sees each turn before it is committed. What it returns is called when nothing is left to do but
  ///     the commit, which waits for it. If the commit fails, the next turn has the same numbers.
  public init(
    state: Root, position: LogPosition, ledger: any Ledger<Root.Tables>, seed: UInt64,
    willCommit: @escaping (TurnRecord<Root.Action>) -> () -> Void = { _ in {} }
  ) {
    self.state = state
    self.position = position
    self.ledger = ledger
    self.seed = seed
    self.willCommit = willCommit
  }

  /// Handles a batch of actions and commits it.
  ///
  /// - Throws: what the ledger threw. Nothing has changed then, and the owner refuses what clients asked for and
  ///   delivers again what services found out.
  public mutating func dispatch(_ batch: [Root.Action], at clock: ClockReading) throws -> Turnout {
    let stateBefore = state
    let positionBefore = position
    do {
      return try ledger.transaction { tables in try handle(batch, at: clock, with: tables) }
    } catch {
      state = stateBefore
      position = positionBefore
      throw error
    }
  }

  private mutating func handle(
    _ batch: [Root.Action], at clock: ClockReading, with tables: Root.Tables
  ) throws -> Turnout {
    var turn = Turn<Root.Tables, Root.Effect, Root.Event>(
      sequence: position.sequence, clock: clock, random: SeededGenerator(seed: seed, index: position.sequence),
      tables: tables)
    var outcomes: [Outcome] = []
    outcomes.reserveCapacity(batch.count)
    for action in batch {
      outcomes.append(try handle(action, in: &turn))
    }
    var record: TurnRecord<Root.Action>?
    let number = turn.sequence - position.sequence
    if number > 0 {
      try state.endBatch(in: &turn, reading: ())
      position = LogPosition(revision: position.revision + 1, sequence: turn.sequence)
      let committed = TurnRecord(
        position: position, clock: clock,
        actions: number == batch.count
          ? batch : zip(batch, outcomes).compactMap { $0.isReading || $1.isRefusal ? nil : $0 })
      let waitForJournal = willCommit(committed)
      try ledger.record(position)
      waitForJournal()
      record = committed
    }
    return Turnout(position: position, record: record, outcomes: outcomes, effects: turn.effects)
  }

  private mutating func handle(
    _ action: Root.Action, in turn: inout Turn<Root.Tables, Root.Effect, Root.Event>
  ) throws -> Outcome {
    let previous = (turn.sequence, turn.random)
    if !action.isReading {
      turn.actionNumber += 1
      turn.random = SeededGenerator(seed: seed, index: turn.sequence)
    }
    do {
      return .handled(try state.handle(action, in: &turn, reading: ()))
    } catch let refusal as Root.Refusal {
      // A refused action was not committed: its number goes to the next one.
      (turn.actionNumber, turn.random) = previous
      return .refused(refusal)
    }
  }
}
