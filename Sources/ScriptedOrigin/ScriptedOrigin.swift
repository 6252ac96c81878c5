import NIOSSL
import Synchronization

/// A web server, on 127.0.0.1 unless told otherwise, that does to each request what a script says: well-behaved, slow, lying, or broken.
///
/// Sockets, HTTP/1.1 and TLS are real; only the manners are scripted. Every method may be called from any thread but
/// from the origin's own (a closure given to `serve(_:choosing:)` runs there and must not block). Paths may be set
/// and replaced at any time.
///
/// ```swift
/// let origin = try ScriptedOrigin.start()
/// origin.serve("/1.mp3", Resource(.audio(length: 1_000_000, seed: 1), entityTag: .strong("a")))
/// let seen = try origin.wait(upTo: .seconds(5)) { $0.bytesSent(path: "/1.mp3") == 1_000_000 }
/// ```
public final class ScriptedOrigin: Sendable {
  /// The port that it listens on, also after a stop.
  public let port: Int
  /// `http://127.0.0.1:PORT`, or `https://…` with TLS.
  public let baseURL: String

  private let address: String
  private let routes = RouteTable()
  private let log = RequestLog()
  private let tls: NIOSSLContext?
  private let threadCount: Int
  private let listener = Mutex<Listener?>(nil)

  private init(tls: TLSMaterial?, address: String, port: Int, threadCount: Int) throws {
    do {
      self.tls = try tls?.makeContext()
    } catch {
      throw OriginError.unusableTLSMaterial(underlying: error)
    }
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
  /// Starts an origin, and returns when it can be connected to.
  ///
  /// - Parameters:
  ///   - tls: What it proves itself with; plain HTTP if there is none.
  ///   - address: The IPv4 address of this machine to listen on.
  ///   - port: Where to listen; 0 takes any free port.
  ///   - threadCount: The threads that serve connections. One leaves the other cores to the client under test.
  public static func start(
    tls: TLSMaterial? = nil, address: String = "127.0.0.1", port: Int = 0, threadCount: Int = 1
  ) throws -> ScriptedOrigin {
    try ScriptedOrigin(tls: tls, address: address, port: port, threadCount: threadCount)
  }

  /// Closes the socket and every connection, and returns when that is done. A stopped origin refuses connections.
  public func stop() throws {
    try listener.withLock { listener in
      let stopped = listener
      listener = nil
      try stopped?.close()
    }
  }

  /// Listens again on the same port after a stop, with the same scripts and log. Does nothing if it is not stopped.
  public func restart() throws {
    try listener.withLock { listener in
      guard listener == nil else { return }
      listener = try Listener(
        address: address, port: port, threadCount: threadCount, tls: tls, routes: routes, log: log)
    }
  }

  /// Breaks every open connection now, as when a network goes away; new connections are welcome.
  public func dropConnections(_ kind: Fault.Kind = .cut) {
    listener.withLock { $0?.dropConnections(kind) }
  }

  /// The address of a path, which begins with a slash.
  public func url(_ path: String) -> String {
    baseURL + path
  }
}

// MARK: - Script

extension ScriptedOrigin {
  /// Answers requests for `path` with a file.
  public func serve(_ path: String, _ resource: Resource) {
    serve(path, .resource(resource))
  }

  /// Does the same to every request for `path`.
  public func serve(_ path: String, _ behaviour: Behaviour) {
    serve(path, script: [behaviour])
  }

  /// Does one thing after the other to successive requests for `path`, HEAD requests included; the last one for ever.
  ///
  /// A path with a query goes before the same path without one.
  public func serve(_ path: String, script: [Behaviour]) {
    precondition(path.hasPrefix("/"), "a path begins with a slash: \(path)")
    precondition(!script.isEmpty, "a script needs at least one behaviour")
    routes.set(.script(script, next: 0), path: path)
  }

  /// Asks `choose` what to do with each request for `path`.
  public func serve(_ path: String, choosing choose: @escaping @Sendable (RequestRecord) -> Behaviour) {
    precondition(path.hasPrefix("/"), "a path begins with a slash: \(path)")
    routes.set(.choice(choose), path: path)
  }

  /// Asks `choose` what to do with requests for paths that have no script; else they get a 404.
  public func serveOtherPaths(choosing choose: @escaping @Sendable (RequestRecord) -> Behaviour) {
    routes.setFallback(choose)
  }

  /// Forgets what `path` answers.
  public func stopServing(_ path: String) {
    routes.remove(path: path)
  }
}

// MARK: - Log

extension ScriptedOrigin {
  /// What it has seen and done up to now.
  public var snapshot: Snapshot {
    log.snapshot
  }

  /// The requests since the start or the last reset, oldest first; when there are more than 100,000, the older half is
  /// forgotten.
  public var requests: [RequestRecord] {
    snapshot.requests
  }

  /// Bytes of content handed to the kernel, for all paths.
  public var totalBodyBytesSent: Int {
    snapshot.totalBodyBytesSent
  }

  /// Bytes of content handed to the kernel for `path`. Looks at every request.
  public func bytesSent(path: String) -> Int {
    snapshot.bytesSent(path: path)
  }

  /// Forgets the requests and counts. Requests that are under way are logged no further.
  public func resetLog() {
    log.reset()
  }

  /// Blocks until `condition` holds, looking again at every change of the log, and returns what it held for.
  ///
  /// - Throws: `OriginError.timedOut` when the time is up; whatever `condition` throws.
  @discardableResult
  public func wait(upTo limit: Duration, until condition: (Snapshot) throws -> Bool) throws -> Snapshot {
    guard let snapshot = try log.wait(upTo: limit, until: condition) else {
      throw OriginError.timedOut(after: limit, last: self.snapshot)
    }
    return snapshot
  }
}
