import ArgumentParser
import Foundation
import Logging
import PodfluxCore
import PodfluxEngine

/// An engine in this process: its signals, its service manager and its notes for people.
///
/// The command connects the clients.
struct EngineProcess {
  let engine: Engine
  /// The library's folder, as given.
  let libraryPath: String
  private let signals: SignalWatch
  private let notifier: Notifier?
  private let owner: ProcessOwner

  /// Opens the library.
  ///
  /// - Throws: the exit status, after a line on stderr. Nothing has been changed then.
  init(_ setup: ProcessSetup, _ start: EngineStart) throws {
    let logger = start.logger
    libraryPath = start.place.library
    notifier = setup.notifier
    signals = SignalWatch(setup.signals, logger: logger)
    owner = ProcessOwner(libraryPath: libraryPath, notifier: notifier)
    do {
      engine = try Engine(start.configuration(logger: logger), owner: owner)
    } catch let error as EngineError {
      throw giveUp(error)
    }
    signals.attach(engine)
    notifier?.startWatchdog { [engine] in engine.isAlive($0) }
  }

  /// Waits until the engine has ended.
  func waitUntilClosed() {
    owner.waitUntilClosed()
    notifier?.stopping()
  }

  /// Delivers the last lines to all clients.
  ///
  /// - Parameter output: That of a client which has no socket.
  /// - Throws: the exit status, if the engine has given up.
  func finish(_ output: OutputWriter? = nil) throws {
    let outputs: [(any LastLines)?] = [output]
    Farewell.deliver(outputs.compactMap { $0 }) { signals.isStopping }
    StandardError.finish()
    if engine.hasGivenUp { throw ExitCode.failure }
  }
}
