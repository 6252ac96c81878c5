import Logging
import PodfluxCore
import Synchronization

/// Podflux inside another program: opens a library, dispatches actions, and shows the state as it changes.
///
/// ```swift
/// let podflux = try await Podflux.open(library: "/srv/podcasts")
/// _ = try await podflux.dispatch(.downloads(.enqueue(.init(address: try WebAddress("https://example.org/1.mp3")))))
/// for await downloads in podflux.downloads() { print(downloads.counts) }
/// ```
///
/// Every method is thread safe. State is read-only: it changes through actions alone. The cancellation of a task that
/// waits for a method takes nothing back: the engine does what was asked for, and the method returns its answer.
public final class Podflux: Sendable {
  private let engine: Engine
  private let client: LibraryClient

  /// The state of each store for views: observable (`withObservationTracking`), with values from the start.
  public let state: ObservableState

  private init(engine: Engine, client: LibraryClient, state: ObservableState) {
    self.engine = engine
    self.client = client
    self.state = state
  }

  /// Opens a library, creates it if missing, and resumes interrupted downloads.
  ///
  /// - Parameters:
  ///   - path: The library's folder, a path and no URL. A relative one is of the working directory at this moment.
  ///   - state: The state folder, if it lies outside the library: see `EngineConfiguration.statePath`.
  ///   - logger: The destination of logs: by default what the program's `LoggingSystem` says, else stderr.
  /// - Throws: `EngineError`.
  public static func open(
    library path: String, stateFolder state: String? = nil, logger: Logger = Logger(label: "podflux")
  ) async throws -> Podflux {
    try await open(EngineConfiguration(libraryPath: path, statePath: state, logger: logger))
  }

