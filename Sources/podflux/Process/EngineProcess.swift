import ArgumentParser
import Foundation
import Logging
import PodfluxCore
import PodfluxEngine

/// An engine in this process: its signals, its service manager, its notes for people, and the clients of its sockets.
///
/// A command connects other clients to `engine`.
struct EngineProcess {
  let engine: Engine
  /// The library's folder, as given.
  let libraryPath: String
  private let signals: SignalWatch
  private let notifier: Notifier?
  private let owner: ProcessOwner
  /// nil without sockets.
  private let server: SocketServer?
  /// nil without a command for completions.
  private let hook: CompletionHook?
  /// nil where no metrics are wanted.
  private let publisher: MetricsPublisher?

  /// Opens the library, and serves clients.
  ///
  /// - Throws: the exit status, after a line on stderr. Nothing has been changed then.
  static func opened(
    _ setup: ProcessSetup, _ start: EngineStart, sockets: [ListeningSocket]
  ) throws -> EngineProcess {
    do {
      return try EngineProcess(setup, start, sockets: sockets)
    } catch let error as EngineError {
      throw giveUp(error)
    }
  }

  /// Opens the library, and serves clients.
  ///
  /// - Parameters:
  ///   - sockets: Where they connect: those that are too early wait there.
  ///   - commandSignals: The signals of a command whose own engine this is.
  /// - Throws: `EngineError`. Nothing has been changed then.
  init(
    _ setup: ProcessSetup, _ start: EngineStart, sockets: [ListeningSocket], commandSignals: SignalWatch? = nil
  ) throws {
    let logger = start.logger
    libraryPath = start.place.library
    notifier = setup.notifier
    let hook = start.hook.map { CompletionHook($0, logger: logger) }
    self.hook = hook
    signals = commandSignals ?? SignalWatch(setup.signals, logger: logger)
    owner = ProcessOwner(libraryPath: libraryPath, notifier: notifier, isCommand: commandSignals != nil)
    do {
      try setup.check()
      // A command has refused it.
      if commandSignals == nil, let owner = LibraryOwner(otherThanRootOf: libraryPath, state: start.place.state) {
        logger.warning("\(owner.warning)")
      }
      let publisher = try start.makeMetricsPublisher(logger: logger)
      self.publisher = publisher
      server = sockets.isEmpty ? nil : try SocketServer(sockets, libraryPath: libraryPath, logger: logger)
      engine = try Engine(start.configuration(logger: logger, metrics: publisher?.registry, hook: hook), owner: owner)
    } catch {
      for socket in sockets { socket.close() }
      throw error
    }
    signals.attach(engine)
    publisher?.start(engine)
    notifier?.startWatchdog { [engine] in engine.isAlive($0) }
    server?.start(serving: engine)
  }

  /// Waits until the engine has ended.
  func waitUntilClosed() {
    owner.waitUntilClosed()
    hook?.finish(runningAll: engine.isDraining) { signals.isStopping }
    publisher?.finish()
  }

  /// Delivers the last lines to all clients. The service manager hears of the end only then: from that word on it waits
  /// no longer than its `TimeoutStopSec`, and commands for completions and clients that read slowly may take longer.
  ///
  /// - Parameter output: That of the client which has no socket.
  /// - Throws: the exit status, if the engine has given up, or the output could not be written.
  func finish(_ output: OutputWriter? = nil) throws {
    let outputs: [(any LastLines)?] = [output, server]
    Farewell.deliver(outputs.compactMap { $0 }) { signals.isStopping }
    notifier?.stopping()
    StandardError.finish()
    if engine.hasGivenUp { throw ExitCode.failure }
    try output?.check()
  }
}
