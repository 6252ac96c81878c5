import Logging
import PodfluxCore
import Synchronization

/// Podflux inside another program: opens a library, dispatches actions, and shows the state as it changes.
///
/// ```swift
/// let podflux = try await Podflux.open(library: "/srv/podcasts")
/// _ = try await podflux.dispatch(.downloads(.enqueue(.init(address: try WebAddress("https://example.org/1.mp3")))))
/// for await downloads in podflux.downloads() where downloads.counts[.completed] == 1 { break }
/// await podflux.stop()
/// ```
///
/// Every method is thread safe. State is read-only: it changes through actions alone.
public final class Podflux: Sendable {
  private let engine: Engine
  private let client: LibraryClient

  /// The state of each store, for views: it can be observed (`withObservationTracking`), and has a value from the start.
  public let state: ObservableState

  private init(engine: Engine, client: LibraryClient, state: ObservableState) {
    self.engine = engine
    self.client = client
    self.state = state
  }

  /// Opens a library, makes it if there is none, and goes on with what was under way.
  ///
  /// - Parameters:
  ///   - path: The library's folder.
  ///   - state: The folder of its state, if that is not in the library: see `EngineConfiguration.statePath`.
  ///   - logger: Where logs go.
  /// - Throws: `EngineError`.
  public static func open(
    library path: String, state: String? = nil, logger: Logger = Logger(label: "podflux")
  ) async throws -> Podflux {
    let client = LibraryClient()
    let engine = try Engine(
      EngineConfiguration(libraryPath: path, statePath: state, logger: logger), client: client)
    client.serve(engine)
    let snapshot: Snapshot
    do {
      snapshot = try await client.ask(.snapshot(.init())).snapshot
    } catch {
      engine.stop(.now, because: .shutdown)
      await client.waitUntilClosed()
      throw EngineError.cannotStart(error.message)
    }
    let podflux = Podflux(engine: engine, client: client, state: ObservableState(snapshot))
    _ = engine.observe(.init(), interval: Observation().interval, onEnd: {}, deliver: podflux.state.update)
    return podflux
  }

  /// Whoever lets go of it without `stop()` has it stop all the same.
  deinit {
    engine.stop(.now, because: .shutdown)
  }

  // MARK: Actions

  /// Has an action carried out. When it returns, that is durable: not even a power cut undoes it.
  ///
  /// - Parameter action: What is wanted (`Action.isIntent`); facts are the engine's own to tell.
  /// - Throws: `Refusal`; nothing was changed then.
  public func dispatch(_ action: Action) async throws(Refusal) -> Reply {
    guard action.isIntent else {
      throw Refusal(.unknownAction, "only the engine's own services tell facts; dispatch what is wanted")
    }
    switch await client.post(.action(action)) {
    case .reply(let reply): return reply
    case .refusal(let refusal): throw refusal
    case .answer: preconditionFailure("an action has a reply")
    }
  }

  /// Ends the engine's work, now or when nothing can move any more, and returns when the library is free.
  public func stop(_ mode: StopMode = .now) async {
    engine.stop(mode, because: .shutdown)
    await client.waitUntilClosed()
  }

  /// Gives the library up until `resume()`: when it returns, the process holds no lock on it, and its database is closed.
  /// A system that is about to freeze the process wants that. Meanwhile every action is refused with `suspended`.
  ///
  /// - Throws: `Refusal` if the engine has stopped.
  public func suspend() async throws(Refusal) {
    try await client.perform { engine, completion in engine.suspend(completion) }
  }

  /// Takes the library again, and goes on with what was under way.
  ///
  /// - Throws: `Refusal`: `conflict` if another engine has the library. The engine stays suspended then.
  public func resume() async throws(Refusal) {
    try await client.perform { engine, completion in engine.resume(completion) }
  }

  // MARK: State

  /// One moment of the state. Cost: see the query's parts.
  ///
  /// - Throws: `Refusal` if the database cannot be read.
  public func snapshot(_ query: SnapshotQuery = .init()) async throws(Refusal) -> Snapshot {
    try await client.ask(.snapshot(query)).snapshot
  }

  /// The state as it changes: the first is that of now. Who is slow sees the latest, and nothing between.
  ///
  /// - Parameters:
  ///   - query: What to show.
  ///   - interval: How long changes are gathered at least, in seconds; within `Observation.intervals`.
  public func states(_ query: SnapshotQuery = .init(), interval: Double = 0.25) -> AsyncStream<Snapshot> {
    states(query, interval: interval) { $0 }
  }

  /// The downloads as they change: a page of them, and what there is of them in all.
  public func downloads(_ query: DownloadsQuery = .init(), interval: Double = 0.25) -> AsyncStream<DownloadsSnapshot> {
    states(SnapshotQuery(stores: [.downloads], downloads: query), interval: interval) { $0.downloads }
  }

  /// The filters as they change.
  public func filters(interval: Double = 0.25) -> AsyncStream<FiltersSnapshot> {
    states(SnapshotQuery(stores: [.filters]), interval: interval) { $0.filters }
  }

  /// The settings as they change.
  public func settings(interval: Double = 0.25) -> AsyncStream<Settings> {
    states(SnapshotQuery(stores: [.settings]), interval: interval) { $0.settings }
  }

  /// The network as it changes.
  public func network(interval: Double = 0.25) -> AsyncStream<NetworkState> {
    states(SnapshotQuery(stores: [.network]), interval: interval) { $0.network }
  }

  /// Cleaning up as it goes on.
  public func cleanup(interval: Double = 0.25) -> AsyncStream<CleanupSnapshot> {
    states(SnapshotQuery(stores: [.cleanup]), interval: interval) { $0.cleanup }
  }

  private func states<State: Hashable & Sendable>(
    _ query: SnapshotQuery, interval: Double, _ part: @escaping @Sendable (Snapshot) -> State?
  ) -> AsyncStream<State> {
    let limits = Observation.intervals
    let (stream, continuation) = AsyncStream.makeStream(of: State.self, bufferingPolicy: .bufferingNewest(1))
    let last = LastValue<State>()
    let end = engine.observe(
      query, interval: interval >= limits.lowerBound ? min(interval, limits.upperBound) : limits.lowerBound,
      onEnd: { continuation.finish() },
      deliver: { moment in
        guard let state = part(moment.snapshot), last.replace(with: state) else { return }
        continuation.yield(state)
      })
    continuation.onTermination = { _ in end() }
    return stream
  }
}

/// What somebody was shown last: the same is not shown again.
private final class LastValue<Value: Hashable & Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)

  /// Whether it was another one.
  func replace(with new: Value) -> Bool {
    value.withLock { value in
      defer { value = new }
      return value != new
    }
  }
}

extension Answer {
  fileprivate var snapshot: Snapshot {
    guard case .snapshot(let snapshot) = self else { preconditionFailure("a snapshot was asked for") }
    return snapshot
  }
}
