import CCurl
import Glibc

/// Over TLS, the end of a connection has to be signed (close_notify, RFC 8446 section 6.1): anybody on the way can close
/// it, and a body that ends with the connection would be cut short unnoticed (RFC 9112 section 9.8).
///
/// libcurl 7.88 with OpenSSL 3 takes any end for a signed one: it denies OpenSSL the knowledge that the socket has ended.
extension EasyHandle {
  /// Whether a close_notify has come; nil where there is no TLS by OpenSSL. To be asked while the hop has its connection.
  var hasSignedEnd: Bool? {
    var context: UnsafeMutableRawPointer?
    guard let shutdownState, ccurl_get_pointer(pointer, CURLINFO_TLS_SSL_PTR, &context) == CURLE_OK,
      let session = context?.assumingMemoryBound(to: curl_tlssessioninfo.self).pointee,
      session.backend == CURLSSLBACKEND_OPENSSL, let connection = session.internals
    else { return nil }
    return shutdownState(connection) & receivedShutdown != 0
  }
}

/// `SSL_RECEIVED_SHUTDOWN` (SSL_get_shutdown(3)).
private let receivedShutdown: Int32 = 2

/// OpenSSL's `SSL_get_shutdown`, which libcurl has brought along: it is looked up, so that nothing but libcurl need be
/// there to build with.
private let shutdownState: (@convention(c) (_ connection: UnsafeMutableRawPointer) -> Int32)? = {
  guard let symbol = dlsym(nil, "SSL_get_shutdown") else { return nil }
  return unsafeBitCast(symbol, to: (@convention(c) (UnsafeMutableRawPointer) -> Int32).self)
}()
