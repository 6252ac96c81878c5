import Flux

/// A turn of Podflux's dispatcher.
public typealias PodfluxTurn = Turn<any Tables, Effect, StoreEvent>

/// A store of Podflux: it handles Podflux's actions and events, and keeps its rows in Podflux's tables.
public protocol DomainStore: Store
where
  Action == PodfluxCore.Action, Effect == PodfluxCore.Effect, Event == StoreEvent, Tables == any PodfluxCore.Tables,
  Reply == PodfluxCore.Reply, Refusal == PodfluxCore.Refusal
{}

/// What stores tell each other within a turn, by the store that tells it.
public enum StoreEvent: Sendable {
  /// The settings tell it.
  case settings(SettingsEvent)
  /// The podcasts tell it.
  case podcasts(PodcastsEvent)
  /// The rules tell it.
  case rules(RulesEvent)
  /// The downloads tell it.
  case downloads(DownloadsEvent)
  /// The cleanup tells it.
  case cleanup(CleanupEvent)
  /// The upkeep tells it.
  case upkeep(UpkeepEvent)
  /// The sidecars tell it.
  case sidecars(SidecarsEvent)
  /// The sessions tell it.
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
    switch call {
    case .handle(let action): return try handle(action, in: &turn, reading: context)
    case .receive(let event): try receive(event, in: &turn, reading: context)
    case .endBatch: try endBatch(in: &turn, reading: context)
    }
    return nil
  }
}
