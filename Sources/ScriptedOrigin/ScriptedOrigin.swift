import Synchronization

/// A web server, on 127.0.0.1 by default, that handles each request according to a script: correctly, slowly, with
/// wrong headers, or with faults.
///
/// Sockets, HTTP/1.1 and TLS are real; only the behaviour is scripted. Every method may be called from any thread
/// except the origin's own (a closure passed to `serve(_:choosing:)` runs there and must not block). Paths may be set
/// and replaced at any time.
///
/// ```swift
/// let origin = try ScriptedOrigin.start()
/// origin.serve("/1.mp3", Resource(.audio(length: 1_000_000, seed: 1), entityTag: .strong("a")))
/// let seen = try origin.wait(upTo: .seconds(5)) { $0.bytesSent(path: "/1.mp3") == 1_000_000 }
/// ```
package final class ScriptedOrigin: Sendable {
  /// The port on which it listens, also after a stop.
  package let port: Int
  /// `http://127.0.0.1:PORT`, or `https://…` with TLS.
  package let baseURL: String

  private let address: String
  private let routes = RouteTable()
  private let log = RequestLog()
  private let tls: TLSContext?
  private let threadCount: Int
  private let listener = Mutex<Listener?>(nil)

  private init(tls: TLSMaterial?, address: String, port: Int, threadCount: Int) throws {
    self.tls = try tls.map { try TLSContext($0) }
    self.address = address
    self.threadCount = threadCount
    let listener = try Listener(
      address: address, port: port, threadCount: threadCount, tls: self.tls, routes: routes, log: log)
    self.port = listener.port
    self.baseURL = "\(tls == nil ? "http" : "https")://\(address):\(listener.port)"
    self.listener.withLock { $0 = listener }
  }
}

// MARK: - Life

extension ScriptedOrigin {
  /// Starts an origin, and returns when it accepts connections.
  ///
  /// - Parameters:
  ///   - tls: Its certificate; `nil` for plain HTTP.
  ///   - address: The IPv4 address of this machine to listen on.
  ///   - port: The port to listen on; 0 for any free port.
  ///   - threadCount: The number of serving threads. One leaves the other cores to the client under test.
  package static func start(
    tls: TLSMaterial? = nil, address: String = "127.0.0.1", port: Int = 0, threadCount: Int = 1
  ) throws -> ScriptedOrigin {
    try ScriptedOrigin(tls: tls, address: address, port: port, threadCount: threadCount)
  }

  /// Closes the socket and every connection, and returns when that is done. A stopped origin refuses connections.
  package func stop() throws {
    try listener.withLock { listener in
      let stopped = listener
      listener = nil
      try stopped?.close()
    }
  }

  /// Listens again on the same port after a stop, with the same scripts and log. Does nothing if it is running.
  package func restart() throws {
    try listener.withLock { listener in
      guard listener == nil else { return }
      listener = try Listener(
        address: address, port: port, threadCount: threadCount, tls: tls, routes: routes, log: log)
    }
  }

  /// Breaks every open connection now, as a network failure does; accepts new ones.
  package func dropConnections(_ kind: Fault.Kind = .cut) {
    listener.withLock { $0?.dropConnections(kind) }
  }

  /// The URL of a path, which begins with a slash.
  package func url(_ path: String) -> String {
    baseURL + path
  }
}

// MARK: - Script

extension ScriptedOrigin {
  /// Answers requests for `path` with a file.
  package func serve(_ path: String, _ resource: Resource) {
    serve(path, .resource(resource))
  }

  /// Handles every request for `path` in the same way.
  package func serve(_ path: String, _ behaviour: Behaviour) {
    serve(path, script: [behaviour])
  }

  /// Handles successive requests for `path`, HEAD requests included, with one behaviour after the other; the last one
  /// repeats.
  ///
  /// A path with a query precedes the same path without one.
  package func serve(_ path: String, script: [Behaviour]) {
    precondition(path.hasPrefix("/"), "a path begins with a slash: \(path)")
    precondition(!script.isEmpty, "a script needs at least one behaviour")
    routes.set(.script(script, next: 0), path: path)
  }

  /// Calls `choose` for the behaviour of each request for `path`.
  package func serve(_ path: String, choosing choose: @escaping @Sendable (RequestRecord) -> Behaviour) {
    precondition(path.hasPrefix("/"), "a path begins with a slash: \(path)")
    routes.set(.choice(choose), path: path)
  }

  /// Calls `choose` for the behaviour of each POST to `path`; without it a POST gets a 405.
  package func serveForm(_ path: String, choosing choose: @escaping @Sendable (RequestRecord) -> Behaviour) {
    precondition(path.hasPrefix("/"), "a path begins with a slash: \(path)")
    routes.setForm(path: path, choose)
  }

  /// Calls `choose` for requests for paths without a script; without it they get a 404.
  package func serveOtherPaths(choosing choose: @escaping @Sendable (RequestRecord) -> Behaviour) {
    routes.setFallback(choose)
  }

  /// Removes the behaviour of `path`.
  package func stopServing(_ path: String) {
    routes.remove(path: path)
  }
}

// MARK: - Log

extension ScriptedOrigin {
  /// The current state of the log.
  package var snapshot: Snapshot {
    log.snapshot
  }

  /// The requests since the start or the last reset, oldest first; with more than 100,000 the older half is dropped.
  package var requests: [RequestRecord] {
    snapshot.requests
  }

  /// Bytes of content that the kernel has, for all paths.
  package var totalBodyBytesSent: Int {
    snapshot.totalBodyBytesSent
  }

  /// Bytes of content that the kernel has for `path`. Cost: all requests.
  package func bytesSent(path: String) -> Int {
    snapshot.bytesSent(path: path)
  }

  /// Drops the requests and counts. Active requests are not logged any more.
  package func resetLog() {
    log.reset()
  }

  /// Blocks until `condition` holds, checking it at every change of the log, and returns its snapshot.
  ///
  /// - Throws: `OriginError.timedOut` after the time limit; the errors of `condition`.
  @discardableResult
  package func wait(upTo limit: Duration, until condition: (Snapshot) throws -> Bool) throws -> Snapshot {
    guard let snapshot = try log.wait(upTo: limit, until: condition) else {
      throw OriginError.timedOut(after: limit, last: self.snapshot)
    }
    return snapshot
  }
}
