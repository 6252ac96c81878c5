/// Why an exchange failed: a reason for decisions, and libcurl's message for display.
struct ExchangeFailure: Error, Sendable, Hashable {
  enum Reason: Sendable, Hashable {
    case unknownHost
    case connectFailed
    /// A redirect led from this machine to a destination outside its route.
    case pathRefused
    /// The origin's certificate is not trusted.
    case tlsCertificate
    /// Any other failure of TLS.
    case tls
    /// No connection within the timeout.
    case timeout
    /// Connected, but no head or no further byte of the body within the timeout.
    case stalled
    /// The body came below the required rate.
    case tooSlow
    /// The connection broke: includes truncated bodies, failed HTTP/2 streams and empty answers.
    case connectionLost
    case tooManyRedirects
    /// A redirect from https to http where that is not allowed, or to another scheme.
    case unsafeRedirect
    case unsupportedProtocol
    /// The address or a header is malformed: nothing was sent.
    case malformedRequest
    case malformedResponse
    /// The head is too large, or its length overflows: a retry would fail too.
    case headTooLarge
    /// The delegate answered `.stop`.
    case refusedByDelegate
    case cancelled
    case other
  }

  let reason: Reason
  /// libcurl's `CURLcode`; 0 if the driver itself decided.
  let curlCode: Int
  /// For users. Without user info and queries of URLs.
  let message: String

  init(_ reason: Reason, curlCode: Int = 0, message: String) {
    self.reason = reason
    self.curlCode = curlCode
    self.message = redactingURLs(in: message)
  }

  static let cancelled = ExchangeFailure(.cancelled, message: "cancelled")
  static let awayFromThisMachine = ExchangeFailure(
    .pathRefused, message: "it leads away from this machine, and there is no way")
}

/// Removes possible secrets from the URLs in a text: user info, query and fragment.
func redactingURLs(in text: String) -> String {
  text.split(separator: " ", omittingEmptySubsequences: false)
    .map { $0.contains("://") ? redactingURL($0) : $0 }
    .joined(separator: " ")
}

private func redactingURL(_ word: Substring) -> Substring {
  let withoutQuery = word.prefix { $0 != "?" && $0 != "#" }
  guard let marker = withoutQuery.firstRange(of: "://") else { return withoutQuery }
  let authority = withoutQuery[marker.upperBound...].prefix { $0 != "/" }
  guard let at = authority.lastIndex(of: "@") else { return withoutQuery }
  return withoutQuery[..<marker.upperBound] + withoutQuery[withoutQuery.index(after: at)...]
}
