import Dispatch
import Foundation
import Logging
import PodfluxEngine

/// Handles signals for the engine.
///
/// - SIGTERM, SIGINT and SIGHUP, which comes when the terminal closes: the first asks the engine to stop, or the
///   command, which stops its engine then; a second one ends the process at once.
/// - SIGTSTP: suspends the engine, then stops the process, as its shell or supervisor expects.
/// - SIGCONT: resumes the engine, unless a client has suspended it as well.
///
/// A command that speaks to another process's engine has none to suspend, and stops itself at once.
///
/// The signals are blocked from the start of the process, and a thread waits for them (signal(7)): one that comes while
/// the engine is starting takes effect once it has started.
final class SignalWatch: @unchecked Sendable {
  // `@unchecked`: mutable state is used on the signals' queue only.

  private let signals: HeldSignals
  private let logger: Logger
  /// What a command does beside its engine; nil for the engine's own process.
  private let command: Command?
  private let queue = DispatchQueue(label: "podflux.signals", qos: .default)
  /// The engine; nil until it has started.
  private var engine: Engine?
  /// The first signal that requested the end, and its time; nil before.
  private var stopping: (number: Int32, at: ContinuousClock.Instant)?
  private var hasStopped: Bool { stopping != nil }
  private var isSuspended = false
  /// How many suspensions there have been: only the last one stops the process.
  private var suspensionCount = 0
  /// Whether the process has stopped itself for it.
  private var hasHalted = false

  /// Whether a signal has requested the end.
  var isStopping: Bool { queue.sync { hasStopped } }

  /// A command of a person, which may have an engine of its own.
  struct Command: Sendable {
    /// The exit status if a second signal ends it at once.
    let status: Int32
    /// Called at the first signal that requests the end.
    let onStop: @Sendable () -> Void
    /// Gives the terminal back before the process stops or ends at once.
    let restore: @Sendable () -> Void
  }

  /// Starts to receive the blocked signals.
  init(_ signals: HeldSignals, logger: Logger, command: Command? = nil) {
    self.signals = signals
    self.logger = logger
    self.command = command
    let thread = Thread { [self] in
      while true {
        let number = signals.next()
        queue.async { self.receive(number) }
      }
    }
    thread.name = "podflux.signals"
    thread.start()
  }

  /// Sets the engine, and applies earlier signals.
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

  /// Forgets the engine, which has ended: a command may have another one later.
  func detach() {
    queue.sync { engine = nil }
  }

  private func receive(_ number: Int32) {
    switch number {
    case SIGTSTP: suspend()
    case SIGCONT: resume()
    // A closing terminal may send it twice.
    case SIGHUP where hasStopped: break
    default: stop(number)
    }
  }

  /// How soon the same signal still counts as the first: timeout(1) sends it to the process and then to its group.
  private static let sameMilliseconds = 200

  private func stop(_ number: Int32) {
    let now = ContinuousClock.now
    if let stopping {
      guard stopping.number != number || now - stopping.at > .milliseconds(Self.sameMilliseconds) else { return }
      command?.restore()
      _exit(command?.status ?? EXIT_FAILURE)
    }
    stopping = (number, now)
    guard let command else {
      engine?.stop(.now, because: .signal)
      return
    }
    // The command may have last requests for its engine, and ends the engine afterwards.
    command.onStop()
  }

  private func suspend() {
    guard !hasStopped else { return }
    guard !isSuspended else {
      // This signal has discarded a pending SIGCONT (signal(7)): the engine was not resumed.
      if hasHalted { kill(getpid(), SIGSTOP) }
      return
    }
    isSuspended = true
    hasHalted = false
    suspensionCount += 1
    if let engine {
      suspend(engine)
    } else if command != nil {
      halt(for: suspensionCount)
    }
  }

  private func suspend(_ engine: Engine) {
    engine.suspend(for: .process) { [weak self, suspensionCount] response in
      if case .refusal = response.outcome { return }
      self?.halt(for: suspensionCount)
    }
  }

  private func halt(for suspension: Int) {
    queue.async { [self] in
      // The process may have been continued meanwhile.
      guard isSuspended, !hasStopped, suspension == suspensionCount else { return }
      hasHalted = true
      command?.restore()
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
