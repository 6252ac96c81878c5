import Flux
import Foundation
import PodfluxCore
import Synchronization

/// Runs attempts: each is a `DownloadOperation` on one `OperationQueue`, all of them on one curl thread.
///
/// Only admitted downloads come here, so the queue holds only running attempts. Every call is thread safe, returns at
/// once and may be repeated.
package final class TransferService: Sendable {
  private let environment: TransferEnvironment
  private let operations = OperationQueue()
  /// What downloads and sidecars pass before they begin.
  let gate: StartGate
  /// Keeps refreshes back for a while after the engine's start.
  let refreshGate: StartGate
  private let running = Mutex<[AttemptID: DownloadOperation]>([:])

  /// Starts the curl thread.
  ///
  /// - Parameters:
  ///   - files: The library's files.
  ///   - authorities: Authorities to trust in addition to the system's.
  ///   - authorityBundlePath: The path for the file of all authorities; written if some are added, otherwise removed.
  ///   - chooseDevice: To which device a connection is bound that may use unmetered links only.
  ///   - delays: For how long nothing begins.
  ///   - bootID: Identifies the machine's current boot.
  ///   - readClock: Reads both clocks.
  ///   - report: Receives the attempts' reports; called from any thread, must not block.
  /// - Throws: If the system refuses a thread, libcurl, or the file of all authorities.
  package init(
    files: any AttemptFiles, authorities: CertificateAuthorities?, authorityBundlePath: String,
    chooseDevice: @escaping DeviceChoice = { $1 }, delays: RequestDelays = .init(), bootID: String,
    readClock: @escaping @Sendable () -> ClockReading, report: @escaping @Sendable (AttemptReport) -> Void
  ) throws {
    var configuration = CurlDriver.Configuration(addedAuthorities: authorities, bundlePath: authorityBundlePath)
    configuration.chooseDevice = chooseDevice
    let driver = try CurlDriver(configuration: configuration)
    environment = TransferEnvironment(
      driver: driver, files: files, bootID: bootID, readClock: readClock, report: report)
    gate = StartGate(openingAfter: delays.downloads)
    refreshGate = StartGate(openingAfter: delays.refreshes)
    // The store decides on admission: every attempt that comes here runs, those included that publish.
    operations.maxConcurrentOperationCount = .max
  }

  /// The curl thread, which refreshes share.
  var driver: CurlDriver { environment.driver }
  var gathered: SharedGatheredFiles { environment.gathered }

  /// Starts an attempt; does nothing if it was started already.
  package func start(_ attempt: Attempt) {
    let operation = running.withLock { running -> DownloadOperation? in
      guard running[attempt.id] == nil else { return nil }
      let operation = DownloadOperation(attempt, in: environment) { [weak self] id in
        self?.running.withLock { $0[id] = nil }
      }
      running[attempt.id] = operation
      return operation
    }
    if let operation { gate.add(operation, to: operations) }
  }

  /// Lets an attempt continue with the step that it announced.
  package func proceed(_ attempt: AttemptID) {
    running.withLock { $0[attempt] }?.proceed()
  }

  /// Has an attempt go on without parts of what its file's tags show.
  package func leave(_ parts: [TagMaterial.Part], of attempt: AttemptID) {
    running.withLock { $0[attempt] }?.leave(parts)
  }

  /// Stops an attempt; it keeps and reports its bytes.
  package func stop(_ attempt: AttemptID) {
    guard let operation = running.withLock({ $0[attempt] }) else { return }
    operation.stop()
    gate.letThrough(operation)
  }

  /// Sets the limits, also for running attempts: the rate within some milliseconds, the reserve with the next write.
  package func limit(_ limits: TransferLimits) {
    environment.surroundings.set(limits)
    environment.driver.limit(bytesPerSecond: limits.bytesPerSecond)
  }

  /// Leaves the network path. Attempts started from now on reuse no connection of the old path, and those connections
  /// are shut down: transfers on them end as if the connections had broken.
  package func leaveNetworkPath() {
    environment.driver.leaveNetworkPath()
  }

  /// Reads the system's certificate authorities again, in addition to the added ones. Open connections stay. Reads and
  /// perhaps writes some 200 KiB; one caller at a time.
  ///
  /// - Throws: If they cannot be read, or their file not be written; then the former ones stay trusted.
  package func renewAuthorities() throws {
    try environment.driver.renewAuthorities()
  }

  /// Ends the curl thread. Call it when no attempt is alive; it cuts off remaining ones, which change no more files
  /// after their current call.
  package func shutDown() {
    environment.surroundings.giveUpLibrary()
    environment.driver.shutDown()
  }
}
