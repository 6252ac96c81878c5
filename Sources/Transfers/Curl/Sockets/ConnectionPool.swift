import CCurl
import EngineRuntime
import PodfluxCore

/// Connections, idle ones included, that libcurl may reuse for each other: a share handle for this purpose only. Only
/// the driver's thread uses it. Deinit closes its idle connections.
final class ConnectionPool {
  let pointer: UnsafeMutableRawPointer
  /// Learns of each connection's end, so it must outlive them.
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

/// One pool for each route, so that no exchange reuses a connection of another route.
///
/// libcurl by default has one pool, and compares connections by their destination. `CURLOPT_INTERFACE` would make it
/// compare the device as well, but would also bind connections to loopback, and an exchange without it reuses any
/// connection.
final class ConnectionPools {
  private let sockets: SocketTable
  private var current: [Route: ConnectionPool] = [:]

  init(_ sockets: SocketTable) {
    self.sockets = sockets
  }

  /// The route's pool for the current path.
  func pool(for route: Route) throws(ExchangeFailure) -> ConnectionPool {
    if let pool = current[route] { return pool }
    let pool = try ConnectionPool(sockets)
    current[route] = pool
    return pool
  }

  /// Gives every route a new pool from now on. An old one ends when its last exchange does.
  func renew() {
    current = [:]
  }
}
