import Dispatch
import EngineRuntime
import FileStore
import Flux
import Foundation
import Logging
import PodfluxCore
import Reachability
import Transfers

/// Carries effects out: transfers, deletions, verifications, cleanups, sidecars. It posts as facts what they find out.
final class Services: Sendable {
  /// The name, in the engine's folder, of the file of all certificate authorities.
  private static let authorityBundleName = "authorities.pem"

  private let transfers: TransferService
  private let refreshes: RefreshService
  private let episodes: LibraryEpisodes
  private let previews: PreviewService
  private let sidecars: SidecarService<LibraryFiles>
  private let sessions: SessionService
  private let verifications: VerificationService
  private let cleanup: CleanupService
  private let upkeep: UpkeepService
  private let files: LibraryFiles
  private let fileQueue = DispatchQueue(label: "podflux.files", qos: .utility)
  private let logger: Logger
  private let post: @Sendable (Action) -> Void
  private let paths: PathMonitor?
  private let room: SpaceWatch

  init(
    library: OpenLibrary, vault: any SecretVault, authorities: CertificateAuthorities?, links: LinkOverrides,
    requestDelays: RequestDelays, logger: Logger,
    post: @escaping @Sendable (Action) -> Void
  ) throws(EngineError) {
    let bootID = try Self.bootID()
    files = library.files
    self.logger = logger
    self.post = post
    room = SpaceWatch(library.folder) { post(.roomCame($0)) }
    let paths = Self.pathMonitor(links, logger: logger, post: post)
    self.paths = paths
    let postAfterPath: @Sendable (Action) -> Void = { fact in fact.post(through: post) { paths?.catchUp() } }
    verifications = VerificationService(files: library.files, logger: logger, post: post)
    cleanup = CleanupService(
      files: library.files, database: library.database, bootID: bootID, now: Self.clock, post: post)
    do {
      transfers = try TransferService(
        files: library.files, authorities: authorities,
        authorityBundlePath: library.folder.statePath + "/" + Self.authorityBundleName,
        chooseDevice: { address, device in
          guard let paths else { return device }
          return paths.device(towards: address, insteadOf: device)
        },
        delays: requestDelays, bootID: bootID, readClock: Self.clock
      ) { postAfterPath(.attempt($0)) }
    } catch {
      throw .cannotStart("\(error)")
    }
    episodes = LibraryEpisodes(library.database)
    refreshes = RefreshService(transfers: transfers, rows: episodes, readClock: Self.clock) {
      postAfterPath(.refresh($0))
    }
    previews = PreviewService(transfers: transfers, readClock: Self.clock)
    sidecars = SidecarService(transfers: transfers, files: library.files, readClock: Self.clock) {
      postAfterPath(.sidecar($0))
    }
    sessions = SessionService(
      transfers: transfers, vault: vault, readClock: Self.clock, post: { post(.session($0)) },
      failed: { failure in
        switch failure {
        case .deleting(let reason):
          logger.warning("a secret cannot be deleted; the next start tries again", metadata: ["reason": "\(reason)"])
        case .writing(let reason):
          logger.warning(
            "a new token cannot be written; it is in use, and lost if the engine ends before it can be",
            metadata: ["reason": "\(reason)"])
        }
      })
    upkeep = UpkeepService(
      files: library.files, transfers: transfers, now: Self.clock, logger: logger, post: post)
  }

