import EngineRuntime
import PodfluxCore
import Testing

/// A process was continued while the engine was being suspended, and then stopped before the suspension was complete.
/// The engine closed the library, answered the suspension, and ended; the resumption was never answered, and a program
/// that awaited it hung.
@Suite("Regression: resumed, then stopped during a suspension")
struct ResumedAndStoppedTests {
  @Test("The resumption is refused when the engine ends")
  func resumptionIsAnswered() {
    var lifecycle = EngineLifecycle<String>.working
    var answered: [String] = []
    for event in [
      .suspend(.process, "suspend"), .resume(.process, "resume"), .stopCalled(.now, .signal), .nothingLeft,
      .deliveryEnded,
    ] as [EngineLifecycle<String>.Event] {
      for case .answer(let requests, _) in lifecycle.handle(event) { answered += requests }
    }
    #expect(answered == ["suspend", "resume"])
    #expect(lifecycle == .closed(.signal, .complete))
  }
}
