import EngineRuntime
import Flux
import PodfluxCore

/// What all attempts of an engine share.
struct TransferEnvironment: Sendable {
  /// The one curl thread.
  let driver: CurlDriver
  /// Memory for what arrives.
  let memory = BlockPool()
  /// Where file work is done that a person waits for.
  let userDiskQueues = DiskQueues(label: "podflux.files.user", qos: .userInitiated)
  /// Where other file work is done.
  let otherDiskQueues = DiskQueues(label: "podflux.files", qos: .utility)
  /// The library's files.
  let files: any AttemptFiles
  /// What all attempts keep to, as it is now.
  let surroundings = CurrentSurroundings()
  /// The machine's current boot.
  let bootID: String
  /// The clocks.
  let readClock: @Sendable () -> ClockReading
  /// Where attempts report; called from any thread, never blocks.
  let report: @Sendable (AttemptReport) -> Void
}
