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

  /// Begins to watch.
  init(_ engine: Engine, logger: Logger) {
    self.engine = engine
    self.logger = logger
    for number in [SIGTERM, SIGINT, SIGHUP] { watch(number) { $0.stop() } }
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

  private func stop() {
    if isStopping { _exit(EXIT_FAILURE) }
    isStopping = true
    engine.stop(.now, because: .signal)
  }

  private func suspend() {
    guard !isSuspended, !isStopping else { return }
    isSuspended = true
    engine.suspend { [weak self] response in
      if case .refusal = response.outcome { return }
      self?.halt()
    }
  }

  private func halt() {
    queue.async { [self] in
      // It may have been continued meanwhile.
      if isSuspended { kill(getpid(), SIGSTOP) }
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
