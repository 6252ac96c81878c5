import Flux
import Foundation
import PodfluxCore
import Synchronization

/// Carries out attempts: each is a `DownloadOperation` on one `OperationQueue`, all of them on one curl thread.
///
/// Only admitted downloads come here, so the queue holds what runs and nothing else. Every call is thread safe, returns
/// at once and may be repeated.
public final class TransferService: Sendable {
  private let environment: TransferEnvironment
  private let operations = OperationQueue()
  private let running = Mutex<[AttemptID: DownloadOperation]>([:])

  /// Starts the curl thread.
  ///
  /// - Parameters:
  ///   - files: The library's files.
  ///   - authorities: Whom to trust beside the system's certificate authorities.
  ///   - authorityBundlePath: Where the file of all authorities is to lie; written anew where some are added, otherwise
  ///     removed.
  ///   - bootID: Names the machine's current boot.
  ///   - readClock: Reads both clocks.
  ///   - report: Hears what attempts tell; called from any thread, must not block.
  /// - Throws: where the machine refuses a thread, libcurl, or the file of all authorities.
  public init(
    files: any AttemptFiles, authorities: CertificateAuthorities?, authorityBundlePath: String, bootID: String,
    readClock: @escaping @Sendable () -> ClockReading, report: @escaping @Sendable (AttemptReport) -> Void
  ) throws {
    let driver = try CurlDriver(
      configuration: .init(addedAuthorities: authorities, bundlePath: authorityBundlePath))
    environment = TransferEnvironment(
      driver: driver, files: files, bootID: bootID, readClock: readClock, report: report)
    // Admission is the store's: whatever comes here runs.
    operations.maxConcurrentOperationCount = Settings.Limits.maxConcurrent.upperBound
  }

  /// Starts an attempt; one that has been started already is left alone.
  public func start(_ attempt: Attempt) {
    let operation = running.withLock { running -> DownloadOperation? in
      guard running[attempt.id] == nil else { return nil }
      let operation = DownloadOperation(attempt, in: environment) { [weak self] id in
        self?.running.withLock { $0[id] = nil }
      }
      running[attempt.id] = operation
      return operation
    }
    if let operation { operations.addOperation(operation) }
  }

  /// Lets an attempt go on with what it announced.
  public func proceed(_ attempt: AttemptID) {
    running.withLock { $0[attempt] }?.proceed()
  }

  /// Ends an attempt; it keeps and reports what it has.
  public func stop(_ attempt: AttemptID) {
    running.withLock { $0[attempt] }?.stop()
  }

  /// From now on these limits count, also for attempts that run: the rate within some milliseconds, the reserve with the
  /// next write.
  public func limit(_ limits: TransferLimits) {
    environment.surroundings.set(limits)
    environment.driver.limit(bytesPerSecond: limits.bytesPerSecond)
  }

  /// The network path has changed. No attempt that is started from now on is given a connection of the old path, and those
  /// connections are shut down: what runs on them ends as if they had broken.
  public func leavePath() {
    environment.driver.leavePath()
  }

  /// Trusts the system's certificate authorities as they are now, beside those that were added. Connections that are open
  /// stay. Reads and perhaps writes some 200 KiB; to be called from one place at a time.
  ///
  /// - Throws: where they cannot be read, or their file not be written; then those that were trusted before still are.
  public func renewAuthorities() throws {
    try environment.driver.renewAuthorities()
  }

  /// Ends the curl thread. Call it when no attempt is alive; what is left is cut off, and changes no file any more but by
  /// what it is just doing.
  public func shutDown() {
    environment.surroundings.giveUpLibrary()
    environment.driver.shutDown()
  }
}
