import Foundation

/// The engine that runs, as a client finds it.
struct RunningEngine {
  /// The connection; the one who has it closes it.
  let descriptor: Int32
  /// What was read of it to know whose engine it is.
  let begin: [UInt8]

  /// Finds the engine and connects. An engine of another library is not meant, and nothing is asked of it, unless the command
  /// names its socket and no library.
  ///
  /// - Parameters:
  ///   - given: Where it listens, if a person has said.
  ///   - place: The library; nil if none was named.
  static func connect(given: SocketPath?, place: LibraryPlace?) throws(SocketFailure) -> RunningEngine {
    let candidates = try SocketPath.candidates(given: given, library: place?.library)
    for path in candidates {
      let descriptor = path.address.connect()
      switch -descriptor {
      case ...0: break
      case ENOENT, ECONNREFUSED, ENOTDIR: continue
      // The system's service does not serve this user, whose library is another one.
      case EACCES where path.origin == .system && place != nil: continue
      default: throw .refused(what: "reached", path: path.path, code: -descriptor)
      }
      guard let place, path.mustServe(place) else { return RunningEngine(descriptor: descriptor, begin: []) }
      let begin = firstLine(descriptor)
      // An engine that names none is taken: its refusal is to be seen.
      let theirs = library(in: begin).map(SocketPath.realPath)
      let meant = SocketPath.realPath(place.library)
      guard let theirs, theirs != meant else { return RunningEngine(descriptor: descriptor, begin: begin) }
      close(descriptor)
      if path.source == .option { throw .otherLibrary(path.path, theirs: theirs, meant: meant) }
    }
    throw .noEngine(candidates)
  }

  /// The same; where no library is named, the engine of the default one, or else the one that listens where the system's
  /// service does, of any library.
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

  /// The library that an engine's first line names.
  private static func library(in line: [UInt8]) -> String? {
    struct Ready: Decodable {
      struct Payload: Decodable {
        let library: String?
      }
      let payload: Payload
    }
    return (try? JSONDecoder().decode(Ready.self, from: Data(line)))?.payload.library
  }

  /// The first line, with its line feed, if the engine sends one; and what came with it.
  private static func firstLine(_ descriptor: Int32) -> [UInt8] {
    var bytes: [UInt8] = []
    while !bytes.contains(UInt8(ascii: "\n")) {
      let count = withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 16) { buffer in
        let count = read(descriptor, buffer.baseAddress, buffer.count)
        bytes += buffer.prefix(max(0, count))
        return count
      }
      guard count > 0 || count < 0 && errno == EINTR else { break }
    }
    return bytes
  }
}

extension SocketPath {
  /// Whether the engine there counts only if it has this library.
  fileprivate func mustServe(_ place: LibraryPlace) -> Bool {
    switch origin {
    // What one command names comes before what is usual; what is usual belongs together.
    case .given(.option): place.source == .option
    case .given: true
    case .library: false
    case .system: true
    }
  }
}
