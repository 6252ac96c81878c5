import Foundation
import PodfluxClient
import PodfluxCore
import PodfluxEngine
import Synchronization

/// An engine of a command's own, for as long as the command needs it. It listens meanwhile where other commands look
/// for it, so that a second terminal works.
final class OwnEngine {
  private let process: EngineProcess
  private let signals: CommandSignals
  /// The library's folder, if it goes with the engine.
  private let temporaryFolder: URL?
  /// The own connection, which goes through a socket without a name in the file system.
  let descriptor: Int32

  /// - Parameter path: Where other commands look for an engine. If no socket can be made there, and no person has named
  ///   it, the engine goes without.
  /// - Throws: `EngineError`, `SocketFailure`. Nothing has been changed then.
  convenience init(_ start: EngineStart, listeningAt path: SocketPath?, signals: CommandSignals) throws {
    try self.init(start, listeningAt: path, temporaryFolder: nil, signals: signals)
  }

  /// An engine that listens nowhere, and whose library is removed when it has ended.
  convenience init(withTemporaryLibrary start: EngineStart, signals: CommandSignals) throws {
    var start = start
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("podflux-look-\(UUID().uuidString)")
    start.useTemporaryLibrary(at: folder.path)
    try self.init(start, listeningAt: nil, temporaryFolder: folder, signals: signals)
  }

  private init(
    _ start: EngineStart, listeningAt path: SocketPath?, temporaryFolder: URL?, signals: CommandSignals
  ) throws {
    (self.signals, self.temporaryFolder) = (signals, temporaryFolder)
    let own = try PrivateSocket()
    var sockets = [own.listening]
    do throws(SocketFailure) {
      if let path { sockets.append(try ListeningSocket(at: path)) }
    } catch {
      if case .isLive = error { throw Self.closing(sockets, error) }
      if path?.source != nil { throw Self.closing(sockets, error) }
    }
    process = try EngineProcess(ProcessSetup(), start, sockets: sockets, commandSignals: signals.watch)
    descriptor = try own.connect()
  }

  private static func closing(_ sockets: [ListeningSocket], _ failure: SocketFailure) -> SocketFailure {
    for socket in sockets { socket.close() }
    return failure
  }

  private static let lookMilliseconds = 20

  /// Ends the engine, and returns when the library is free. What was decided about files is done first, unless a signal
  /// comes: a command that says "removed" leaves no file behind. So is the asking for a token, which a server may issue
  /// once.
  ///
  /// - Parameter fetchesSidecars: Whether the sidecars that are being fetched are waited for, too.
  func finish(fetchesSidecars: Bool) throws {
    while !signals.areStopping, isWorking(fetchesSidecars) {
      if signals.comes(withinMilliseconds: Self.lookMilliseconds) { break }
    }
    try stop(because: signals.areStopping ? .signal : .shutdown)
  }

  private func isWorking(_ fetchesSidecars: Bool) -> Bool {
    let answer = WorkAnswer()
    process.engine.readWork { isBusy, isFetching in
      answer.isWorking.store(isBusy || fetchesSidecars && isFetching, ordering: .releasing)
      answer.hasCome.signal()
    }
    answer.hasCome.wait()
    return answer.isWorking.load(ordering: .acquiring)
  }

  /// An answer of the engine's queue.
  private final class WorkAnswer: Sendable {
    let hasCome = DispatchSemaphore(value: 0)
    let isWorking = Atomic(false)
  }

  private func stop(because reason: StopReason) throws {
    process.engine.stop(.now, because: reason)
    process.waitUntilClosed()
    signals.watch.detach()
    try process.finish()
    if let temporaryFolder { try FileManager.default.removeItem(at: temporaryFolder) }
  }
}
