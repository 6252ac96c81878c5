import CCurl
import Glibc

/// Over TLS, the end of a connection is signed (close_notify, RFC 8446 section 6.1): any host on the path can close it,
/// and a body that ends with the connection could be truncated unnoticed (RFC 9112 section 9.8).
///
/// libcurl 7.88 with OpenSSL 3 treats any end as signed: it hides the end of the socket from OpenSSL.
extension EasyHandle {
  /// Whether a close_notify has come; nil without TLS by OpenSSL. Read it while the hop has its connection.
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

/// OpenSSL's `SSL_get_shutdown` from the library that libcurl loaded: it is looked up at run time, so that the build
/// needs no OpenSSL.
private let shutdownState: (@convention(c) (_ connection: UnsafeMutableRawPointer) -> Int32)? = {
  guard let symbol = dlsym(nil, "SSL_get_shutdown") else { return nil }
  return unsafeBitCast(symbol, to: (@convention(c) (UnsafeMutableRawPointer) -> Int32).self)
}()
