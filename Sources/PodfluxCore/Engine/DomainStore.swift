import Flux

/// A turn of Podflux's dispatcher.
public typealias PodfluxTurn = Turn<any Tables, Effect, StoreEvent>

/// A store of Podflux: it handles Podflux's actions and events, and keeps its rows in Podflux's tables.
public protocol DomainStore: Store
where
  Action == PodfluxCore.Action, Effect == PodfluxCore.Effect, Event == StoreEvent, Tables == any PodfluxCore.Tables,
  Reply == PodfluxCore.Reply, Refusal == PodfluxCore.Refusal
{}

/// Events by which stores inform each other within a turn, one case for each sender.
public enum StoreEvent: Sendable {
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
    switch call {
    case .handle(let action): return try handle(action, in: &turn, reading: context)
    case .receive(let event): try receive(event, in: &turn, reading: context)
    case .endBatch: try endBatch(in: &turn, reading: context)
    }
    return nil
  }
}
