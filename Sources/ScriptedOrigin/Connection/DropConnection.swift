import Glibc
import NIOCore

/// An event that breaks a connection now, sent through its pipeline.
struct DropConnection: Sendable {
  let kind: Fault.Kind
}

extension ChannelHandlerContext {
  /// Breaks the connection beneath TLS: no `close_notify`, as after a crash or a network failure.
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
      try pipeline.syncOperations.context(handlerType: TLSHandler.self).close(promise: nil)
    } catch {
      // There is no TLS on this connection.
      close(promise: nil)
    }
  }
}
