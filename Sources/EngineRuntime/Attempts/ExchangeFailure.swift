import PodfluxCore

/// Why an exchange has failed: a reason to act on, and libcurl's own words to show.
package struct ExchangeFailure: Error, Sendable, Hashable {
  /// What to act on.
  package enum Reason: Sendable, Hashable {
    case unknownHost
    case connectFailed
    /// The process or the system has no socket to give just now.
    case noSocket
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
    /// The request's reach ends before the address that its URL names.
    case notPublic
    /// A name or a redirect led beyond the request's reach. Either may lead elsewhere tomorrow: a captive portal leads
    /// all of them to itself.
    case ledNotPublic
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

  /// What to act on.
  package let reason: Reason
  /// libcurl's `CURLcode`; 0 where the driver itself decided.
  package let curlCode: Int
  /// For people. User info and queries of URLs are taken out.
  package let message: String

  /// Whether the request's reach was the reason.
  package var isOfReach: Bool { reason == .notPublic || reason == .ledNotPublic }

  /// Describes a failure.
  package init(_ reason: Reason, curlCode: Int = 0, message: String) {
    self.reason = reason
    self.curlCode = curlCode
    self.message = redactingURLs(in: message)
  }

  /// Its delegate has answered `.stop`.
  package static let refused = ExchangeFailure(.refusedByDelegate, message: "no longer wanted")
  package static let cancelled = ExchangeFailure(.cancelled, message: "cancelled")
  /// A redirect led from this machine to an address that the request's route does not reach.
  package static let awayFromThisMachine = ExchangeFailure(
    .pathRefused, message: "it leads away from this machine, and there is no way")
}

extension DownloadError {
  /// An exchange's failure in the protocol's terms.
  package init(_ failure: ExchangeFailure) {
    let code: Code =
      switch failure.reason {
      case .unknownHost: .unknownHost
      case .connectFailed, .noSocket, .pathRefused, .tls, .notPublic, .ledNotPublic: .connectFailed
      case .tlsCertificate: .tlsCertificate
      case .timeout, .stalled: .timeout
      case .tooSlow: .tooSlow
      case .tooManyRedirects: .tooManyRedirects
      case .headTooLarge: .tooLarge
      case .unsafeRedirect, .unsupportedProtocol, .malformedRequest: .unsafeRedirect
      case .connectionLost, .malformedResponse, .refusedByDelegate, .cancelled, .other: .connectionLost
      }
    let outlook: Outlook? =
      switch failure.reason {
      // The engine would refuse the address again, until a person permits it.
      case .notPublic: .lasting
      case .noSocket: .passing
      default: nil
      }
    self.init(code, failure.message, outlook: outlook)
  }
}

/// Takes what may be secret out of the URLs in a text: user info, query and fragment.
package func redactingURLs(in text: String) -> String {
  // By scalars: a mark with a combining accent is one Character, not equal to the mark.
  text.unicodeScalars.split(separator: " ", omittingEmptySubsequences: false)
    .map { String(redactingURL($0)) }
    .joined(separator: " ")
}

private func redactingURL(_ word: Substring.UnicodeScalarView) -> Substring.UnicodeScalarView {
  guard let marker = word.firstRange(of: "://".unicodeScalars) else { return word }
  var shown = word.prefix { $0 != "?" && $0 != "#" }
  guard marker.upperBound <= shown.endIndex else { return shown }
  let authority = shown[marker.upperBound...].prefix { $0 != "/" }
  if let at = authority.lastIndex(of: "@") { shown.removeSubrange(marker.upperBound...at) }
  return shown
}
