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

  /// The work that a command waits for before its own engine ends.
  enum Work {
    /// Files that are being deleted or moved, or tokens that are being asked for.
    case files
    case sidecars
  }

  private static let lookMilliseconds = 20
  /// After how many looks a person is told what is waited for: three seconds.
  private static let looksBeforeNote = 150

  /// Ends the engine, and returns when the library is free. What was decided about files is done first, unless a signal
  /// comes: a command that says "removed" leaves no file behind. So is the asking for a token, which a server may issue
  /// once.
  ///
  /// - Parameters:
  ///   - fetchesSidecars: Whether the sidecars that are being fetched are waited for, too.
  ///   - onLongWait: Is called once if that takes long.
  func finish(fetchesSidecars: Bool, onLongWait: (Work) -> Void = { _ in }) throws {
    var looks = 0
    while !signals.areStopping, let work = readWork(fetchesSidecars) {
      looks += 1
      if looks == Self.looksBeforeNote { onLongWait(work) }
      if signals.comes(withinMilliseconds: Self.lookMilliseconds) { break }
    }
    try stop(because: signals.areStopping ? .signal : .shutdown)
  }

  private func readWork(_ fetchesSidecars: Bool) -> Work? {
    let answer = WorkAnswer()
    process.engine.readWork { isBusy, isFetching in
      answer.work.withLock { $0 = isBusy ? .files : fetchesSidecars && isFetching ? .sidecars : nil }
      answer.hasCome.signal()
    }
    answer.hasCome.wait()
    return answer.work.withLock { $0 }
  }

  /// An answer of the engine's queue.
  private final class WorkAnswer: Sendable {
    let hasCome = DispatchSemaphore(value: 0)
    let work = Mutex<Work?>(nil)
  }

  private func stop(because reason: StopReason) throws {
    process.engine.stop(.now, because: reason)
    process.waitUntilClosed()
    signals.watch.detach()
    try process.finish()
    if let temporaryFolder { try FileManager.default.removeItem(at: temporaryFolder) }
  }
}
