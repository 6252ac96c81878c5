import Foundation

/// The engine that runs, as a client finds it.
struct RunningEngine {
  /// The connection; the one who has it closes it.
  let descriptor: Int32
  /// What was read of it to know whose engine it is.
  let begin: [UInt8]

  /// Finds the engine and connects.
  ///
  /// - Parameters:
  ///   - given: Where it listens, if a person has said.
  ///   - library: The library's folder, if one was named: an engine of another library is not meant.
  static func connect(given: SocketPath?, library: String?) throws(SocketFailure) -> RunningEngine {
    let candidates = try SocketPath.candidates(given: given, library: library)
    for path in candidates {
      let descriptor = path.address.connect()
      switch -descriptor {
      case ...0: break
      case ENOENT, ECONNREFUSED, ENOTDIR: continue
      default: throw .refused(what: "reached", path: path.path, code: -descriptor)
      }
      guard path.origin == .system, let library else { return RunningEngine(descriptor: descriptor, begin: []) }
      let begin = firstLine(descriptor)
      if serves(library, begin) { return RunningEngine(descriptor: descriptor, begin: begin) }
      close(descriptor)
    }
    throw .noEngine(candidates)
  }

  /// Whether an engine's first line names this library. One that names none is not taken in: its refusal is to be seen.
  private static func serves(_ library: String, _ line: [UInt8]) -> Bool {
    struct Ready: Decodable {
      struct Payload: Decodable {
        let library: String?
      }
      let payload: Payload
    }
    guard let ready = try? JSONDecoder().decode(Ready.self, from: Data(line)), let path = ready.payload.library else {
      return true
    }
    return SocketPath.realPath(path) == SocketPath.realPath(library)
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
