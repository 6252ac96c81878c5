import EngineRuntime
import Testing

@testable import Transfers

@Suite("StallDetector")
struct StallDetectorTests {
  /// A hop, watched at ticks of 250 ms.
  private struct Watch {
    var patience: StallDetector
    var now = SuspendingClock.now
    var isPaused = false
    var isConnected = true

    init(_ change: (inout HTTPRequest) -> Void = { _ in }) {
      var request = HTTPRequest("http://a.example/", firstByteTimeoutMilliseconds: 4000, stallTimeoutMilliseconds: 2000)
      request.connectTimeoutMilliseconds = 1000
      change(&request)
      patience = StallDetector(request, now: now)
    }

    /// The first failure within so many ticks, and at which of them; each brings so many bytes.
    mutating func tick(_ count: Int, bytes: Int? = nil) -> (tick: Int, reason: ExchangeFailure.Reason)? {
      for number in 1...count {
        if let bytes { patience.noteProgress(bytes: bytes) }
        now += .milliseconds(250)
        if let failure = patience.check(now: now, isPaused: isPaused, isConnected: isConnected) {
          return (number, failure.reason)
        }
      }
      return nil
    }
  }

  @Test("ends where another's connection is waited for, and none comes")
  func noConnection() {
    var watch = Watch()
    watch.isConnected = false
    let end = watch.tick(30)
    #expect(end?.tick == 20)
    #expect(end?.reason == .timeout)
  }

  @Test("gives the head its time, from the moment at which there was a connection")
  func head() {
    var watch = Watch()
    watch.isConnected = false
    #expect(watch.tick(10) == nil)
    watch.isConnected = true
    let end = watch.tick(30)
    #expect(end?.tick == 17)
    #expect(end?.reason == .stalled)
  }

  @Test("with a head does not grow by the bytes of a redirect")
  func redirect() {
    var watch = Watch()
    #expect(watch.tick(30, bytes: 0)?.reason == .stalled)
  }

  @Test("with silence begins anew at each byte, taken or not")
  func stall() {
    var watch = Watch()
    #expect(watch.tick(10) == nil)
    watch.patience.noteHead()
    #expect(watch.tick(8) == nil)
    #expect(watch.tick(100, bytes: 1) == nil)
    #expect(watch.tick(100, bytes: 0) == nil)
    let end = watch.tick(30)
    #expect(end?.tick == 8)
    #expect(end?.reason == .stalled)
  }

  @Test("does not run out in a pause")
  func pause() {
    var watch = Watch {
      $0.slowBytesPerSecond = 1000
      $0.slowWindowMilliseconds = 1000
    }
    watch.patience.noteHead()
    watch.isPaused = true
    #expect(watch.tick(100) == nil)
    watch.isPaused = false
    watch.patience.notePause()
    #expect(watch.tick(4) == nil)
    #expect(watch.tick(1)?.reason == .tooSlow)
  }

  @Test("wants the rate over the whole of each window, and no more than it")
  func rate() {
    var watch = Watch {
      $0.slowBytesPerSecond = 1000
      $0.slowWindowMilliseconds = 1000
    }
    #expect(watch.tick(10) == nil, "before the head there is no rate")
    watch.patience.noteHead()
    #expect(watch.tick(100, bytes: 250) == nil)
    #expect(watch.tick(1, bytes: 1000) == nil)
    #expect(watch.tick(3, bytes: 0) == nil, "one burst is enough for its window")
    let end = watch.tick(10, bytes: 249)
    #expect(end?.tick == 4)
    #expect(end?.reason == .tooSlow)
  }

  @Test("does not hold bytes between short pauses against the origin")
  func shortPauses() {
    var watch = Watch {
      $0.slowBytesPerSecond = 1000
      $0.slowWindowMilliseconds = 1000
    }
    watch.patience.noteHead()
    for _ in 0..<100 {
      watch.patience.notePause()
      #expect(watch.tick(1, bytes: 1) == nil)
    }
    #expect(watch.tick(3, bytes: 1) == nil)
    #expect(watch.tick(1, bytes: 1)?.reason == .tooSlow)
  }

  @Test("knows no rate unless one is set")
  func noRate() {
    var watch = Watch()
    watch.patience.noteHead()
    #expect(watch.tick(1000, bytes: 1) == nil)
  }
}
