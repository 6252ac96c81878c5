import ArgumentParser
import Foundation
import ScriptedOrigin
import Synchronization

/// `podflux-bench serve`: the origin in its own process, so that its CPU time is separate. It ends with its stdin.
struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Serves made-up files on loopback until its input ends.", shouldDisplay: false)

  func run() throws {
    let origin = try ScriptedOrigin.start()
    let shelf = Shelf()
    origin.serveOtherPaths { shelf.behaviour(for: $0.path) }
    FileHandle.standardOutput.write(Data("\(origin.port)\n".utf8))
    while let line = readLine(), !line.isEmpty {}
    try origin.stop()
  }
}

/// The benchmarks' origin; the path determines the response.
///
/// - `/file/LENGTH/SEED/…`: a file.
/// - `/slow/BYTES_PER_SECOND/LENGTH/SEED/…`: a file at a limited rate.
/// - `/stall/…`: never an answer.
private final class Shelf: Sendable {
  private let bodies = Mutex<[String: Body]>([:])

  func behaviour(for path: String) -> Behaviour {
    let words = path.split(separator: "/")
    let numbers = words.dropFirst().prefix(3).compactMap { Int($0) }
    switch words.first {
    case "file" where numbers.count >= 2: return file(length: numbers[0], seed: numbers[1])
    case "slow" where numbers.count == 3:
      return file(length: numbers[1], seed: numbers[2]).limited(toBytesPerSecond: numbers[0])
    case "stall": return Behaviour.status(200).failingBeforeHead(.stall)
    default: return .status(404)
    }
  }

  private func file(length: Int, seed: Int) -> Behaviour {
    // Generating a body costs more than serving a small one.
    let body = bodies.withLock { bodies in
      let key = "\(length)/\(seed)"
      let body = bodies[key] ?? .audio(length: length, seed: UInt64(seed))
      bodies[key] = body
      return body
    }
    return .resource(Resource(body, entityTag: .strong("\(length)-\(seed)")))
  }
}
