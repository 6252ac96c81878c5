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

  /// Starts `podflux daemon`, and waits for its cleanup: what a test does to files then, that run does not find.
  func startSettledDaemon() throws -> PodfluxProcess {
    let daemon = try startDaemon()
    let client = try attach()
    try client.waitForStartCleanup()
    try client.leave()
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

extension Scene {
  /// How many connections the engine holds at its socket (proc(5), /proc/net/unix).
  func connectionCount() throws -> Int {
    // `String(contentsOfFile:)` ends such a file at its first piece.
    guard let file = FileHandle(forReadingAtPath: "/proc/net/unix"), let bytes = try file.readToEnd() else {
      throw PodfluxProcess.Failure("no list of sockets")
    }
    let sockets = String(decoding: bytes, as: UTF8.self)
    // One of them listens.
    return sockets.split(separator: "\n").count { $0.hasSuffix(" " + socketPath) } - 1
  }
}

extension PodfluxProcess {
  /// How many sockets the process has open; how many files, the database decides.
  func socketCount() throws -> Int {
    let folder = "/proc/\(pid)/fd/"
    return try FileManager.default.contentsOfDirectory(atPath: folder).count { name in
      // A descriptor may be closed meanwhile.
      (try? FileManager.default.destinationOfSymbolicLink(atPath: folder + name))?.hasPrefix("socket:") == true
    }
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
