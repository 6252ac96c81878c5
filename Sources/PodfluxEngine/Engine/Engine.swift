import CoreMetrics
import Dispatch
import EngineRuntime
import FileStore
import Flux
import Foundation
import Logging
import Persistence
import PodfluxCore
import Synchronization
import Transfers
import Tagging

/// A running Podflux: opens a library, takes requests, downloads, and stops without losing anything. `Podflux` is the
/// same with asynchronous methods; use an engine where several clients ask, as the program `podflux` does.
///
/// ```swift
/// let engine = try Engine(EngineConfiguration(libraryPath: "/srv/podcasts", logger: logger), owner: owner)
/// ```
///
/// Requests and facts meet in a mailbox; one serial queue drains it in batches, commits each as one transaction, and
/// only then answers and hands effects to the services. Every method is thread safe and returns at once. An engine that
/// is to end is told to `stop`; it is kept until `EngineOwner.closed` has been called.
package final class Engine: Sendable {
  /// Podflux's version.
  package static let version = "1.0.0"

  /// How many requests may wait to be handled; clients that send more are held up.
  static let requestCapacity = 65_536
  /// The most requests that one transaction commits. Rows come to random places of the indexes, so that a large batch
  /// writes each page once where small ones would write it again and again; this many take about 50 ms.
  static let batchSize = 2048
  private let core: EngineCore
  private let mailbox: EngineLoop.EngineMailbox
  private let turns: DispatchQueue

  /// Opens the library and begins to work.
  ///
  /// - Parameters:
  ///   - configuration: Which library, and how.
  ///   - owner: Hears of what concerns the engine as a whole.
  /// - Throws: `EngineError`. Nothing has been changed then.
  package init(_ configuration: EngineConfiguration, owner: any EngineOwner) throws {
    let turns = DispatchQueue(label: "podflux.turns", qos: .default)
    let drainer = Mutex(Drainer())
    let mailbox = EngineLoop.EngineMailbox(requestCapacity: Self.requestCapacity) {
      guard let core = drainer.withLock({ $0.core }) else { return }
      turns.async { core.step() }
    }
    let core = try EngineCore(
      configuration.withAbsolutePaths(), owner: owner, mailbox: mailbox, turns: turns)
    drainer.withLock { $0.core = core }
    self.core = core
    self.mailbox = mailbox
    self.turns = turns
    turns.async { core.begin() }
  }

  /// Connects a client: `EngineClient.connected` gives it the connection over which it asks.
  package func connect(_ client: any EngineClient) {
    let connection = EngineConnection(core.takeClientID(), mailbox: mailbox, core: core)
    turns.async { [core] in core.connect(client, over: connection) }
  }

  /// Ends the engine's work, now or when nothing can move any more. `EngineOwner.closed` tells when it has ended.
  package func stop(_ mode: StopMode, because cause: StopReason) {
    turns.async { [core] in core.loop.stop(mode, because: cause) }
  }

  /// Gives the library up until `resume`: transfers checkpoint and stop, the database is closed and no lock is held
  /// when the completion is called, at the latest after 2 s. Meanwhile every action is refused with `suspended`.
  ///
  /// `suspender` is who wants it. The engine stays suspended until each suspender has called `resume`.
  package func suspend(for suspender: Suspender = .client, _ completion: @escaping @Sendable (Response) -> Void) {
    turns.async { [core] in
      core.loop.suspend(for: suspender, answering: EngineRequest(.barrier, completion: completion))
    }
  }

  /// Takes the library again, and goes on with what was under way, unless the other suspender still wants it suspended:
  /// then it stays suspended, and a client is refused with `suspended`. Refused with `conflict` while another engine
  /// has the library.
  package func resume(for suspender: Suspender = .client, _ completion: @escaping @Sendable (Response) -> Void) {
    turns.async { [core] in
      core.loop.resume(for: suspender, answering: EngineRequest(.resume, completion: completion))
    }
  }

  /// Whether it has ended a drain although something could have moved still, since its database could not be written.
  package var hasGivenUp: Bool { core.hasGivenUp.load(ordering: .acquiring) }

  /// Whether it ends, or has ended, since nothing could move any more, and not since it was told to stop at once.
  package var isDraining: Bool { core.isDraining.load(ordering: .acquiring) }

  /// Tells, from the queue of turns, whether work is under way that is not to be broken off: files that are being
  /// deleted or moved, and tokens that are being asked for; and whether sidecars are being fetched.
  package func readWork(_ completion: @escaping @Sendable (_ isBusy: Bool, _ fetchesSidecars: Bool) -> Void) {
    turns.async { [core] in
      guard let stores = core.session?.stores.stores else { return completion(false, false) }
      completion(stores.owesFileWork || stores.isOpeningSession, stores.isFetchingSidecars)
    }
  }

  /// Calls back from the queue of turns. A watchdog that waits for it in vain knows that nothing is handled any more.
  package func isAlive(_ completion: @escaping @Sendable () -> Void) {
    turns.async(execute: completion)
  }

  /// Brings the gauges of `EngineConfiguration.metrics` up to date, and calls back from the queue of turns. While the
  /// engine is suspended they keep their last values.
  package func readGauges(_ completion: @escaping @Sendable () -> Void) {
    turns.async { [core, mailbox] in
      core.session?.meter?.show(mailboxRequests: mailbox.requestCount, clients: core.clients.count)
      core.session?.readGauges()
      completion()
    }
  }

  /// Shows an observer the state, first as it is and then as it changes.
  ///
  /// - Parameters:
  ///   - query: What to show.
  ///   - interval: How long changes are gathered at least, in seconds.
  ///   - onEnd: Called once, when there will be no more.
  ///   - deliver: Takes in a moment. Called one at a time, mostly on another queue than all else; while it does not
  ///     return no other observer is called. It must not wait for the engine.
  /// - Returns: what ends it.
  func observe(
    _ query: SnapshotQuery, interval: Double, onEnd: @escaping @Sendable () -> Void,
    deliver: @escaping @Sendable (ObservedMoment) -> Void
  ) -> @Sendable () -> Void {
    let token = ObservationToken()
    turns.async { [core] in
      token.value = core.observe(query, interval: interval, onEnd: onEnd, deliver: deliver)
    }
    return { [turns, core] in
      turns.async { if let value = token.value { core.endObserving(value) } }
    }
  }
}

