import Dispatch
import Flux
import Logging
import Persistence
import PodfluxCore
import WireProtocol

/// The time for which an engine holds its library: from the opening until it is given up, because the engine ends or is
/// suspended. What stores remember in memory lives as long.
final class LibrarySession: @unchecked Sendable {
  // `@unchecked`: used on the queue of turns only.

  let library: OpenLibrary
  let services: Services
  /// What all random draws follow from.
  let seed: UInt64
  private let ledger: SQLLedger
  private let logger: Logger
  private(set) var dispatcher: Dispatcher<Stores>
  /// Facts of turns that could not be committed.
  var undelivered = UndeliveredFacts<Action>()
  /// Whether undelivered facts have a time at which they are tried again.
  var isRedeliverySet = false
  /// Whether the last turn could not be committed, which is told once.
  var isCommitFailing = false
  /// How often turns began to fail: names the present failure, if there is one.
  var commitFailures = 0
  /// The failure whose end a drain waits for.
  var watchedFailure: Int?
  /// Whether the stores have said that nothing is left to do.
  var isDone = false
  /// Whether attempts that are stopped have been given a moment by which they must have ended.
  var isDeadlineSet = false

  /// Opens the library; nothing runs yet.
  ///
  /// - Throws: `EngineError`. Nothing has been changed then.
  init(
    _ configuration: EngineConfiguration, journal: Journal?, turns: DispatchQueue,
    post: @escaping @Sendable (Action) -> Void
  ) throws {
    // Before the library is touched: wrong usage changes nothing.
    let authorities = try configuration.authorities()
    library = try OpenLibrary(configuration)
    logger = configuration.logger
    seed = .random(in: .min ... .max)
    ledger = library.database.ledger()
    dispatcher = try library.dispatcher(on: ledger, seed: seed, journal: journal)
    services = try Services(
      library: library, authorities: authorities, links: configuration.links, turns: turns,
      logger: configuration.logger, post: post)
  }

  /// The first fact of all: what the library and the machine look like.
  func recovery(reporting path: NetworkPath?) -> Action {
    .recovered(
      Recovery(
        published: library.published, detectedPath: services.initialPath, reportedPath: path,
        localTime: LocalClock.localTime(at: services.readClock().wall)))
  }

  /// Where the log stands.
  var position: LogPosition { dispatcher.position }

  /// What the stores hold, and the version of what is counted.
  var stores: (stores: Stores, countsVersion: Int) { (dispatcher.state, ledger.countsVersion) }

  /// How many downloads are in each state, as clients see it. What a full disk keeps from being read is as memory has it:
  /// there what would wait is queued.
  var remaining: [DownloadState.Kind: Int] {
    let downloads = dispatcher.state.downloads
    do {
      return try library.database.read { try $0.visibleCounts(downloads.obstacles) }
    } catch {
      return downloads.counts
    }
  }

  /// Handles actions and commits them.
  func dispatch(_ actions: [Action]) throws -> Dispatcher<Stores>.Turnout {
    try dispatcher.dispatch(actions, at: services.readClock())
  }

  /// Ends what is under way, and gives the library up: afterwards the process holds no lock on it and has no file of it
  /// open.
  func close() throws {
    services.shutDown()
    try library.close(logger: logger)
  }
}
