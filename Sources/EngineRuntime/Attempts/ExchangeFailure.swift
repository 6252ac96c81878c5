import PodfluxCore

/// Why an exchange has failed: a reason to act on, and libcurl's own words to show.
package struct ExchangeFailure: Error, Sendable, Hashable {
  /// What to act on.
  package enum Reason: Sendable, Hashable {
    case unknownHost
    case connectFailed
    /// It was led from this machine to where its route does not go.
    case pathRefused
    /// The origin's certificate is not to be trusted.
    case tlsCertificate
    /// Any other failure of TLS.
    case tls
    /// No connection within the time for it.
    case timeout
    /// Connected, but no head or then no byte of the body for too long.
    case stalled
    /// The body came at less than the rate that was wanted.
    case tooSlow
    /// Broken off: cut bodies, failed HTTP/2 streams and empty answers included.
    case connectionLost
    case tooManyRedirects
    /// A redirect from https to http where that is not allowed, or to neither of them.
    case unsafeRedirect
    case unsupportedProtocol
    /// The address or a header is not well formed: nothing was sent.
    case malformedRequest
    case malformedResponse
    /// The head of the response has more than is taken, or names a length beyond all numbers: it would again.
    case headTooLarge
    /// The delegate answered `.stop`.
    case refusedByDelegate
    case cancelled
    case other
  }

  /// What to act on.
  package let reason: Reason
  /// libcurl's `CURLcode`; 0 where the driver itself decided.
  package let curlCode: Int
  /// For people. User info and queries of URLs are taken out.
  package let message: String

  /// Describes a failure.
  package init(_ reason: Reason, curlCode: Int = 0, message: String) {
    self.reason = reason
    self.curlCode = curlCode
    self.message = redactingURLs(in: message)
  }

  /// It was cancelled.
  package static let cancelled = ExchangeFailure(.cancelled, message: "cancelled")
  /// It was led from this machine to where its route does not go.
  package static let awayFromThisMachine = ExchangeFailure(
    .pathRefused, message: "it leads away from this machine, and there is no way")
}

extension DownloadError {
  /// An exchange's failure in the protocol's terms.
  package init(_ failure: ExchangeFailure) {
    let code: Code =
      switch failure.reason {
      case .unknownHost: .unknownHost
      case .connectFailed, .pathRefused, .tls: .connectFailed
      case .tlsCertificate: .tlsCertificate
      case .timeout, .stalled: .timeout
      case .tooSlow: .tooSlow
      case .tooManyRedirects: .tooManyRedirects
      case .headTooLarge: .tooLarge
      case .unsafeRedirect, .unsupportedProtocol, .malformedRequest: .unsafeRedirect
      case .connectionLost, .malformedResponse, .refusedByDelegate, .cancelled, .other: .connectionLost
      }
    self.init(code, failure.message)
  }
}

/// Takes what may be secret out of the URLs in a text: user info, query and fragment.
package func redactingURLs(in text: String) -> String {
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