/// What the mailbox wakes. It keeps no engine: the core holds the mailbox.
private struct Drainer {
  weak var core: EngineCore?
}

/// The name of an observation, once the engine's queue has begun it.
private final class ObservationToken: @unchecked Sendable {
  // `@unchecked`: it is touched on the queue of turns only.
  var value: Observers.Token?
}

/// Which library an engine opens, and how. All but the library's path have defaults. Relative paths are of the working
/// directory at the start.
///
/// ```swift
/// var configuration = EngineConfiguration(libraryPath: "/srv/podcasts")
/// configuration.startsDownloads = false
/// ```
public struct EngineConfiguration: Sendable {
  /// The library's folder, a path and no URL; made if it is missing.
  public var libraryPath: String
  /// The folder of the library's state, if that is not in the library itself: database, lock and partial files. Made if
  /// it is missing; it belongs to this library from then on. nil for the one that the library has noted down, or its
  /// own.
  public var statePath: String?
  /// A PEM file of certificate authorities to trust beside the system's.
  public var certificateAuthorityFile: String?
  /// Where every committed action is written down; nil for nowhere.
  public var journal: JournalConfiguration?
  /// What the path to the network is; nil if the engine is to find out.
  public var reportedPath: NetworkPath?
  /// Whether rows and files are compared when the engine begins, if the setting `cleanupOnStart` says so. A program
  /// that is to compare them by itself leaves it out: what it asks for may come too late otherwise.
  public var cleansOnStart = true
  /// Whether downloads are started. They stay queued otherwise: a program that gives them files which are there already
  /// must not be overtaken.
  public var startsDownloads = true
  /// Whether rules delete what they owed when the last engine ended, such as episodes whose days are over. A program
  /// that only looks around leaves that to another engine.
  public var deletesOwed = true
  /// For how long after the start nothing begins that asks servers.
  public var requestDelays = RequestDelays()
  /// How links are classified where what the kernel says is not enough.
  public var links: LinkOverrides
  /// Where what is measured goes (`EngineMetric`); nil measures nothing, and costs nothing.
  public var metrics: (any MetricsFactory)?
  /// Takes a line of JSON about each download that is completed, once that is durable: its item as in snapshots, with
  /// the `episode`, the `feed`, and the `library` to which its `path` is relative. Called on the engine's queue, and
  /// must not block. nil for none.
  public var onCompletion: (@Sendable ([UInt8]) -> Void)?
  /// The program that tags files, where the setting `tags` asks for it; nil for none, and no tags. It must call
  /// `TaggingWorker.run()` at its start.
  public var tagger: Tagger.Program?
  /// Where the secrets of sessions are kept.
  public var secrets = SecretsConfiguration()
  /// Where logs go: by default where the program's `LoggingSystem` sends them, or else stderr.
  public var logger: Logger

  /// Makes a configuration.
  public init(
    libraryPath: String, statePath: String? = nil, certificateAuthorityFile: String? = nil,
    journal: JournalConfiguration? = nil,
    reportedPath: NetworkPath? = nil, links: LinkOverrides = .init(), metrics: (any MetricsFactory)? = nil,
    logger: Logger = Logger(label: "podflux")
  ) {
    self.libraryPath = libraryPath
    self.statePath = statePath
    self.journal = journal
    self.reportedPath = reportedPath
    self.links = links
    self.metrics = metrics
    self.certificateAuthorityFile = certificateAuthorityFile
    self.logger = logger
  }

  /// Reads the file of certificate authorities; nil if there is none.
  func authorities() throws(EngineError) -> CertificateAuthorities? {
    guard let certificateAuthorityFile else { return nil }
    do {
      return try CertificateAuthorities(contentsOfFile: certificateAuthorityFile)
    } catch {
      throw .unusableAuthorities("\(error)")
    }
  }
}

/// Why an engine cannot start, or a library cannot be read. Nothing has been changed. Its `description` is one sentence
/// for people:
///
/// ```swift
/// do { _ = try await Podflux.open(library: folder) } catch let error as EngineError { print(error.description) }
/// ```
public enum EngineError: Error, CustomStringConvertible {
  /// Another engine holds the library; its process, where known.
  case libraryInUse(byProcess: Int32?)
  /// The library cannot be read, or was written by a newer version.
  case unreadableLibrary(String)
  /// The file of certificate authorities cannot be read, or has none.
  case unusableAuthorities(String)
  /// The key that seals secrets cannot be read, or is none.
  case unusableKey(String)
  /// The journal cannot be written where it is wanted.
  case unusableJournal(String)
  /// The machine refuses something that an engine needs.
  case cannotStart(String)

  /// One sentence for people.
  public var description: String {
    switch self {
    case .libraryInUse(let process):
      "another engine\(process.map { " (process \($0))" } ?? "") holds this library; stop it or choose another folder"
    case .unreadableLibrary(let reason), .unusableAuthorities(let reason), .unusableKey(let reason),
      .unusableJournal(let reason):
      reason
    case .cannotStart(let reason): "the engine cannot start: \(reason)"
    }
  }
}
