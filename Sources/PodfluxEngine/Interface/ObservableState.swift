import Observation
import PodfluxCore
import Synchronization

/// The state of each store for views: properties that a view can read at any time and observe with
/// `withObservationTracking`. Only the engine changes them.
///
/// ```swift
/// let running = podflux.state.downloads?.counts[.running] ?? 0
/// ```
///
/// Every property is thread safe. Each holds a consistent state, and all of them reach the same one shortly after a
/// change. Observers are told on a queue of the engine, which waits for them: an observer returns at once, and leaves
/// what takes time, or waits for the engine, to others.
public final class ObservableState: Observable, Sendable {
  private let registrar = ObservationRegistrar()
  private let current: Mutex<Snapshot>

  init(_ snapshot: Snapshot) {
    current = Mutex(snapshot)
  }

  /// The first hundred downloads that the filters show, with counts and totals of all.
  public var downloads: DownloadsSnapshot? { read(.downloads, \.downloads) }
  /// The first hundred feeds in the order of their titles.
  public var feeds: FeedsSnapshot? { read(.feeds, \.feeds) }
  /// The hundred latest episodes of all feeds.
  public var episodes: EpisodesSnapshot? { read(.episodes, \.episodes) }
  public var filters: FiltersSnapshot? { read(.filters, \.filters) }
  public var settings: Settings? { read(.settings, \.settings) }
  /// The network path, and which policies may use it.
  public var network: NetworkState? { read(.network, \.network) }
  /// The sessions, in the order of their ids.
  public var sessions: [Session]? { read(.sessions, \.sessions) }
  /// The current cleanup run.
  public var cleanup: CleanupSnapshot? { read(.cleanup, \.cleanup) }

  /// What observers observe: one key for each store.
  private subscript(_: StoreName) -> Void { () }

  /// A store's part of the state; the observer is told when it has changed.
  func read<Value>(_ store: StoreName, _ part: KeyPath<Snapshot, Value>) -> Value {
    registrar.access(self, keyPath: \.[store])
    return current.withLock { $0 }[keyPath: part]
  }

  /// Replaces the state; then notifies the observers of changed properties, who read the new value. One call at a time.
  @Sendable func update(_ moment: ObservedMoment) {
    let new = moment.snapshot
    // Before any observer hears of it: one that reads at once, and observes anew, would keep the old value.
    let old = current.withLock { current in
      defer { current = new }
      return current
    }
    for part in Snapshot.parts where !part.isSame(old, new) {
      registrar.withMutation(of: self, keyPath: \.[part.store]) {}
    }
  }
}
