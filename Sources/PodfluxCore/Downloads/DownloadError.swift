/// Why an attempt failed.
public struct DownloadError: Error, Hashable, Sendable {
  /// The machine-readable reason (see the article Protocol).
  public enum Code: String, Sendable, CaseIterable {
    case unknownHost = "unknown_host"
    case connectFailed = "connect_failed"
    case tlsCertificate = "tls_certificate"
    case timeout
    case tooSlow = "too_slow"
    case connectionLost = "connection_lost"
    case tooManyRedirects = "too_many_redirects"
    case unsafeRedirect = "unsafe_redirect"
    case httpStatus = "http_status"
    case notFound = "not_found"
    case gone
    case unauthorized
    case forbidden
    case rangeMismatch = "range_mismatch"
    case validatorChanged = "validator_changed"
    case lengthMismatch = "length_mismatch"
    case integrityMismatch = "integrity_mismatch"
    case notMedia = "not_media"
    case tooLarge = "too_large"
    case noSpace = "no_space"
    case fileExists = "file_exists"
    case io
    case corruptFile = "corrupt_file"
    case retriesExhausted = "retries_exhausted"
  }

  public var code: Code
  /// One sentence for users, without secrets.
  public var message: String
  /// The HTTP status, if it was the reason.
  public var status: Int?
  /// The code of the last attempt, if all attempts are exhausted.
  public var cause: Code?
  /// How many more bytes must be free, if storage is missing.
  public var shortBytes: Int64?
  /// Whether the same request will certainly not succeed later, although others with this code may. It matters when the
  /// attempt reports; rows do not store it.
  public var isLasting: Bool

  public init(
    _ code: Code, _ message: String, status: Int? = nil, cause: Code? = nil, shortBytes: Int64? = nil,
    isLasting: Bool = false
  ) {
    self.code = code
    self.message = message
    self.status = status
    self.cause = cause
    self.shortBytes = shortBytes
    self.isLasting = isLasting
  }

  /// Whether the same request may succeed later without anyone's action.
  public var isTransient: Bool {
    guard !isLasting else { return false }
    return switch code {
    case .unknownHost, .connectFailed, .timeout, .tooSlow, .connectionLost, .rangeMismatch, .validatorChanged,
      .lengthMismatch, .notMedia, .noSpace:
      true
    case .httpStatus: status.map { $0 == 408 || $0 == 425 || $0 == 429 || (500...599).contains($0) } ?? false
    case .tlsCertificate, .tooManyRedirects, .unsafeRedirect, .notFound, .gone, .unauthorized, .forbidden,
      .integrityMismatch, .tooLarge, .fileExists, .io, .corruptFile, .retriesExhausted:
      false
    }
  }

  /// Whether the connection broke or stalled: that proves nothing against another connection.
  var isBrokenConnection: Bool { code == .connectionLost || code == .timeout }

  /// Whether another address of the same file may succeed.
  var concernsSource: Bool {
    switch code {
    case .noSpace, .fileExists, .io, .corruptFile, .retriesExhausted: false
    case .unknownHost, .connectFailed, .tlsCertificate, .timeout, .tooSlow, .connectionLost, .tooManyRedirects,
      .unsafeRedirect, .httpStatus, .notFound, .gone, .unauthorized, .forbidden, .rangeMismatch, .validatorChanged,
      .lengthMismatch, .integrityMismatch, .notMedia, .tooLarge:
      true
    }
  }
}