  /// Opens a library with more than the defaults: where secrets are kept, which program tags files, a journal, metrics.
  ///
  /// - Throws: `EngineError`.
  public static func open(_ configuration: EngineConfiguration) async throws -> Podflux {
    let client = LibraryClient()
    let engine = try Engine(configuration, owner: client)
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

  /// Releasing the last reference without `stop()` stops the engine too.
  deinit {
    engine.stop(.now, because: .shutdown)
  }

  // MARK: Actions

  /// Dispatches an action. When it returns, the action's changes are durable, even after a power cut.
  ///
  /// - Parameter intent: What is wanted. Facts, the other actions, are the engine's own to dispatch.
  /// - Throws: `Refusal`; nothing was changed then.
  public func dispatch(_ intent: Intent) async throws(Refusal) -> Reply {
    switch await client.post(intent) {
    case .reply(let reply): return reply
    case .refusal(let refusal): throw refusal
    case .answer: preconditionFailure("an intent has a reply")
    }
  }

  /// When an engine stops.
  ///
  /// ```swift
  /// await podflux.stop(.drain)
  /// ```
  public enum Ending: Hashable, Sendable {
    /// At once; what is under way is kept.
    case now
    /// When no download can make progress any more.
    case drain
  }

  /// Stops the engine for good, and returns when the library is closed. `suspend()` closes it for a while.
  public func stop(_ ending: Ending = .now) async {
    let mode: StopMode =
      switch ending {
      case .now: .now
      case .drain: .drain
      }
    engine.stop(mode, because: .shutdown)
    await client.waitUntilClosed()
  }

  /// Closes the library until `resume()`: when it returns, the process holds no lock on it, and its database is closed.
  /// Use it before the system freezes the process. Until then every action is refused with `suspended`.
  ///
  /// - Throws: `Refusal` if the engine has stopped.
  public func suspend() async throws(Refusal) {
    try await client.perform { engine, completion in engine.suspend(completion) }
  }

  /// Opens the library again, and resumes interrupted downloads.
  ///
  /// - Throws: `Refusal`: `conflict` if another engine holds the library. The engine stays suspended then.
  public func resume() async throws(Refusal) {
    try await client.perform { engine, completion in engine.resume(completion) }
  }

  // MARK: State

  /// The current state. Cost: see the query's parts.
  ///
  /// - Throws: `Refusal` if a condition is beyond `Condition.Limits`, if the engine is suspended or has stopped, or if
  ///   the database cannot be read.
  public func snapshot(_ query: SnapshotQuery = .init()) async throws(Refusal) -> Snapshot {
    try await client.ask(.snapshot(query)).snapshot
  }

  /// What a subscription to a feed would bring; nothing is kept. Fetches the feed over the present path, for a minute
  /// at most.
  ///
  /// - Throws: `Refusal`: `not_found` if nothing is there, `invalid_value` if it is no feed, else `conflict`.
  public func preview(of feed: FeedPreview.Wish) async throws(Refusal) -> FeedPreview {
    guard case .preview(let preview) = try await client.ask(.preview(feed)) else {
      preconditionFailure("a preview was asked for")
    }
    return preview
  }

  /// The subscriptions as an OPML document. Cost: linear in the feeds.
  ///
  /// - Parameter includesSecrets: Whether addresses keep user names, passwords and tokens.
  public func opml(includingSecrets includesSecrets: Bool = false) async throws(Refusal) -> String {
    guard case .opml(let text) = try await client.ask(.exportFeeds(includingSecrets: includesSecrets)) else {
      preconditionFailure("a document was asked for")
    }
    return text
  }

  /// What rules would do about a feed's episodes, a page of them; nothing changes.
  ///
  /// - Throws: `Refusal`: `not_found` if there is no such feed.
  public func rulesPlan(_ query: RulesQuery) async throws(Refusal) -> RulesPlan {
    guard case .rulesPlan(let plan) = try await client.ask(.planRules(query)) else {
      preconditionFailure("a plan was asked for")
    }
    return plan
  }

  /// How another library goes on with a download, by `DownloadIntent.Enqueue.resume`; nil if nothing of it is kept.
  ///
  /// - Throws: `Refusal`: `not_found` if there is no such download.
  public func resumeData(of id: DownloadID) async throws(Refusal) -> ResumeRecord? {
    guard case .resumeData(let record) = try await client.ask(.resumeData(id)) else {
      preconditionFailure("resume data was asked for")
    }
    return record
  }

  /// A stream of states, the current one first. A slow consumer gets only the latest. The stream ends at once if a
  /// condition is beyond `Condition.Limits`; while the engine is suspended it shows nothing.
  ///
  /// - Parameters:
  ///   - query: The parts to include.
  ///   - interval: The minimum time between two states, in seconds; within `Observation.intervals`.
  public func states(_ query: SnapshotQuery = .init(), interval: Double = 0.25) -> AsyncStream<Snapshot> {
    states(query, interval: interval) { $0 }
  }

  /// A stream of the downloads: a page of them, with counts and totals of all.
  public func downloads(_ query: DownloadsQuery = .init(), interval: Double = 0.25) -> AsyncStream<DownloadsSnapshot> {
    states(SnapshotQuery(stores: [.downloads], downloads: query), interval: interval) { $0.downloads }
  }

  /// A stream of the feeds: a page of them.
  public func feeds(_ query: FeedsQuery = .init(), interval: Double = 0.25) -> AsyncStream<FeedsSnapshot> {
    states(SnapshotQuery(stores: [.feeds], feeds: query), interval: interval) { $0.feeds }
  }

  /// A stream of the episodes: a page of them.
  public func episodes(_ query: EpisodesQuery = .init(), interval: Double = 0.25) -> AsyncStream<EpisodesSnapshot> {
    states(SnapshotQuery(stores: [.episodes], episodes: query), interval: interval) { $0.episodes }
  }

  /// A stream of the filters: which are active, and how much each would show.
  public func filters(interval: Double = 0.25) -> AsyncStream<FiltersSnapshot> {
    states(SnapshotQuery(stores: [.filters]), interval: interval) { $0.filters }
  }

  /// A stream of the settings, each with the value that counts.
  public func settings(interval: Double = 0.25) -> AsyncStream<Settings> {
    states(SnapshotQuery(stores: [.settings]), interval: interval) { $0.settings }
  }

  /// A stream of the sessions, in the order of their ids.
  public func sessions(interval: Double = 0.25) -> AsyncStream<[Session]> {
    states(SnapshotQuery(stores: [.sessions]), interval: interval) { $0.sessions }
  }

  /// A stream of the network's state.
  public func network(interval: Double = 0.25) -> AsyncStream<NetworkState> {
    states(SnapshotQuery(stores: [.network]), interval: interval) { $0.network }
  }

  /// A stream of the cleanup's state.
  public func cleanup(interval: Double = 0.25) -> AsyncStream<CleanupSnapshot> {
    states(SnapshotQuery(stores: [.cleanup]), interval: interval) { $0.cleanup }
  }

  func states<State: Hashable & Sendable>(
    _ query: SnapshotQuery, interval: Double, _ part: @escaping @Sendable (Snapshot) -> State?
  ) -> AsyncStream<State> {
    let (stream, continuation) = AsyncStream.makeStream(of: State.self, bufferingPolicy: .bufferingNewest(1))
    let last = LastValue<State>()
    let end = engine.observe(
      query, interval: interval,
      onEnd: { continuation.finish() },
      // The engine goes on as long as one of its streams is read.
      deliver: { moment in
        withExtendedLifetime(self) {
          guard let state = part(moment.snapshot), last.replace(with: state) else { return }
          continuation.yield(state)
        }
      })
    continuation.onTermination = { _ in end() }
    return stream
  }
}

/// The last value of a stream: equal values are not repeated.
private final class LastValue<Value: Hashable & Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)

  /// Returns whether the new value differs.
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
