import Foundation

/// Signals that do nothing by themselves and wait until somebody takes them (sigwait(3)).
///
/// Made while the process has one thread only: all that come later inherit what it holds back.
struct HeldSignals: @unchecked Sendable {
  // `@unchecked`: the set is never changed.

  private let numbers: sigset_t

  /// Holds back, from now on, what asks the engine to end, to pause and to go on. SIGHUP stays as it is where it is
  /// ignored: whoever was started by nohup(1) does not want to hear of it.
  init() {
    var numbers = sigset_t()
    sigemptyset(&numbers)
    for number in [SIGTERM, SIGINT, SIGTSTP, SIGCONT] { sigaddset(&numbers, number) }
    if !Self.isIgnored(SIGHUP) { sigaddset(&numbers, SIGHUP) }
    pthread_sigmask(SIG_BLOCK, &numbers, nil)
    self.numbers = numbers
  }

  /// Waits for the next of them.
  func next() -> Int32 {
    var numbers = numbers
    var number: Int32 = 0
    // It fails for a set that is none only, and this one is.
    while sigwait(&numbers, &number) != 0 {}
    return number
  }

  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return false }
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
