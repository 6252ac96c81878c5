import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// The listening socket of an origin, its accepted connections, and the threads that serve them.
final class Listener: Sendable {
  let port: Int

  private let group: MultiThreadedEventLoopGroup
  private let server: any Channel
  private let connections: ConnectionRegistry

  /// The limit of a head; larger ones get a 431.
  private static let maximumHeadBytes = 64 * 1024
  /// How many connections may wait for accept; the kernel clamps it to net.core.somaxconn.
  private static let backlog: Int32 = 4096
  /// Below the low mark the channel accepts writes again, above the high one it refuses them.
  private static let writeBufferMarks = ChannelOptions.Types.WriteBufferWaterMark(low: 512 * 1024, high: 1024 * 1024)

  /// Listens on an address; port 0 takes any free one. Blocks until the socket is ready.
  init(
    address: String, port: Int, threadCount: Int, tls: TLSContext?, routes: RouteTable, log: RequestLog
  ) throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: threadCount)
    let connections = ConnectionRegistry()
    do {
      server = try ServerBootstrap(group: group)
        .serverChannelOption(.backlog, value: Self.backlog)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
        .childChannelOption(.writeBufferWaterMark, value: Self.writeBufferMarks)
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            connections.insert(channel)
            try Self.configure(channel, tls: tls, routes: routes, log: log)
          }
        }
        .bind(host: address, port: port)
        .wait()
    } catch {
      try group.syncShutdownGracefully()
      throw OriginError.cannotListen(port: port, underlying: error)
    }
    self.port = server.localAddress?.port ?? port
    self.group = group
    self.connections = connections
  }

  /// An origin that was not stopped ends some time after its last reference is gone.
  deinit {
    group.shutdownGracefully { _ in
      // There is no caller left to report an error to.
    }
  }

  /// Breaks every open connection; new ones are accepted.
  func dropConnections(_ kind: Fault.Kind) {
    connections.drop(kind)
  }

  /// Closes everything and ends the threads. Blocks until that is done; do not call it on the listener's own threads.
  func close() throws {
    // The connections first, beneath TLS: otherwise each would wait for its client's close_notify.
    connections.drop(.cut)
    try group.syncShutdownGracefully()
  }

  private static func configure(
    _ channel: any Channel, tls: TLSContext?, routes: RouteTable, log: RequestLog
  ) throws {
    let pipeline = channel.pipeline.syncOperations
    if let tls {
      try pipeline.addHandler(TLSHandler(context: tls))
    }
    var limits = NIOHTTPDecoderLimitConfiguration()
    limits.maxHeaderFieldSize = maximumHeadBytes
    limits.maxHeaderListSize = maximumHeadBytes
    let decoder = HTTPRequestDecoder(limitConfiguration: limits)
    try pipeline.addHandler(ByteToMessageHandler(decoder))
    try pipeline.addHandler(ConnectionHandler(routes: routes, log: log))
  }
}

private final class ConnectionRegistry: Sendable {
  private let channels = Mutex<[ObjectIdentifier: any Channel]>([:])

  func insert(_ channel: any Channel) {
    let key = ObjectIdentifier(channel)
    channels.withLock { $0[key] = channel }
    channel.closeFuture.whenComplete { _ in
      self.channels.withLock { _ = $0.removeValue(forKey: key) }
    }
  }

  func drop(_ kind: Fault.Kind) {
    for channel in channels.withLock({ Array($0.values) }) {
      channel.pipeline.fireUserInboundEventTriggered(DropConnection(kind: kind))
    }
  }
}
