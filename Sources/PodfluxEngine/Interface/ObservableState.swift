import Observation
import PodfluxCore
import Synchronization

/// The state of each store as a view wants it: properties that can be read at any time and observed with
/// `withObservationTracking`. Nobody but the engine changes them.
///
/// Every property is thread safe; each has the value of one moment, and all have that of the same moment soon.
public final class ObservableState: Observable, Sendable {
  private let registrar = ObservationRegistrar()
  private let current: Mutex<Snapshot>

  init(_ snapshot: Snapshot) {
    current = Mutex(snapshot)
  }

  /// The first hundred downloads that the filters show, and what there is of them in all.
  public var downloads: DownloadsSnapshot? { read(\.downloads, \.downloads) }
  /// The filters.
  public var filters: FiltersSnapshot? { read(\.filters, \.filters) }
  /// The settings.
  public var settings: Settings? { read(\.settings, \.settings) }
  /// The network: what the path is, and what may use it.
  public var network: NetworkState? { read(\.network, \.network) }
  /// Cleaning up.
  public var cleanup: CleanupSnapshot? { read(\.cleanup, \.cleanup) }

  private func read<Value>(_ property: KeyPath<ObservableState, Value>, _ part: KeyPath<Snapshot, Value>) -> Value {
    registrar.access(self, keyPath: property)
    return current.withLock { $0 }[keyPath: part]
  }

  /// Takes in a later moment; those are told whose part of it is another one. One call at a time.
  @Sendable func update(_ moment: ObservedMoment) {
    let (old, new) = (current.withLock { $0 }, moment.snapshot)
    change(\.downloads, old.downloads != new.downloads) {
      change(\.filters, old.filters != new.filters) {
        change(\.settings, old.settings != new.settings) {
          change(\.network, old.network != new.network) {
            change(\.cleanup, old.cleanup != new.cleanup) {
              current.withLock { $0 = new }
            }
          }
        }
      }
    }
  }

  private func change<Value>(
    _ property: KeyPath<ObservableState, Value>, _ isChange: Bool, _ body: () -> Void
  ) {
    if isChange { registrar.withMutation(of: self, keyPath: property, body) } else { body() }
  }
}