  /// Carries an effect out, or begins to. Not for those that `EngineLoop` carries out itself.
  func carryOut(_ effect: Effect) {
    switch effect {
    case .start(let attempt): transfers.start(attempt)
    case .stop(let attempt): transfers.stop(attempt)
    case .leaveParts(let parts, let attempt): transfers.leave(parts, of: attempt)
    case .proceed(let attempt): transfers.proceed(attempt)
    case .refreshFeed(let refresh): refreshes.start(refresh)
    case .proceedRefresh(let id): refreshes.proceed(id)
    case .stopRefresh(let id): refreshes.stop(id)
    case .sidecar(let order): sidecars.carryOut(order)
    case .session(let order): sessions.carryOut(order)
    case .verify(let verification): verifications.start(verification)
    case .delete(let deletion): fileQueue.async { self.delete(deletion) }
    case .startSurvey(let run, let days): cleanup.startSurvey(run, quarantineDays: days)
    case .nextSurveyPage(let run): cleanup.nextPage(run)
    case .cancelSurvey(let run): cleanup.cancelSurvey(run)
    case .cleanUp(let step): cleanup.cleanUp(step)
    case .limit(let limits): transfers.limit(limits)
    case .leaveNetworkPath: transfers.leaveNetworkPath()
    case .watchRoom(let bytes): room.watch(atLeast: bytes)
    case .readLocalTime: post(.localTime(LocalClock.localTime(at: Self.clock().wall)))
    case .runUpkeep(let folders, let day): upkeep.runUpkeep(folders, day)
    case .wake, .announce, .tell, .close: preconditionFailure("\(effect) is the loop's own")
    }
  }

  /// Looks at a feed; completes once, on any thread.
  func preview(_ refresh: FeedRefresh, _ completion: @escaping PreviewService.Completion) {
    guard refresh.feed.wishes.rules != .none else { return previews.start(refresh, completion) }
    let rules = RulesPreview(of: refresh.feed, at: Self.clock().wall)
    previews.start(refresh, found: rules.receive) { completion($0.flatMap(rules.counted)) }
  }

  /// The path as it was when the services began; nil where it cannot be read.
  var initialPath: NetworkPath? { paths?.initial }

  /// Tells from now on how the path changes.
  func beginToWatch() {
    paths?.start()
  }

  private static func pathMonitor(
    _ links: LinkOverrides, logger: Logger, post: @escaping @Sendable (Action) -> Void
  ) -> PathMonitor? {
    do {
      return try PathMonitor(overrides: links) { post(.networkPath($0)) }
    } catch {
      logger.warning(
        "the path to the network cannot be followed and is taken for an unmetered one; say with network/report what it is",
        metadata: ["reason": "\(error)"])
      return nil
    }
  }

  func shutDown() {
    paths?.stop()
    room.watch(atLeast: nil)
    cleanup.shutDown()
    verifications.shutDown()
    upkeep.shutDown()
    sidecars.shutDown()
    sessions.stop()
    transfers.shutDown()
    sessions.shutDown()
    episodes.close()
    // A deletion under way ends before the library is given up.
    fileQueue.sync {}
  }

  private func delete(_ deletion: Deletion) {
    do {
      try files.delete(deletion, at: Self.clock().wall)
      post(.deleted(deletion.key))
    } catch {
      logger.warning(
        "a removed download's file cannot be deleted, or a damaged one moved; it is tried again tomorrow, or at the next start",
        metadata: ["reason": "\(error)"])
      post(.notDeleted(deletion.key, because: "\(error)"))
    }
  }

  /// Reads both clocks.
  static func clock() -> ClockReading {
    var wall = timespec()
    var monotonic = timespec()
    clock_gettime(CLOCK_REALTIME, &wall)
    clock_gettime(CLOCK_BOOTTIME, &monotonic)
    return ClockReading(
      wall: Timestamp(milliseconds: wall.milliseconds), monotonicMilliseconds: monotonic.milliseconds)
  }

  /// The machine's present boot.
  static func bootID() throws(EngineError) -> String {
    do {
      return try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        .trimmingCharacters(in: .whitespacesAndNewlines)
    } catch {
      throw .cannotStart("the machine's boot cannot be told: \(error)")
    }
  }
}

extension timespec {
  fileprivate var milliseconds: Int64 { Int64(tv_sec) * 1000 + Int64(tv_nsec) / 1_000_000 }
}
