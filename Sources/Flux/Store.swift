/// A domain's state and the rules by which actions change it.
///
/// A store is a value that the dispatcher owns and changes in place. It performs no I/O: it appends to the turn, as
/// effects, what services have to do, and keeps in its own tables what is unbounded. The turn brings the time and the
/// random numbers; a store takes them from nowhere else.
///
/// A store writes its own state and tables only. It reads other stores through `Context`, and it makes them change by
/// telling an event, which they handle in the same turn.
///
/// ```swift
/// struct Counter: Store {
///   struct Refusal: Error {}
///   enum Action: ActionProtocol {
///     case add(Int)
///     var isReading: Bool { false }
///   }
///
///   var sum = 0
///
///   mutating func handle(_ action: Action, in turn: inout Turn<Void, Never, Never>, reading _: Void) throws -> Int? {
///     guard case .add(let number) = action, number >= 0 else { throw Refusal() }
///     sum += number
///     return sum
///   }
/// }
/// ```
public protocol Store: Sendable {
  /// The actions that the store handles.
  associatedtype Action: ActionProtocol
  /// The effects that the store can request of services, as values.
  associatedtype Effect: Sendable
  /// What stores tell each other within a turn. Events follow from actions and are never journaled.
  associatedtype Event: Sendable = Never
  /// The tables behind it, as it may use them: its own to write, those of others at most to read. Valid during a turn
  /// only.
  associatedtype Tables
  /// The values of other stores that the store reads and cannot write.
  associatedtype Context = Void
  /// What a client reads when its intent was carried out.
  associatedtype Reply: Sendable
  /// Why an intent was not carried out. A store refuses before it changes anything: memory, row or event.
  associatedtype Refusal: Error & Sendable

  /// Handles one action; the reply is nil where this action gets none from this store.
  ///
  /// - Throws: `Refusal` for an intent that cannot be carried out (the batch goes on), anything else when the
  ///   tables fail (the whole batch is undone).
  mutating func handle(
    _ action: Action, in turn: inout Turn<Tables, Effect, Event>, reading context: Context
  ) throws -> Reply?

  /// Handles what a store has told in this turn.
  ///
  /// - Throws: when the tables fail; never a `Refusal`.
  mutating func receive(_ event: Event, in turn: inout Turn<Tables, Effect, Event>, reading context: Context) throws

  /// Does once for a batch what need not be done for each action, such as filling free slots.
  mutating func endBatch(in turn: inout Turn<Tables, Effect, Event>, reading context: Context) throws
}

extension Store {
  /// Ignores the event.
  public mutating func receive(
    _ event: Event, in turn: inout Turn<Tables, Effect, Event>, reading context: Context
  ) throws {}

  /// Does nothing.
  public mutating func endBatch(in turn: inout Turn<Tables, Effect, Event>, reading context: Context) throws {}
}

/// What a store may use while it handles an action.
///
/// ```swift
/// var turn = Turn<Void, Never, Never>(sequence: 1, clock: clock, random: SeededGenerator(seed: 7), tables: ())
/// var counter = Counter()
/// print(try counter.handle(.add(1), in: &turn, reading: ()) ?? 0)
/// ```
public struct Turn<Tables, Effect: Sendable, Event: Sendable> {
  /// The number of the action; readings share the number of the action before them.
  public var sequence: Int64 { actionNumber }
  @usableFromInline var actionNumber: Int64
  /// What the clocks showed when the batch began: the same for each of its actions.
  public let clock: ClockReading
  /// The random draws of this action. They follow from the engine's seed and the sequence alone.
  public var random: SeededGenerator
  /// The tables, inside the batch's transaction.
  public let tables: Tables
  @usableFromInline var requests = Requests()

  /// What stores have asked of services and told each other so far.
  @usableFromInline
  struct Requests {
    @usableFromInline var effects: [Effect] = []
    @usableFromInline var events: [Event] = []
  }

  /// Makes a turn for a test of one store; the dispatcher makes its own.
  @inlinable
  public init(sequence: Int64, clock: ClockReading, random: SeededGenerator, tables: Tables) {
    actionNumber = sequence
    self.clock = clock
    self.random = random
    self.tables = tables
  }

  public var now: Timestamp { clock.wall }

  /// What services have to do once the batch is committed, in this order.
  public var effects: [Effect] { requests.effects }

  /// Asks for something to be done after the commit. Every effect must bear being carried out twice.
  public mutating func perform(_ effect: Effect) {
    requests.effects.append(effect)
  }

  /// Tells the other stores something in this turn. The root delivers events in the order in which they were told.
  public mutating func tell(_ event: Event) {
    requests.events.append(event)
  }

  /// Takes the events that have not been delivered; the root calls it until there are none.
  public mutating func takeEvents() -> [Event] {
    guard !requests.events.isEmpty else { return [] }
    defer { requests.events.removeAll() }
    return requests.events
  }

  /// Lends the turn to one store, with the tables as that store may use them.
  ///
  /// Nothing is copied but the tables: what was asked for and told moves there and back, also when the store throws.
  /// Inlined, since it runs for each store that an action concerns.
  @inlinable
  public mutating func lend<Narrowed, Result>(
    with narrowed: Narrowed, to store: (inout Turn<Narrowed, Effect, Event>) throws -> Result
  ) rethrows -> Result {
    var lent = Turn<Narrowed, Effect, Event>(sequence: sequence, clock: clock, random: random, tables: narrowed)
    swap(&requests.effects, &lent.requests.effects)
    swap(&requests.events, &lent.requests.events)
    defer {
      swap(&requests.effects, &lent.requests.effects)
      swap(&requests.events, &lent.requests.events)
      random = lent.random
    }
    return try store(&lent)
  }
}
