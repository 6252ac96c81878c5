import PodfluxCore
import Testing

@Suite("The checkpoint meter")
struct CheckpointMeterTests {
  @Test("A new file's version is announced first; then a sync is due after enough bytes or time")
  func newFile() {
    var meter = CheckpointMeter()
    meter.begin(at: 0, milliseconds: 0)
    #expect(meter.decision(at: 1, milliseconds: 1) == .announce)
    #expect(meter.decision(at: 2, milliseconds: 2) == .none)
    #expect(meter.decision(at: WritePolicy.checkpointBytes - 1, milliseconds: 3) == .none)
    #expect(meter.decision(at: WritePolicy.checkpointBytes, milliseconds: 4) == .synchronize)
    #expect(meter.decision(at: WritePolicy.checkpointBytes + 1, milliseconds: 5) == .none)
    #expect(
      meter.decision(at: WritePolicy.checkpointBytes + 1, milliseconds: 4 + WritePolicy.checkpointMilliseconds)
        == .synchronize)
  }

  @Test("Nothing is due for a file that has not grown, after any time")
  func still() {
    var meter = CheckpointMeter()
    meter.begin(at: 100, milliseconds: 0)
    #expect(meter.decision(at: 100, milliseconds: 10 * WritePolicy.checkpointMilliseconds) == .none)
  }

  /// Seed 7 of the simulator: a server sent the whole file again. Checkpoints counted from the old length, so that none
  /// was made before the new version was longer.
  @Test("After a truncation checkpoints count from there, not from the former version's length")
  func cut() {
    var meter = CheckpointMeter()
    let former = 3 * WritePolicy.checkpointBytes
    meter.begin(at: former, milliseconds: 0)
    meter.begin(at: 1_000, milliseconds: 0)
    #expect(meter.decision(at: 1_000 + WritePolicy.checkpointBytes - 1, milliseconds: 1) == .none)
    #expect(meter.decision(at: 1_000 + WritePolicy.checkpointBytes, milliseconds: 1) == .synchronize)
  }
}
