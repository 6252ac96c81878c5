/// Why an attempt failed.
public struct DownloadError: Error, Hashable, Sendable {
  /// The machine-readable reason (the article Protocol).
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

  /// The machine-readable reason.
  public var code: Code
  /// One sentence for people; no secrets.
  public var message: String
  /// The HTTP status, where one was the reason.
  public var status: Int?
  /// What the last of the exhausted attempts failed with.
  public var cause: Code?
  /// How many bytes more would have to be free, where there is no room.
  public var shortBytes: Int64?
  /// Whether it is known that the same request will not succeed later, though requests that fail with this code may. What
  /// follows from it is decided when the attempt reports; rows do not keep it.
  public var isLasting: Bool

  /// Makes an error.
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

  /// Whether the same request may succeed later, with nobody doing anything about it.
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

  /// Whether the connection broke off, or nothing more came over it: that says nothing against another one.
  var isBrokenConnection: Bool { code == .connectionLost || code == .timeout }

  /// Whether another address of the same file may do better.
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
