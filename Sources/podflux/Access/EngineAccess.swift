import ArgumentParser
import Foundation
import PodfluxClient
import PodfluxCore
import PodfluxEngine
import PodfluxPeople

/// An engine holds the library, and listens nowhere where commands look for it.
struct LibraryWithoutSocket: Error, CustomStringConvertible {
  let process: Int32?

  var description: String {
    """
    an engine\(process.map { " (process \($0))" } ?? "") holds this library and does not listen where commands look for it; \
    name its socket with --socket, or wait until it has ended
    """
  }
}

/// The engine that a command speaks to: the one that runs, or one of its own until it is done.
final class EngineAccess {
  let signals: CommandSignals
  private let start: EngineStart
  private let socket: SocketPath?
  private(set) var connection: ClientConnection
  private var own: OwnEngine?
  /// How many events have been followed.
  var eventCount = 0
  /// Whether an own engine ends only when the sidecars that it is at are there.
  var fetchesSidecars = false
  /// Is called if an own engine has work that takes long when the command is done.
  var onLongWait: (OwnEngine.Work) -> Void = { _ in }

  /// How long an engine that holds the library has until it listens, or until it is gone.
  private static let patienceMilliseconds = 3000
  private static let lookMilliseconds = 50

  /// - Parameter socket: Where a person has said that the engine listens, or is to listen; nil for the usual places.
  init(_ start: EngineStart, socket: SocketPath?, signals: CommandSignals) throws {
    (self.start, self.socket, self.signals) = (start, socket, signals)
    (connection, own) = try Self.open(start, socket: socket, signals: signals)
  }

  /// Whether it is an engine of the command's own.
  var isOwn: Bool { own != nil }

  /// The library's folder, absolute.
  var library: String { connection.library ?? start.place.library }

  /// Connects again after the engine has ended, as another command's own engine does when that is done.
  func reopen() throws {
    try stopOwn()
    (connection, own) = try Self.open(start, socket: socket, signals: signals)
  }

  /// Does work that outlives another command's own engine: if that ends meanwhile, the work is done once more with
  /// another engine. One that is about to end refuses everything until it is gone, and is looked at again for some
  /// time.
  func outliving(_ work: () throws -> Void) throws {
    for _ in 0..<Self.endLooks {
      do {
        return try work()
      } catch {
        guard own == nil, !signals.areStopping, Self.isEnd(error) else { throw error }
        if signals.comes(withinMilliseconds: Self.lookMilliseconds) { throw ConnectionFailure.interrupted }
        try reopen()
      }
    }
    try work()
  }

  /// How often an engine that ends is looked at: for ten seconds.
  private static let endLooks = 200

  /// Lets the engine tell no more of what was observed. One that is about to end tells nothing in any case.
  func unobserve() throws {
    do {
      _ = try connection.ask(.query(.unobserve)).get()
    } catch  where Self.isEnd(error) && !signals.areStopping {}
  }

  private static func isEnd(_ error: any Error) -> Bool {
    switch error {
    case ConnectionFailure.ended: true
    case let refusal as EngineRefusal: refusal.isOfEnd
    default: false
    }
  }

  /// Ends the own engine, if there is one, when it has done what was decided about files, and has fetched the sidecars
  /// that it is at, if the command waits for those.
  func close() throws {
    try stopOwn()
  }

  private func stopOwn() throws {
    guard let own else { return }
    self.own = nil
    try own.finish(fetchesSidecars: fetchesSidecars, onLongWait: onLongWait)
  }

