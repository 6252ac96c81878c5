import Foundation

/// Blocked signals, which wait until a thread takes them (sigwait(3)).
///
/// Create it while the process has one thread: all later threads inherit the mask.
struct HeldSignals: @unchecked Sendable {
  // `@unchecked`: the set never changes.

  private let numbers: sigset_t

  /// Blocks the signals that stop, suspend and resume the engine. Leaves SIGHUP alone if it is ignored: nohup(1)
  /// started the process.
  init() {
    var numbers = sigset_t()
    sigemptyset(&numbers)
    for number in [SIGTERM, SIGINT, SIGTSTP, SIGCONT] { sigaddset(&numbers, number) }
    if !Self.isIgnored(SIGHUP) { sigaddset(&numbers, SIGHUP) }
    pthread_sigmask(SIG_BLOCK, &numbers, nil)
    self.numbers = numbers
  }

  /// Waits for the next signal.
  func next() -> Int32 {
    var numbers = numbers
    var number: Int32 = 0
    // sigwait(3) fails for an invalid set only, and this one is valid.
    while sigwait(&numbers, &number) != 0 {}
    return number
  }

  /// Whether the process ignores a signal, as under nohup(1).
  static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return false }
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
