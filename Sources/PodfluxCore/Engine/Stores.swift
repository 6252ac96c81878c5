import Flux

/// All stores. The dispatcher owns them.
///
/// A new store is a property and a line of `list`. `PodfluxCore` needs its folder beside these; its tables and actions
/// have their own lists (`Tables`, `Action`).
package struct Stores: Store {
  /// What Podflux's stores handle.
  package typealias Action = PodfluxCore.Action
  /// What Podflux's stores ask services to do.
  package typealias Effect = PodfluxCore.Effect
  /// What Podflux's stores tell each other.
  package typealias Event = StoreEvent
  /// The tables behind Podflux's stores.
  package typealias Tables = any PodfluxCore.Tables
  /// What Podflux's clients read.
  package typealias Reply = PodfluxCore.Reply
  /// Why a client's intent is not carried out.
  package typealias Refusal = PodfluxCore.Refusal

  /// The engine's lifecycle.
  package private(set) var lifecycle = LifecycleStore()
  package private(set) var settings: SettingsStore
  package private(set) var filters: FiltersStore
  package private(set) var podcasts = PodcastsStore()
  /// The rules of feeds.
  package private(set) var rules = RulesStore()
  package private(set) var downloads: DownloadsStore
  package private(set) var network: NetworkStore
  /// The daily upkeep.
  package private(set) var upkeep: UpkeepStore
  /// Cleaning up.
  package private(set) var cleanup: CleanupStore
  package private(set) var sidecars: SidecarsStore
  package private(set) var sessions: SessionsStore

  /// Makes the stores with what their tables hold.
  package init(
    settings: SettingsStore, downloads: DownloadsStore, network: NetworkStore = .init(),
    cleanup: CleanupStore = .init(), filters: FiltersStore = .init(), upkeep: UpkeepStore = .init(),
    sidecars: SidecarsStore = .init(), sessions: SessionsStore = .init()
  ) {
    self.settings = settings
    self.downloads = downloads
    self.network = network
    self.cleanup = cleanup
    self.filters = filters
    self.upkeep = upkeep
    self.sidecars = sidecars
    self.sessions = sessions
  }

  /// A store of the list.
  private struct Member: Sendable {
    /// Adds up what the store has left to do.
    let count: @Sendable (borrowing Stores, inout OutstandingWork) -> Void
    /// Hands a call to the store, which is changed in place.
    let take: @Sendable (inout Stores, StoreCall, inout PodfluxTurn) throws -> Reply?

    init(
      _ count: @escaping @Sendable (borrowing Stores, inout OutstandingWork) -> Void,
      take: @escaping @Sendable (inout Stores, StoreCall, inout PodfluxTurn) throws -> Reply?
    ) {
      (self.count, self.take) = (count, take)
    }
  }

  /// The stores in the order in which they handle an action or an event. They end a batch in the reverse order: the
  /// lifecycle refuses first and closes last, sessions hear which requests wait for them, podcasts and sidecars see
  /// what stands in the way of downloads, and the downloads fill free slots when cleanup, upkeep and rules have said
  /// what they need, rules last: what the others find changes what they want. A store that names the calls that concern
  /// it pays for no other: a context is a copy.
  private static let list: [Member] = [
    Member({ $1.add($0.lifecycle) }) { try $0.lifecycle.take($1, in: &$2, reading: .init($0)) },
    Member({ $1.add($0.settings) }) { try $0.settings.take($1, in: &$2, reading: ()) },
    Member({ $1.add($0.filters) }) { try $0.filters.take($1, in: &$2, reading: .init($0)) },
    Member({ $1.add($0.sessions) }) {
      $0.sessions.isConcerned(by: $1) ? try $0.sessions.take($1, in: &$2, reading: .init($0)) : nil
    },
    Member({ $1.add($0.podcasts) }) {
      PodcastsStore.isConcerned(by: $1) ? try $0.podcasts.take($1, in: &$2, reading: .init($0)) : nil
    },
    Member({ $1.add($0.sidecars) }) {
      $0.sidecars.isConcerned(by: $1) ? try $0.sidecars.take($1, in: &$2, reading: .init($0)) : nil
    },
    Member({ $1.add($0.downloads) }) { try $0.downloads.take($1, in: &$2, reading: .init($0)) },
    Member({ $1.add($0.network) }) { try $0.network.take($1, in: &$2, reading: ()) },
    Member({ $1.add($0.rules) }) {
      $0.rules.isConcerned(by: $1, at: $2.now, needingRoom: !$0.downloads.room.needs.isEmpty)
        ? try $0.rules.take($1, in: &$2, reading: .init($0)) : nil
    },
    Member({ $1.add($0.upkeep) }) {
      UpkeepStore.isConcerned(by: $1) ? try $0.upkeep.take($1, in: &$2, reading: .init($0)) : nil
    },
    Member({ $1.add($0.cleanup) }) {
      CleanupStore.isConcerned(by: $1) ? try $0.cleanup.take($1, in: &$2, reading: .init($0)) : nil
    },
  ]

  /// What all of them have left to do.
  var outstanding: OutstandingWork {
    var work = OutstandingWork()
    for member in Self.list { member.count(self, &work) }
    return work
  }

  /// Hands the action to each store, then what they tell each other.
  package mutating func handle(_ action: Action, in turn: inout PodfluxTurn, reading _: Void) throws -> Reply? {
    let call = StoreCall.handle(action)
    var reply: Reply?
    for member in Self.list {
      if let answer = try member.take(&self, call, &turn) { reply = answer }
    }
    try deliverEvents(in: &turn)
    return reply
  }

  /// Has each store end the batch. What one tells is delivered before the next one ends.
  package mutating func endBatch(in turn: inout PodfluxTurn, reading _: Void) throws {
    for member in Self.list.reversed() {
      _ = try member.take(&self, .endBatch, &turn)
      try deliverEvents(in: &turn)
    }
  }

  private mutating func deliverEvents(in turn: inout PodfluxTurn) throws {
    var events = turn.takeEvents()
    while !events.isEmpty {
      for event in events {
        for member in Self.list { _ = try member.take(&self, .receive(event), &turn) }
      }
      events = turn.takeEvents()
    }
  }
}
