import EngineRuntime
import Flux
import Logging
import Persistence
import PodfluxCore
import Transfers
import Vault
import WireProtocol

/// The time for which an engine holds its library: from the opening until it is given up, because the engine ends or is
/// suspended. What stores remember in memory lives as long.
final class LibrarySession: EngineSession, @unchecked Sendable {
  // `@unchecked`: used on the queue of turns only.

  let library: OpenLibrary
  /// Where secrets are kept while the library is held.
  let vault: any SecretVault
  var dispatcher: Dispatcher<Stores>
  /// Shows observers the state while the library is held.
  var observers: Observers?
  /// Called before the library is given up: nothing is kept any more when it returns.
  var onClosing: (() -> Void)?
  /// Called when the library has been given up.
  var onClosed: (() -> Void)?
  /// Measures for `EngineConfiguration.metrics`; nil without a backend.
  let meter: EngineMeter?
  private let services: Services
  /// The seed of all random draws of the stores.
  private let seed: UInt64
  private let mayCleanUp: Bool
  private let mayDownload: Bool
  private let mayDeleteOwed: Bool
  private let ledger: SQLLedger
  private let journal: Journal?
  private let logger: Logger

  /// Opens the library; nothing runs yet.
  ///
  /// - Parameters:
  ///   - memory: The vault that is used in the place of the library's own.
  ///   - key: What seals the library's own vault; nil if it is not sealed.
  /// - Throws: `EngineError`. Nothing has been changed then.
  init(
    _ configuration: EngineConfiguration, journal: Journal?, memory: MemoryVault?, key: VaultKey?,
    post: @escaping @Sendable (Action) -> Void
  ) throws {
    // Before the library is touched: wrong usage changes nothing.
    let authorities = try configuration.authorities()
    library = try OpenLibrary(configuration)
    if let memory {
      vault = memory
    } else {
      vault = try configuration.secrets.openVault(in: library.folder.statePath, key: key)
    }
    logger = configuration.logger
    self.journal = journal
    seed = .random(in: .min ... .max)
    let ledger = library.database.ledger()
    let meter = configuration.metrics.map { EngineMeter($0) }
    (self.ledger, self.meter) = (ledger, meter)
    (mayCleanUp, mayDownload) = (configuration.cleansOnStart, configuration.startsDownloads)
    mayDeleteOwed = configuration.deletesOwed
    dispatcher = try library.dispatcher(
      on: meter.map { MeasuredLedger(ledger, meter: $0) } ?? ledger, seed: seed, journal: journal)
    services = try Services(
      library: library, vault: vault, authorities: authorities, links: configuration.links,
      requestDelays: configuration.requestDelays, logger: configuration.logger, post: post)
  }

  /// The stores' state, and the version of the counts.
  var stores: (stores: Stores, countsVersion: Int) { (dispatcher.state, ledger.countsVersion) }

  // MARK: EngineSession

  func prepare(reporting path: NetworkPath?) -> Recovery {
    journal?.begin(
      JournalLine.Engine(seed: seed, version: Engine.version, library: library.folder.path), at: stamp)
    return Recovery(
      published: library.published, detectedPath: services.initialPath, reportedPath: path,
      localTime: LocalClock.localTime(at: Services.clock().wall), mayCleanUp: mayCleanUp,
      mayDownload: mayDownload, mayDeleteOwed: mayDeleteOwed)
  }

  func beginToWork() {
    services.beginToWatch()
    observers?.attach(library)
  }

  func carryOut(_ effect: Effect) {
    services.carryOut(effect)
  }

  func makesRoom(after error: any Error) -> Bool {
    guard let failure = error as? StorageFailure, failure.isOfFullDisk else { return false }
    return RecordsRoom(library.folder, logger: logger).giveUp()
  }

  /// Looks at a feed; completes once, on any thread.
  func preview(_ wish: FeedPreview.Wish, _ completion: @escaping PreviewService.Completion) {
    do throws(Refusal) {
      services.preview(try dispatcher.state.refresh(previewing: wish, at: Services.clock().wall), completion)
    } catch {
      completion(.failure(error))
    }
  }

  /// Reads the gauges, if there are any.
  func readGauges() {
    guard let meter else { return }
    do {
      try library.database.read { tables in
        meter.show(try tables.visibleStates(dispatcher.state.downloads.obstacles))
        meter.show(feeds: try tables.feedCount(), episodes: try tables.episodeCount())
      }
      meter.show(freeBytes: try library.files.availableBytes())
    } catch {
      logger.error("the metrics cannot be read", metadata: ["reason": "\(error)"])
    }
  }

  func close() -> [DownloadState.Kind: Int] {
    onClosing?()
    observers?.detach()
    readGauges()
    let remaining = remaining
    journal?.end(at: stamp)
    services.shutDown()
    do {
      try library.close(logger: logger)
    } catch {
      logger.error("the library's database was not closed", metadata: ["reason": "\(error)"])
    }
    onClosed?()
    return remaining
  }

  /// How many downloads are in each state, as clients see it. What a full disk keeps from being read is as memory has
  /// it: there what would wait is queued.
  private var remaining: [DownloadState.Kind: Int] {
    let downloads = dispatcher.state.downloads
    do {
      return try library.database.read { try $0.visibleCounts(downloads.obstacles) }
    } catch {
      return downloads.counts
    }
  }

  private var stamp: LineStamp { LineStamp(dispatcher.position, time: Services.clock().wall) }
}
