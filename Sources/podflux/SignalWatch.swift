import Dispatch
import Foundation
import Logging
import PodfluxEngine

/// What the engine does on signals.
///
/// - SIGTERM, SIGINT and SIGHUP, which comes when the terminal goes: the first asks the engine to stop, a second one ends the
///   process at once.
/// - SIGTSTP: the engine is suspended, and then the process stops itself, as its shell or supervisor expects.
/// - SIGCONT: the engine takes its library again.
final class SignalWatch: @unchecked Sendable {
  // `@unchecked`: what changes is touched on the queue of signals only.

  private let engine: Engine
  private let logger: Logger
  private let queue = DispatchQueue(label: "podflux.signals", qos: .userInitiated)
  private var sources: [any DispatchSourceSignal] = []
  private var isStopping = false
  private var isSuspended = false
  /// How many suspensions there have been: the process stops itself for the last one only.
  private var suspensionCount = 0

  /// Begins to watch.
  init(_ engine: Engine, logger: Logger) {
    self.engine = engine
    self.logger = logger
    for number in [SIGTERM, SIGINT] { watch(number) { $0.stop() } }
    watchHangUp()
    watch(SIGTSTP) { $0.suspend() }
    watch(SIGCONT) { $0.resume() }
  }

  private func watch(_ number: Int32, _ action: @escaping @Sendable (SignalWatch) -> Void) {
    // A process that ignores SIGCONT is continued all the same.
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
    source.setEventHandler { [weak self] in
      if let self { action(self) }
    }
    source.resume()
    sources.append(source)
  }

  /// A terminal that goes may say so twice, and whoever was started by nohup(1) does not want to hear of it.
  private func watchHangUp() {
    guard unsafeBitCast(signal(SIGHUP, SIG_IGN), to: Int.self) != unsafeBitCast(SIG_IGN, to: Int.self) else { return }
    watch(SIGHUP) { if !$0.isStopping { $0.stop() } }
  }

  private func stop() {
    if isStopping { _exit(EXIT_FAILURE) }
    isStopping = true
    engine.stop(.now, because: .signal)
  }

  private func suspend() {
    guard !isSuspended, !isStopping else { return }
    isSuspended = true
    suspensionCount += 1
    engine.suspend { [weak self, suspensionCount] response in
      if case .refusal = response.outcome { return }
      self?.halt(for: suspensionCount)
    }
  }

  private func halt(for suspension: Int) {
    queue.async { [self] in
      // It may have been continued meanwhile.
      if isSuspended, !isStopping, suspension == suspensionCount { kill(getpid(), SIGSTOP) }
    }
  }

  private func resume() {
    guard isSuspended else { return }
    isSuspended = false
    engine.resume { [logger] response in
      guard case .refusal(let refusal) = response.outcome else { return }
      logger.error("the engine was not resumed", metadata: ["reason": "\(refusal.message)"])
    }
  }
}
