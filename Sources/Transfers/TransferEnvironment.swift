import EngineRuntime
import Flux
import PodfluxCore

/// The objects that all attempts of an engine share.
struct TransferEnvironment: Sendable {
  let driver: CurlDriver
  /// Memory for received bytes.
  let memory = BlockPool()
  /// The queues for file work that a user waits for.
  let userDiskQueues = DiskQueues(label: "podflux.files.user", qos: .default)
  /// The queues for other file work.
  let otherDiskQueues = DiskQueues(label: "podflux.files", qos: .utility)
  /// The queues for syncs beside file work.
  let syncQueues = DiskQueues(label: "podflux.syncs", qos: .utility)
  let files: any AttemptFiles
  /// The current limits of all attempts, and whether they may still change files.
  let surroundings = CurrentSurroundings()
  /// What attempts have fetched for their tags, and sidecars are about to want.
  let gathered = SharedGatheredFiles()
  /// Identifies the machine's current boot.
  let bootID: String
  /// Reads both clocks.
  let readClock: @Sendable () -> ClockReading
  /// Receives the attempts' reports; called from any thread, never blocks.
  let report: @Sendable (AttemptReport) -> Void
}
