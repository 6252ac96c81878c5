import EngineRuntime
import Flux
import Foundation
import Persistence
import PodfluxCore

/// Runs a survey to its end, over a database connection of its own.
final class SurveyOperation: Operation, @unchecked Sendable {
  // `@unchecked`: inherited from Operation; everything below is immutable.

  private let run: CleanupRun
  private let files: LibraryFiles
  private let database: LibraryDatabase
  private let bootID: String
  private let quarantineDays: Int
  private let now: @Sendable () -> ClockReading
  private let post: @Sendable (Action) -> Void
  private let ended: @Sendable ([CleanupStep], CleanupNews) -> Void

  init(
    _ run: CleanupRun, files: LibraryFiles, database: LibraryDatabase, bootID: String, quarantineDays: Int,
    now: @escaping @Sendable () -> ClockReading, post: @escaping @Sendable (Action) -> Void,
    ended: @escaping @Sendable ([CleanupStep], CleanupNews) -> Void
  ) {
    self.run = run
    self.files = files
    self.database = database
    self.bootID = bootID
    self.quarantineDays = quarantineDays
    self.now = now
    self.post = post
    self.ended = ended
    super.init()
    qualityOfService = .background
  }

  // The operation blocks on the disk only, and at most one runs at a time.
  override func main() {
    do {
      let reader = try database.reader()
      defer { try? reader.close() }
      let advance = run.survey(
        of: files, reader, quarantineDays: quarantineDays, bootID: bootID, now: { self.now().wall },
        isCancelled: { self.isCancelled }, report: { self.post(.surveyed(self.run.key, .progress($0))) })
      while !isCancelled {
        guard let ending = advance() else { continue }
        if case .ended(let steps, let news) = ending { ended(steps, news) }
        return
      }
    } catch {
      ended([], .failed("\(error)"))
    }
  }
}
