import Flux

/// A turn of Podflux's dispatcher.
package typealias PodfluxTurn = Turn<any Tables, Effect, StoreEvent>

/// The turn as a store has it. One of `some DomainStore` is for what several stores call: it reads all tables alike.
package typealias StoreTurn<Owner> = Turn<StoreTables<Owner>, Effect, StoreEvent>

/// A store of Podflux: it handles Podflux's actions and events, keeps its rows in its own tables, and reads those of
/// others.
package protocol DomainStore: Store
where
  Action == PodfluxCore.Action, Effect == PodfluxCore.Effect, Event == StoreEvent, Tables == StoreTables<Self>,
  Reply == PodfluxCore.Reply, Refusal == PodfluxCore.Refusal
{
  /// The first moment at which the store has something to do although no action comes; nil if there is none.
  var nextMoment: Timestamp? { get }

  /// Whether a service works for the store: the library stays open until that has ended.
  var hasLiveWork: Bool { get }

  /// Whether the store owes work that a drain waits for.
  var owesWork: Bool { get }
}

/// Stores that wait for actions alone.
extension DomainStore {
  package var nextMoment: Timestamp? { nil }
  package var hasLiveWork: Bool { false }
  package var owesWork: Bool { false }
}

/// What stores have left to do.
struct OutstandingWork: Sendable {
  /// The first moment at which one has something to do; nil if there is none.
  private(set) var nextMoment: Timestamp?
  /// Whether a service works for one.
  private(set) var isLive = false
  /// Whether one owes work that a drain waits for.
  private(set) var isOwed = false

  /// Counts a store in.
  mutating func add(_ store: some DomainStore) {
    nextMoment = Timestamp.earlier(nextMoment, store.nextMoment)
    isLive = isLive || store.hasLiveWork
    isOwed = isOwed || store.owesWork
  }
}

/// Events by which stores inform each other within a turn, one case for each sender.
package enum StoreEvent: Sendable {
  case settings(SettingsEvent)
  case podcasts(PodcastsEvent)
  case rules(RulesEvent)
  case downloads(DownloadsEvent)
  case cleanup(CleanupEvent)
  case upkeep(UpkeepEvent)
  case sidecars(SidecarsEvent)
  case sessions(SessionsEvent)
}

/// What the list of stores hands to each of its members.
enum StoreCall {
  case handle(Action)
  case receive(StoreEvent)
  case endBatch
}

extension DomainStore {
  /// Takes a call of the list. Only an action has a reply.
  mutating func take(_ call: StoreCall, in turn: inout PodfluxTurn, reading context: Context) throws -> Reply? {
    try turn.lend(with: StoreTables(turn.tables)) { turn in
      switch call {
      case .handle(let action): return try handle(action, in: &turn, reading: context)
      case .receive(let event): try receive(event, in: &turn, reading: context)
      case .endBatch: try endBatch(in: &turn, reading: context)
      }
      return nil
    }
  }
}
