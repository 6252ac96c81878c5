/// Why an attempt failed.
///
/// ```swift
/// switch download.state.failure?.code {
/// case .unauthorized, .forbidden: print("log in first")
/// case .notFound, .gone: print("the file is not there any more")
/// default: print(download.state.failure?.message ?? "no failure")
/// }
/// ```
public struct DownloadError: Error, Hashable, Sendable {
  /// The machine-readable reason (see the article Protocol).
  ///
  /// Use: `error.code`. `Condition.errorCodes([.gone])` selects by it, in a line `{"errorCode": "gone"}`.
  public enum Code: String, Sendable, CaseIterable {
    /// The host's name has no address.
    case unknownHost = "unknown_host"
    /// No connection to the host could be made, or none may be.
    case connectFailed = "connect_failed"
    /// The host's certificate is not trusted.
    case tlsCertificate = "tls_certificate"
    /// Connecting, the response's head or the next byte took longer than the settings allow.
    case timeout
    /// The transfer was slower than `slowBytesPerSecond`.
    case tooSlow = "too_slow"
    /// The connection broke off.
    case connectionLost = "connection_lost"
    /// More than 10 redirects followed each other.
    case tooManyRedirects = "too_many_redirects"
    /// A redirect led from https to http, to another scheme, or to an address that may not be reached.
    case unsafeRedirect = "unsafe_redirect"
    /// The server answered with another status that is no success; `status` has it.
    case httpStatus = "http_status"
    /// The server answered 404.
    case notFound = "not_found"
    /// The server answered 410.
    case gone
    /// The server answered 401.
    case unauthorized
    /// The server answered 403.
    case forbidden
    /// The server sent another part than the requested one.
    case rangeMismatch = "range_mismatch"
    /// The file changed on the server during the download.
    case validatorChanged = "validator_changed"
    /// The file has another length than the server named.
    case lengthMismatch = "length_mismatch"
    /// The file's digest is not the one that the client named.
    case integrityMismatch = "integrity_mismatch"
    /// The file is no media, but a page or a text.
    case notMedia = "not_media"
    /// The file is larger than `maxFileBytes`.
    case tooLarge = "too_large"
    /// The disk is full.
    case noSpace = "no_space"
    /// Another file stands at the destination.
    case fileExists = "file_exists"
    /// The disk or the file system failed.
    case io
    /// A completed file is missing or is not what was published.
    case corruptFile = "corrupt_file"
    /// As many attempts as `maxAttempts` failed without progress; `cause` has the last failure.
    case retriesExhausted = "retries_exhausted"
  }

  /// Whether a repetition of the request can succeed, where the error's code alone does not tell.
  package enum Outlook: Hashable, Sendable {
    /// The same request will certainly fail again, although other errors with this code may pass.
    case lasting
    /// The same request may succeed, although other errors with this code do not pass: a resource was scarce for a
    /// while.
    case passing
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
  /// What is known of the same request at a later time, where the code does not say it. It matters when the attempt
  /// reports; rows do not store it.
  package var outlook: Outlook?
  /// How the server challenges a request that it does not authorize. It matters when the attempt reports; rows do not
  /// store it.
  package var challenge: Challenge?
  /// Whether another host has answered than the one that was asked, because that one led there. It matters when the
  /// attempt reports; rows do not store it.
  package var isOfOtherHost: Bool

  /// Makes an error as rows keep it.
  package init(
    _ code: Code, _ message: String, status: Int? = nil, cause: Code? = nil, shortBytes: Int64? = nil
  ) {
    self.init(code, message, status: status, cause: cause, shortBytes: shortBytes, isOfOtherHost: false)
  }

  /// Makes an error as an attempt reports it.
  package init(
    _ code: Code, _ message: String, status: Int? = nil, cause: Code? = nil, shortBytes: Int64? = nil,
    outlook: Outlook? = nil, challenge: Challenge? = nil, isOfOtherHost: Bool = false
  ) {
    self.code = code
    self.message = message
    self.status = status
    self.cause = cause
    self.shortBytes = shortBytes
    self.outlook = outlook
    self.challenge = challenge
    self.isOfOtherHost = isOfOtherHost
  }

  /// The error as rows store it.
  var stored: DownloadError {
    var error = self
    (error.outlook, error.challenge, error.isOfOtherHost) = (nil, nil, false)
    return error
  }

  /// Whether the same request may succeed later although no person acts.
  public var isTransient: Bool {
    if let outlook { return outlook == .passing }
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

  /// Whether an attempt for this origin is repeated after it. What a person has asked for fails at once where the disk
  /// or its permissions are to blame, if nothing says that it passes: the person is there. What rules want is tried
  /// again, since a folder may be closed for a while.
  func isTransient(for origin: Origin) -> Bool {
    isTransient || code == .io && origin == .auto && outlook != .lasting
  }

  /// Whether the loss of a path may have caused it.
  var mayComeOfLostPath: Bool {
    guard outlook == nil else { return false }
    return switch code {
    case .unknownHost, .connectFailed, .tlsCertificate, .timeout, .tooSlow, .connectionLost: true
    default: false
    }
  }

  /// Whether the file may be at another address by now, where it can be downloaded: the address has expired, its host
  /// is gone, or what is there is not the file any more.
  var mayBeElsewhere: Bool {
    switch code {
    case .tooLarge: false
    case .retriesExhausted: cause?.concernsSource ?? false
    default: concernsSource
    }
  }

  /// Whether another address of the same file may succeed.
  var concernsSource: Bool { code.concernsSource }
}

extension DownloadError.Code {
  fileprivate var concernsSource: Bool {
    switch self {
    case .noSpace, .fileExists, .io, .corruptFile, .retriesExhausted: false
    case .unknownHost, .connectFailed, .tlsCertificate, .timeout, .tooSlow, .connectionLost, .tooManyRedirects,
      .unsafeRedirect, .httpStatus, .notFound, .gone, .unauthorized, .forbidden, .rangeMismatch, .validatorChanged,
      .lengthMismatch, .integrityMismatch, .notMedia, .tooLarge:
      true
    }
  }
}
