import EngineRuntime
import Flux
import Foundation
import Logging
import Persistence
import PodfluxCore
import Synchronization

/// Compares rows with files for cleaning up, and does what was decided with the files: on an operation queue of low
/// priority, beside all other work.
final class CleanupService: Sendable {
  private let files: LibraryFiles
  private let database: LibraryDatabase
  private let bootID: String
  private let now: @Sendable () -> ClockReading
  private let post: @Sendable (Action) -> Void
  private let operations = OperationQueue()
  private let current = Mutex(Current())
  private let isEnding = Atomic(false)

  /// The survey that is under way, and what the last one has found.
  private struct Current {
    var operation: Operation?
    var pages = SurveyPages()
  }

  init(
    files: LibraryFiles, database: LibraryDatabase, bootID: String, now: @escaping @Sendable () -> ClockReading,
    post: @escaping @Sendable (Action) -> Void
  ) {
    self.files = files
    self.database = database
    self.bootID = bootID
    self.now = now
    self.post = post
    operations.maxConcurrentOperationCount = 1
    operations.qualityOfService = .background
  }

  /// Begins a survey, and cancels any other. Its steps are posted page by page.
  func startSurvey(_ run: CleanupRun, quarantineDays: Int) {
    let survey = SurveyOperation(
      run, files: files, database: database, bootID: bootID, quarantineDays: quarantineDays, now: now, post: post
    ) { [weak self] steps, news in
      self?.current.withLock { $0.pages.end(run.key, with: steps, news) }
      self?.nextPage(run.key)
    }
    let former = current.withLock { current in
      defer { current.operation = survey }
      current.pages.begin(run.key)
      return current.operation
    }
    former?.cancel()
    operations.addOperation(survey)
  }

  /// Posts the run's next page: the one before has been committed.
  func nextPage(_ run: CleanupRun.Key) {
    let news = current.withLock { $0.pages.next(of: run) }
    if let news { post(.surveyed(run, news)) }
  }

  /// Ends the run's survey, if it is under way.
  func cancelSurvey(_ run: CleanupRun.Key) {
    let operation = current.withLock { current -> Operation? in
      guard current.pages.cancel(run) else { return nil }
      return current.operation
    }
    operation?.cancel()
  }

  /// Does what a step says with the files.
  func cleanUp(_ step: CleanupStep) {
    operations.addOperation { [self] in
      let outcome = files.carryOut(step, at: now().wall) { !isEnding.load(ordering: .relaxed) }
      post(.cleaned(step.key, outcome))
    }
  }

  /// Ends what is under way; the next start takes it up again. A step that has begun is brought to its end, but for the
  /// expired files of the quarantine, of which there may be many.
  func shutDown() {
    isEnding.store(true, ordering: .relaxed)
    operations.cancelAllOperations()
    operations.waitUntilAllOperationsAreFinished()
  }
}
