import Observation
import PodfluxCore
import Synchronization
import Testing

@testable import PodfluxEngine

@Suite("The state for views")
struct ObservableStateTests {
  /// A view that observed anew in between kept the old value for ever.
  @Test("An observer that reads when it is told of a change reads the new value")
  func order() {
    func snapshot(_ number: Int) -> Snapshot {
      var settings = Settings()
      settings.maxConcurrent = number
      return Snapshot(revision: Int64(number), settings: settings)
    }
    let state = ObservableState(snapshot(1))
    let seen = Mutex<Int?>(nil)
    withObservationTracking {
      _ = state.settings
    } onChange: {
      seen.withLock { $0 = state.settings?.maxConcurrent }
    }
    state.update(ObservedMoment(snapshot: snapshot(2), live: [:], time: Timestamp(milliseconds: 0)))
    #expect(seen.withLock { $0 } == 2)
  }
}
