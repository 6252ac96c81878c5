import EngineRuntime
import PodfluxCore
import Testing

/// A process was continued while the engine was being suspended, and told to stop before it had been. The engine gave the
/// library up, answered the suspension, and ended; the resumption was never answered, and a program that awaited it hung.
@Suite("Regression: resumed, then stopped while a suspension is under way")
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
