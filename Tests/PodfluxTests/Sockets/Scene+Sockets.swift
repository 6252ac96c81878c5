import Foundation
import TestSupport

/// Engines with a socket, and their clients.
extension Scene {
  /// Where this scene's engines listen.
  var socketPath: String { outside + "/engine.sock" }

  /// Starts an engine that listens beside its stdin, and waits until it is ready.
  func startListening(_ arguments: [String] = []) throws -> PodfluxProcess {
    try start(["--socket", socketPath] + arguments)
  }

  /// Starts `podflux daemon`, and waits until it listens.
  func startDaemon(
    _ arguments: [String]? = nil, environment: [String: String] = [:], launcher: [String] = []
  ) throws -> PodfluxProcess {
    let daemon = try startUnready(
      "daemon", ["--library", library] + (arguments ?? ["--socket", socketPath]), environment: environment,
      launcher: launcher)
    return daemon
  }

  /// Connects a client with `podflux attach`, as soon as an engine listens, and waits until it is taken in.
  func attach(_ arguments: [String]? = nil, environment: [String: String] = [:]) throws -> PodfluxProcess {
    var client: PodfluxProcess?
    try waitUntil("an engine that listens", upTo: 20) {
      let next = try startUnready("attach", arguments ?? ["--socket", socketPath], environment: environment)
      do {
        try next.waitUntilReady()
        client = next
        return true
      } catch {
        guard try next.waitForEnd().status == 69 else { throw error }
        return false
      }
    }
    guard let client else { throw PodfluxProcess.Failure("no client") }
    return client
  }
}

extension PodfluxProcess {
  /// How many descriptors the process has open.
  func descriptorCount() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd").count
  }

  /// Changes how many descriptors the process may have (prlimit(1)).
  func limitDescriptors(to count: Int) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/prlimit")
    process.arguments = ["--pid", "\(pid)", "--nofile=\(count):"]
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure("prlimit failed") }
  }

  /// The reason in the last line.
  var stopReason: String? {
    guard let last = lines.last, let line = try? Self.parse(last), line["type"] as? String == "engine/stopped" else {
      return nil
    }
    return (line["payload"] as? [String: Any])?["reason"] as? String
  }

  /// Ends the client's side, and waits until it has all its replies.
  @discardableResult
  func leave() throws -> Ending {
    closeInput()
    return try waitForEnd()
  }
}
