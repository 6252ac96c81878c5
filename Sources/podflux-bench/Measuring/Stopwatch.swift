/// The time since its creation, in seconds.
struct Stopwatch {
  private let start = ContinuousClock.now

  var seconds: Double { (ContinuousClock.now - start) / .seconds(1) }
  var milliseconds: Double { seconds * 1000 }
}
