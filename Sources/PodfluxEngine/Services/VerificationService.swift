import Dispatch
import EngineRuntime
import Logging
import PodfluxCore
import Synchronization

/// Reads completed files again, beside all other work and behind it. The store says how many at once.
final class VerificationService: Sendable {
  private let files: LibraryFiles
  private let queue = DispatchQueue(label: "podflux.verifications", qos: .utility, attributes: .concurrent)
  private let logger: Logger
  private let post: @Sendable (Action) -> Void
  private let isCancelled = Atomic(false)

  init(files: LibraryFiles, logger: Logger, post: @escaping @Sendable (Action) -> Void) {
    self.files = files
    self.logger = logger
    self.post = post
  }

  /// Begins to read. The verdict comes as a fact, unless the engine ends before.
  func start(_ verification: Verification) {
    queue.async { [self] in
      let verdict = files.verify(verification.file, finished: verification.finished) {
        isCancelled.load(ordering: .relaxed)
      }
      guard let verdict else { return }
      if case .unreadable(let reason) = verdict {
        logger.warning(
          "a completed file cannot be read; whether it is intact is not known", metadata: ["reason": "\(reason)"])
      }
      post(.verified(verification, verdict))
    }
  }

  /// Ends what is under way after the MiB that is being read; the next start takes it up again.
  func shutDown() {
    isCancelled.store(true, ordering: .relaxed)
    queue.sync(flags: .barrier) {}
  }
}
