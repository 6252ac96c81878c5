import Glibc
import NIOCore
import NIOSSL

/// Sent through the pipeline of a connection that shall break now.
struct DropConnection: Sendable {
  let kind: Fault.Kind
}

extension ChannelHandlerContext {
  /// Breaks the connection beneath TLS: no `close_notify`, as when a machine or a network dies.
  func sever(_ kind: Fault.Kind) {
    switch kind {
    case .stall: return
    case .cut: break
    case .reset:
      // Closing with a linger time of zero sends RST (socket(7), SO_LINGER).
      (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).assumeIsolated()
        .whenFailure { self.fireErrorCaught($0) }
    }
    do {
      try pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self).close(promise: nil)
    } catch {
      // There is no TLS on this connection.
      close(promise: nil)
    }
  }
}
