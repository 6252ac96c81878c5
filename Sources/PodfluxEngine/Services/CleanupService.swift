import Flux
import Foundation
import Logging
import Persistence
import PodfluxCore
import Synchronization

/// Compares rows with files for cleaning up, and does what was decided with the files: on an operation queue of low
/// priority, beside all other work.
final class CleanupService: Sendable {
  /// How many steps are told at once: each of these messages is one turn, and turns are to stay short.
  private static let stepsAtOnce = 256

  private let files: LibraryFiles
  private let database: LibraryDatabase
  private let bootID: String
  private let now: @Sendable () -> ClockReading
  private let post: @Sendable (Action) -> Void
  private let operations = OperationQueue()
  private let current = Mutex<Current?>(nil)

  /// The run that is looked for, and what has been found and not been told.
  private struct Current {
    var run: CleanupRun.Key
    var operation: Operation
    var untold: ArraySlice<CleanupStep> = []
    var end: CleanupNews?
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

  /// Begins to look. What is found comes as facts, in portions.
  func startSurvey(_ run: CleanupRun, quarantineDays: Int) {
    let survey = SurveyOperation(
      run, files: files, database: database, bootID: bootID, quarantineDays: quarantineDays, now: now, post: post
    ) { [weak self] steps, end in
      self?.current.withLock { current in
        guard current?.run == run.key else { return }
        current?.untold = steps[...]
        current?.end = end
      }
      self?.nextPage(run.key)
    }
    let former = current.withLock { current in
      defer { current = Current(run: run.key, operation: survey) }
      return current?.operation
    }
    former?.cancel()
    operations.addOperation(survey)
  }

  /// What was told has been committed.
  func nextPage(_ run: CleanupRun.Key) {
    let news = current.withLock { current -> CleanupNews? in
      guard current?.run == run, let end = current?.end else { return nil }
      let portion = current?.untold.prefix(Self.stepsAtOnce) ?? []
      guard !portion.isEmpty else {
        current = nil
        return end
      }
      current?.untold.removeFirst(portion.count)
      return .found(Array(portion))
    }
    if let news { post(.surveyed(run, news)) }
  }

  /// Ends looking, if it still goes on.
  func cancelSurvey(_ run: CleanupRun.Key) {
    let operation = current.withLock { current -> Operation? in
      guard current?.run == run else { return nil }
      defer { current = nil }
      return current?.operation
    }
    operation?.cancel()
  }

  /// Does what a step says with the files.
  func cleanUp(_ step: CleanupStep) {
    operations.addOperation { [files, post, now] in
      post(.cleaned(step.key, files.carryOut(step, at: now().wall)))
    }
  }

  /// Ends what is under way; the next start takes it up again. A step that has begun is brought to its end.
  func shutDown() {
    operations.cancelAllOperations()
    operations.waitUntilAllOperationsAreFinished()
  }
}
