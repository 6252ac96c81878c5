import Dispatch
import EngineRuntime
import Flux
import Logging
import PodfluxCore
import Synchronization
import Transfers

/// What is looked after once a day outside the tables: the quarantine, the certificate authorities, the room that is
/// set aside for the database, and which folders are still there. On a queue of its own, behind all other work.
final class UpkeepService: Sendable {
  private let files: LibraryFiles
  private let transfers: TransferService
  private let now: @Sendable () -> ClockReading
  private let logger: Logger
  private let post: @Sendable (Action) -> Void
  private let queue = DispatchQueue(label: "podflux.upkeep", qos: .background)
  private let isEnding = Atomic(false)

  init(
    files: LibraryFiles, transfers: TransferService, now: @escaping @Sendable () -> ClockReading, logger: Logger,
    post: @escaping @Sendable (Action) -> Void
  ) {
    self.files = files
    self.transfers = transfers
    self.now = now
    self.logger = logger
    self.post = post
  }

  /// Does the work of a new day, if one has begun, and posts which of the folders are gone.
  func runUpkeep(_ folders: [LibraryPath], _ day: DailyUpkeep?) {
    queue.async { [self] in
      if let day {
        emptyQuarantine(day)
        renewAuthorities()
        RecordsRoom(files.library, logger: logger).setAside()
      }
      guard goesOn() else { return }
      post(.upkeepDone(gone: goneOf(folders)))
    }
  }

  /// Returns when nothing is under way any more; what is left is done the next time.
  func shutDown() {
    isEnding.store(true, ordering: .relaxed)
    queue.sync {}
  }

  private func goesOn() -> Bool { !isEnding.load(ordering: .relaxed) }

  private func emptyQuarantine(_ day: DailyUpkeep) {
    do throws(FileSystemFailure) {
      let deleted = try files.emptyQuarantine(day, at: now().wall, while: goesOn)
      guard deleted.files > 0 else { return }
      logger.info(
        "files have been in quarantine for long enough and are deleted",
        metadata: ["files": "\(deleted.files)", "bytes": "\(deleted.bytes)"])
    } catch {
      logger.warning(
        "what has been in quarantine for long enough cannot be deleted; it is tried again tomorrow",
        metadata: ["reason": "\(error)"])
    }
  }

  private func renewAuthorities() {
    do {
      try transfers.renewAuthorities()
    } catch {
      logger.warning(
        "the system's certificate authorities cannot be read anew; those of yesterday count",
        metadata: ["reason": "\(error)"])
    }
  }

  private func goneOf(_ folders: [LibraryPath]) -> [LibraryPath] {
    do throws(FileSystemFailure) {
      return try files.goneFolders(of: folders)
    } catch {
      logger.warning("the library's folders cannot be looked at", metadata: ["reason": "\(error)"])
      return []
    }
  }
}
