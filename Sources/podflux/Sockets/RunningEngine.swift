import Foundation
import PodfluxClient
import PodfluxPeople

/// The engine that runs, as a client finds it.
struct RunningEngine {
  /// The connected socket; the caller closes it.
  let descriptor: Int32
  /// The engine's first line, which shows that the engine answers, and which library it has.
  let begin: [UInt8]
  /// Its process; nil if it is not known.
  let process: PeerProcess?

  /// How long the engine has to take a client in, in seconds.
  private static let greetingSeconds = SilenceWatch.greetingLooks * SilenceWatch.lookMilliseconds / 1000

  /// Finds the engine, connects, and waits for its first line. An engine of another library is not meant, and nothing
  /// is asked of it, unless the command names its socket and no library. Nor is one of another user: see `PeerUser`.
  ///
  /// - Parameters:
  ///   - given: Where it listens, if a person has said.
  ///   - place: The library; nil if none was named.
  ///   - interruption: A descriptor that becomes readable once the caller wants to be done: then `begin` may be
  ///     incomplete.
  static func connect(
    given: SocketPath?, place: LibraryPlace?, interruption: Int32? = nil
  ) throws(SocketFailure) -> RunningEngine {
    let candidates = try SocketPath.candidates(given: given, library: place?.library)
    for path in candidates {
      let descriptor = path.address.connect(waitingFor: greetingSeconds)
      switch -descriptor {
      case ...0: break
      case ENOENT, ECONNREFUSED, ENOTDIR: continue
      // The system's service does not serve this user, whose library is another one.
      case EACCES where path.origin == .system && place != nil: continue
      // Root may have made the folder there: a command's own engine needs no socket.
      case EACCES where path.origin == .library: continue
      // Too many clients wait for it already.
      case EAGAIN: throw .silent(SilentEngine(process: nil, isStopped: false))
      default: throw .refused(what: "reached", path: path.path, code: -descriptor)
      }
      do throws(SocketFailure) {
        try checkUser(listeningTo: descriptor, at: path, meaning: place)
      } catch {
        close(descriptor)
        // The service, as above, where the service manager has made its socket for all users.
        if case .otherUser = error, path.origin == .system, place != nil { continue }
        throw error
      }
      let engine = try RunningEngine(greetedBy: descriptor, interruption: interruption)
      guard let place, path.mustServe(place) else { return engine }
      // An engine that names none is taken: its refusal is to be seen.
      let theirs = engine.library.map(SocketPath.realPath)
      let meant = SocketPath.realPath(place.library)
      guard let theirs, theirs != meant else { return engine }
      close(descriptor)
      if path.source == .option { throw .otherLibrary(path.path, theirs: theirs, meant: meant) }
    }
    throw .noEngine(candidates)
  }

  /// The same; where no library is named, the engine of the default one, or else the one that listens where the
  /// system's service does, of any library.
  static func connect(given: SocketPath?, nearest place: LibraryPlace) throws(SocketFailure) -> RunningEngine {
    do throws(SocketFailure) {
      return try connect(given: given, place: place)
    } catch {
      guard place.source == .standard, case .noEngine = error else { throw error }
      do throws(SocketFailure) {
        return try connect(given: given, place: nil)
      } catch .noEngine {
        throw error
      }
    }
  }

  /// Makes sure that the engine is of a user whom this client trusts, before anything is read or sent.
  private static func checkUser(
    listeningTo descriptor: Int32, at path: SocketPath, meaning place: LibraryPlace?
  ) throws(SocketFailure) {
    let user = try PeerUser(listeningTo: descriptor, at: path.path)
    let folder = (path.path.absolutePath as NSString).deletingLastPathComponent
    guard user.mayServe(geteuid(), folders: [folder, place?.library].compactMap(\.self)) else {
      throw .otherUser(path.path, user: user.id)
    }
  }

  /// The library that its first line names.
  var library: String? {
    struct Ready: Decodable {
      struct Payload: Decodable {
        let library: String?
      }
      let payload: Payload
    }
    return (try? JSONDecoder().decode(Ready.self, from: Data(begin)))?.payload.library
  }

  /// Waits for the first line of an engine. It comes when the engine has opened its library.
  ///
  /// - Throws: `SocketFailure.silent` if the engine does not answer; the descriptor is closed then.
  private init(greetedBy descriptor: Int32, interruption: Int32?) throws(SocketFailure) {
    self.descriptor = descriptor
    process = PeerProcess(listeningTo: descriptor)
    do throws(SocketFailure) {
      begin = try Self.firstLine(descriptor, of: process, interruption: interruption)
    } catch {
      close(descriptor)
      throw error
    }
  }

  /// The first line, with its line feed, if the engine sends one; and what came with it.
  private static func firstLine(
    _ descriptor: Int32, of process: PeerProcess?, interruption: Int32?
  ) throws(SocketFailure) -> [UInt8] {
    var (bytes, silence) = ([UInt8](), SilenceWatch(process))
    while !bytes.contains(UInt8(ascii: "\n")) {
      var polls = [descriptor, interruption ?? -1].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      let count = poll(&polls, nfds_t(polls.count), Int32(SilenceWatch.lookMilliseconds))
      if count == 0, let engine = silence.look(isGreeted: false) { throw .silent(engine) }
      if polls[1].revents != 0 { break }
      guard count > 0 else { continue }
      guard let piece = readPiece(descriptor) else { break }
      silence.restart()
      bytes += piece
    }
    return bytes
  }

  /// Reads once; nil at the end.
  private static func readPiece(_ descriptor: Int32) -> [UInt8]? {
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 16) { buffer in
      let count = read(descriptor, buffer.baseAddress, buffer.count)
      if count < 0, errno == EINTR { return [] }
      return count > 0 ? [UInt8](buffer.prefix(count)) : nil
    }
  }
}

extension ClientConnection {
  /// Takes over the connection to an engine that runs.
  ///
  /// - Parameter interruption: A descriptor that becomes readable once the caller wants to be done; the caller closes
  ///   it.
  convenience init(_ engine: RunningEngine, interruption: Int32? = nil) throws(ConnectionFailure) {
    try self.init(
      input: engine.descriptor, output: engine.descriptor, begin: engine.begin, process: engine.process,
      interruption: interruption)
    try waitUntilReady()
  }
}

extension SocketPath {
  /// Whether the engine there counts only if it has this library.
  fileprivate func mustServe(_ place: LibraryPlace) -> Bool {
    switch origin {
    // A socket option overrides a configured library, and must match a library option only. A configured socket must
    // belong to the library.
    case .given(.option): place.source == .option
    case .given: true
    case .library: false
    case .system: true
    }
  }
}
