import CCurl
import EngineRuntime

extension ExchangeFailure {
  /// Classifies libcurl's error code.
  ///
  /// - Parameters:
  ///   - headWasSeen: Distinguishes codes with one meaning before the head and another after it.
  ///   - proxyStatus: A proxy's status for CONNECT; 0 without a proxy.
  init(_ code: CURLcode, errorText: String, headWasSeen: Bool, proxyStatus: Int) {
    let text = errorText.isEmpty ? String(cString: curl_easy_strerror(code)) : errorText
    let reason = Reason(code, headWasSeen: headWasSeen)
    let isRefusedByProxy = code == CURLE_RECV_ERROR && proxyStatus != 0 && proxyStatus / 100 != 2
    self.init(
      isRefusedByProxy ? .connectFailed : reason, curlCode: Int(code.rawValue),
      message: reason == .headTooLarge ? Self.longLine : Self.withoutProxyAddress(text))
  }

  /// For a long line libcurl's own words are "Out of memory".
  private static let longLine = "the head of the response is refused: one of its lines has more than 100 KiB"

  /// libcurl quotes an unusable proxy as the environment has it: with its password.
  private static func withoutProxyAddress(_ text: String) -> String {
    guard text.hasPrefix("Unsupported proxy") else { return text }
    return "the proxy that the environment names is not one that can be used"
  }
}

extension ExchangeFailure.Reason {
  fileprivate init(_ code: CURLcode, headWasSeen: Bool) {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: self = .unknownHost
    case CURLE_COULDNT_CONNECT, CURLE_PROXY, CURLE_INTERFACE_FAILED: self = .connectFailed
    // Connecting is the only phase for which libcurl itself has a timeout.
    case CURLE_OPERATION_TIMEDOUT: self = .timeout

    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS: self = .tlsCertificate
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_CERTPROBLEM,
      CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_SHUTDOWN_FAILED,
      CURLE_SSL_CRL_BADFILE, CURLE_SSL_CLIENTCERT:
      self = .tls

    case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM:
      self = .connectionLost

    case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING: self = .malformedResponse
    // The scheme was checked before: here this code means an answer without a status line.
    case CURLE_UNSUPPORTED_PROTOCOL: self = .malformedResponse
    // libcurl reports this for a header line beyond its own limit of 100 KiB.
    case CURLE_OUT_OF_MEMORY where !headWasSeen: self = .headTooLarge
    case CURLE_URL_MALFORMAT: self = .malformedRequest
    default: self = .other
    }
  }
}
