import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// An HTTP/2 server over TLS on 127.0.0.1 that does one thing after the other to successive requests, whatever they ask.
///
/// Frames are real; it understands just enough of them to tell requests apart, and does not read their fields.
public final class HTTP2Origin: Sendable {
  /// What is done to one request.
  public enum Step: Sendable, Hashable {
    /// It is answered with a 200 and `body`.
    case answer
    /// Its stream is refused: it was not processed and may be sent again (RFC 9113 section 8.7).
    case refuse
    /// The connection is given up by a GOAWAY which says that this request was not processed, and closed.
    case goAway
    /// The connection is closed without a word.
    case cut
    /// Nothing is done.
    case silence
  }

  /// A request that has come.
  public struct Request: Sendable, Hashable {
    /// The number of its connection, counted from 0 on.
    public let connection: Int
    /// What was done to it.
    public let step: Step

    /// Makes one, to compare with.
    public init(connection: Int, step: Step) {
      self.connection = connection
      self.step = step
    }
  }

  /// The content of every answer.
  public static let body = Array("hello".utf8)

  /// The port that it listens on.
  public let port: Int
  private let group: MultiThreadedEventLoopGroup
  private let script: Script

  /// Starts an origin; the last step of the script is done to all further requests.
  public static func start(tls: TLSMaterial, script steps: [Step]) throws -> HTTP2Origin {
    precondition(!steps.isEmpty, "a script needs at least one step")
    return try HTTP2Origin(context: try tls.makeContext(applicationProtocols: ["h2"]), script: Script(steps))
  }

  private init(context: NIOSSLContext, script: Script) throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    do {
      let server = try ServerBootstrap(group: group)
        .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
            try channel.pipeline.syncOperations.addHandler(HTTP2Handler(script))
          }
        }
        .bind(host: "127.0.0.1", port: 0)
        .wait()
      port = server.localAddress?.port ?? 0
    } catch {
      try group.syncShutdownGracefully()
      throw OriginError.cannotListen(port: 0, underlying: error)
    }
    self.group = group
    self.script = script
  }

  /// An origin that nobody stopped ends by itself, some time after it was forgotten.
  deinit {
    group.shutdownGracefully { _ in
      // Nobody is left who could be told of a failure.
    }
  }

  /// `https://127.0.0.1:PORT/`.
  public var url: String { "https://127.0.0.1:\(port)/" }

  /// The requests so far, oldest first.
  public var requests: [Request] { script.requests }
}

/// What is to be done to each request of an origin, and what has been.
final class Script: Sendable {
  private struct State {
    var requests: [HTTP2Origin.Request] = []
    var connections = 0
  }

  private let steps: [HTTP2Origin.Step]
  private let state = Mutex(State())

  init(_ steps: [HTTP2Origin.Step]) {
    self.steps = steps
  }

  var requests: [HTTP2Origin.Request] { state.withLock { $0.requests } }

  /// The number of a new connection.
  func connectionOpened() -> Int {
    state.withLock { state in
      defer { state.connections += 1 }
      return state.connections
    }
  }

  /// What is to be done to the next request.
  func next(onConnection connection: Int) -> HTTP2Origin.Step {
    state.withLock { state in
      let step = steps[min(state.requests.count, steps.count - 1)]
      state.requests.append(HTTP2Origin.Request(connection: connection, step: step))
      return step
    }
  }
}