  /// The engine that runs, else an own one. One that has just begun, or is about to end, is given some time.
  private static func open(
    _ start: EngineStart, socket: SocketPath?, signals: CommandSignals
  ) throws -> (ClientConnection, OwnEngine?) {
    let deadline = DispatchTime.now() + .milliseconds(patienceMilliseconds)
    var listening = try socket ?? place(for: start.place.library)
    while true {
      do {
        if let connection = try running(start, socket: socket, signals: signals) { return (connection, nil) }
      } catch  where isSilent(error) {
        guard socket?.isNamedAlone(beside: start.place) != true else { throw error }
        guard let alone = try openBesideStopped(start, signals: signals) else { throw error }
        return alone
      }
      if let socket, socket.isNamedAlone(beside: start.place) { throw SocketFailure.noEngine([socket]) }
      do {
        return try openOwn(start, listeningAt: listening, signals: signals)
      } catch let error as EngineError {
        guard case .libraryInUse(let process) = error else { throw error }
        guard DispatchTime.now() < deadline else { throw LibraryWithoutSocket(process: process) }
      } catch let failure as SocketFailure {
        guard case .isLive = failure, DispatchTime.now() < deadline else { throw failure }
        // The engine of another library: that of the configuration, and not of this command.
        if let source = listening?.source, source != .option { listening = try place(for: start.place.library) }
      }
      if signals.comes(withinMilliseconds: lookMilliseconds) { throw ConnectionFailure.interrupted }
    }
  }

  private static func openOwn(
    _ start: EngineStart, listeningAt socket: SocketPath?, signals: CommandSignals
  ) throws -> (ClientConnection, OwnEngine?) {
    let own = try ownEngine(start, listeningAt: socket, signals: signals)
    do {
      return (try connect(own.descriptor, signals: signals), own)
    } catch {
      try own.finish(fetchesSidecars: false)
      throw error
    }
  }

  /// An engine that ^Z has stopped keeps its socket, and has given the library up: this one listens nowhere. Nil if the
  /// library is not free.
  private static func openBesideStopped(
    _ start: EngineStart, signals: CommandSignals
  ) throws -> (ClientConnection, OwnEngine?)? {
    do {
      return try openOwn(start, listeningAt: nil, signals: signals)
    } catch EngineError.libraryInUse {
      return nil
    }
  }

  private static func isSilent(_ error: any Error) -> Bool {
    switch error {
    case SocketFailure.silent, ConnectionFailure.silent: true
    default: false
    }
  }

  private static func ownEngine(
    _ start: EngineStart, listeningAt socket: SocketPath?, signals: CommandSignals
  ) throws -> OwnEngine {
    do throws(EngineError) {
      if start.missingLibrary != .made {
        try LibraryReader.requireLibrary(at: start.place.library, stateFolder: start.place.state)
      }
    } catch {
      guard start.missingLibrary == .replaced else { throw error }
      return try OwnEngine(withTemporaryLibrary: start, signals: signals)
    }
    if let owner = LibraryOwner(otherThanRootOf: start.place.library, state: start.place.state) { throw owner }
    return try OwnEngine(start, listeningAt: socket, signals: signals)
  }

  /// Where an own engine listens. The socket of the system's service is not for it: without a folder for the session's
  /// sockets there is none.
  private static func place(for library: String) throws -> SocketPath? {
    let path = try SocketPath.standard(library: library)
    return path.origin == .system ? nil : path
  }

  private static func running(
    _ start: EngineStart, socket: SocketPath?, signals: CommandSignals
  ) throws -> ClientConnection? {
    do {
      let engine = try RunningEngine.connect(
        given: socket, place: start.place, interruption: signals.descriptor)
      return try ClientConnection(engine, interruption: signals.descriptor)
    } catch SocketFailure.noEngine {
      return nil
    } catch ConnectionFailure.ended {
      // The engine has just ended.
      return nil
    }
  }

  /// The connection to an engine of the command's own.
  private static func connect(
    _ descriptor: Int32, signals: CommandSignals
  ) throws(ConnectionFailure) -> ClientConnection {
    let connection = try ClientConnection(input: descriptor, output: descriptor, interruption: signals.descriptor)
    try connection.waitUntilReady()
    return connection
  }
}

extension EngineRefusal {
  /// Whether the engine is about to end, and takes nothing any more.
  var isOfEnd: Bool { code == Refusal.Code.shuttingDown.rawValue }
}
