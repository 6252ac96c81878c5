import CCurl
import EngineRuntime
import PodfluxCore

/// Connections, idle ones too, that are taken for another by libcurl: a share handle for nothing else, used on the
/// driver's thread alone. Its idle connections are closed with it.
final class ConnectionPool {
  let pointer: UnsafeMutableRawPointer
  /// Is told of each connection's end, and so has to outlive them.
  private let sockets: SocketTable

  fileprivate init(_ sockets: SocketTable) throws(ExchangeFailure) {
    self.sockets = sockets
    guard let pointer = curl_share_init() else {
      throw ExchangeFailure(.other, message: "libcurl has no memory for a pool of connections")
    }
    self.pointer = pointer
    guard ccurl_share_connections(pointer) == CURLSHE_OK else {
      throw ExchangeFailure(.other, message: "libcurl cannot keep pools of connections apart")
    }
  }

  deinit { curl_share_cleanup(pointer) }
}

/// A pool for each route, so that no exchange is given a connection that another route's has opened.
///
/// libcurl has one pool by itself, and tells connections apart by where they lead. `CURLOPT_INTERFACE` would make it look
/// at the device as well, but it would be bound on the way to loopback too, and an exchange that names none is given any.
final class ConnectionPools {
  private let sockets: SocketTable
  private var current: [Route: ConnectionPool] = [:]

  init(_ sockets: SocketTable) {
    self.sockets = sockets
  }

  /// The route's pool on the present path.
  func pool(for route: Route) throws(ExchangeFailure) -> ConnectionPool {
    if let pool = current[route] { return pool }
    let pool = try ConnectionPool(sockets)
    current[route] = pool
    return pool
  }

  /// From now on every route has a new pool. The old ones go when no exchange uses them any more.
  func renew() {
    current = [:]
  }
}
