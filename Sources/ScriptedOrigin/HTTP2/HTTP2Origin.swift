import NIOCore
import NIOPosix
import Synchronization

/// An HTTP/2 server over TLS on 127.0.0.1 that performs a script of steps, one for each request, independent of its
/// fields. If it is told to, it answers HTTP/1.1 as well, with `body` in chunks.
///
/// Its frames are real; it parses just enough of them to separate requests, and no header fields.
package final class HTTP2Origin: Sendable {
  /// The handling of one request.
  package enum Step: Sendable, Hashable {
    /// Answers with a 200 and `body`.
    case answer
    /// Answers with a 200 and a part of `body`, and resets the stream without an error code.
    case reset
    /// Refuses the stream: the request was not processed and may be repeated (RFC 9113 section 8.7).
    case refuse
    /// Sends a GOAWAY which says that this request was not processed, and closes the connection.
    case goAway
    /// Closes the connection without another frame.
    case cut
    /// Does nothing.
    case silence
  }

  /// A received request.
  package struct Request: Sendable, Hashable {
    /// The number of its connection, from 0 on.
    package let connection: Int
    /// The step that handled it; nil for one in HTTP/1.1.
    package let step: Step?

    package init(connection: Int, step: Step?) {
      self.connection = connection
      self.step = step
    }
  }

  /// The content of every answer.
  package static let body = Array("hello".utf8)

  /// The port on which it listens.
  package let port: Int
  private let group: MultiThreadedEventLoopGroup
  private let script: Script

  /// Starts an origin; the script's last step handles all further requests.
  package static func start(
    tls: TLSMaterial, script steps: [Step], answersHTTP1: Bool = false
  ) throws -> HTTP2Origin {
    precondition(!steps.isEmpty, "a script needs at least one step")
    let protocols = answersHTTP1 ? ["h2", "http/1.1"] : ["h2"]
    return try HTTP2Origin(
      context: try TLSContext(tls, applicationProtocols: protocols), script: Script(steps, answersHTTP1: answersHTTP1))
  }

  private init(context: TLSContext, script: Script) throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    do {
      let server = try ServerBootstrap(group: group)
        .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(TLSHandler(context: context))
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

  /// An origin that was not stopped ends some time after its last reference is gone.
  deinit {
    group.shutdownGracefully { _ in
      // There is no caller left to report an error to.
    }
  }

  /// `https://127.0.0.1:PORT/`.
  package var url: String { "https://127.0.0.1:\(port)/" }

  /// The requests so far, oldest first.
  package var requests: [Request] { script.requests }
}

/// The steps of an origin, and the requests so far.
final class Script: Sendable {
  private struct State {
    var requests: [HTTP2Origin.Request] = []
    var connections = 0
  }

  private let steps: [HTTP2Origin.Step]
  private let state = Mutex(State())

  let answersHTTP1: Bool

  init(_ steps: [HTTP2Origin.Step], answersHTTP1: Bool) {
    self.steps = steps
    self.answersHTTP1 = answersHTTP1
  }

  var requests: [HTTP2Origin.Request] { state.withLock { $0.requests } }

  /// The number of a new connection.
  func connectionOpened() -> Int {
    state.withLock { state in
      defer { state.connections += 1 }
      return state.connections
    }
  }

  /// The step for the next request.
  func next(onConnection connection: Int) -> HTTP2Origin.Step {
    state.withLock { state in
      let step = steps[min(state.requests.count { $0.step != nil }, steps.count - 1)]
      state.requests.append(HTTP2Origin.Request(connection: connection, step: step))
      return step
    }
  }

  /// Notes a request in HTTP/1.1.
  func noteHTTP1(onConnection connection: Int) {
    state.withLock { $0.requests.append(HTTP2Origin.Request(connection: connection, step: nil)) }
  }
}
