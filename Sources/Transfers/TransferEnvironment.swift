import Flux
import PodfluxCore

/// What all attempts of an engine share.
struct TransferEnvironment: Sendable {
  /// The one curl thread.
  let driver: CurlDriver
  /// Memory for what arrives.
  let pool = BlockPool()
  /// The library's files.
  let files: any AttemptFiles
  /// The machine's current boot.
  let bootID: String
  /// The clocks.
  let readClock: @Sendable () -> ClockReading
  /// Where attempts report; called from any thread, never blocks.
  let report: @Sendable (AttemptReport) -> Void
}
