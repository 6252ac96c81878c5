import Dispatch
import Foundation
import Logging
import PodfluxEngine

/// What the engine does on signals.
///
/// - SIGTERM, SIGINT and SIGHUP, which comes when the terminal goes: the first asks the engine to stop, a second one ends the
///   process at once.
/// - SIGTSTP: the engine is suspended, and then the process stops itself, as its shell or supervisor expects.
/// - SIGCONT: the engine takes its library again, unless a client has suspended it as well.
///
/// They are held back from the first moment of the process on and taken by a thread that waits for them (signal(7)): one that
/// comes while the engine is being made counts as soon as there is one.
final class SignalWatch: @unchecked Sendable {
  // `@unchecked`: what changes is touched on the queue of signals only.

  private let signals: HeldSignals
  private let logger: Logger
  private let queue = DispatchQueue(label: "podflux.signals", qos: .userInitiated)
  /// Whom to tell; nil until there is one.
  private var engine: Engine?
  /// The first signal that has asked for the end, and when; nil before.
  private var stopping: (number: Int32, at: ContinuousClock.Instant)?
  private var hasStopped: Bool { stopping != nil }
  private var isSuspended = false
  /// How many suspensions there have been: the process stops itself for the last one only.
  private var suspensionCount = 0
  /// Whether the process has stopped itself for it.
  private var hasHalted = false

  /// Whether a signal has asked for the end.
  var isStopping: Bool { queue.sync { hasStopped } }

  /// Begins to take the signals that are held back.
  init(_ signals: HeldSignals, logger: Logger) {
    self.signals = signals
    self.logger = logger
    let thread = Thread { [self] in
      while true {
        let number = signals.next()
        queue.async { self.take(number) }
      }
    }
    thread.name = "podflux.signals"
    thread.start()
  }

  /// There is an engine: what has come before is done with it now.
  func attach(_ engine: Engine) {
    queue.async { [self] in
      self.engine = engine
      if hasStopped {
        engine.stop(.now, because: .signal)
      } else if isSuspended {
        suspend(engine)
      }
    }
  }

  private func take(_ number: Int32) {
    switch number {
    case SIGTSTP: suspend()
    case SIGCONT: resume()
    // A terminal that goes may say so twice.
    case SIGHUP where hasStopped: break
    default: stop(number)
    }
  }

  /// How soon after the first the same signal is still the first: timeout(1) sends it to the process and then to its group.
  private static let sameMilliseconds = 200

  private func stop(_ number: Int32) {
    let now = ContinuousClock.now
    if let stopping {
      guard stopping.number != number || now - stopping.at > .milliseconds(Self.sameMilliseconds) else { return }
      _exit(EXIT_FAILURE)
    }
    stopping = (number, now)
    engine?.stop(.now, because: .signal)
  }

  private func suspend() {
    guard !hasStopped else { return }
    guard !isSuspended else {
      // A SIGCONT that was not taken yet has been discarded by this one (signal(7)): nothing was resumed.
      if hasHalted { kill(getpid(), SIGSTOP) }
      return
    }
    isSuspended = true
    hasHalted = false
    suspensionCount += 1
    if let engine { suspend(engine) }
  }

  private func suspend(_ engine: Engine) {
    engine.suspend(for: .process) { [weak self, suspensionCount] response in
      if case .refusal = response.outcome { return }
      self?.halt(for: suspensionCount)
    }
  }

  private func halt(for suspension: Int) {
    queue.async { [self] in
      // It may have been continued meanwhile.
      guard isSuspended, !hasStopped, suspension == suspensionCount else { return }
      hasHalted = true
      kill(getpid(), SIGSTOP)
    }
  }

  private func resume() {
    guard isSuspended, !hasStopped else { return }
    isSuspended = false
    engine?.resume(for: .process) { [logger] response in
      guard case .refusal(let refusal) = response.outcome else { return }
      logger.error("the engine was not resumed", metadata: ["reason": "\(refusal.message)"])
    }
  }
}
