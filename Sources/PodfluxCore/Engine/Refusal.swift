/// Why a client's line was not carried out (the article Protocol).
public struct Refusal: Error, Hashable, Sendable {
  /// The machine-readable reason.
  public enum Code: String, Sendable, CaseIterable {
    case invalidJSON = "invalid_json"
    case lineTooLong = "line_too_long"
    case invalidLine = "invalid_line"
    case unknownAction = "unknown_action"
    case unknownField = "unknown_field"
    case missingField = "missing_field"
    case invalidValue = "invalid_value"
    case unsupportedScheme = "unsupported_scheme"
    case unsafePath = "unsafe_path"
    case notFound = "not_found"
    case conflict
    case illegalTransition = "illegal_transition"
    case suspended
    case shuttingDown = "shutting_down"
    case storageFailure = "storage_failure"
    case limitExceeded = "limit_exceeded"
  }

  /// The machine-readable reason.
  public var code: Code
  /// One sentence: what was wrong and what would be right.
  public var message: String
  /// Where in the line the fault is, such as `payload.url`; nil if it is no single place.
  public var path: String?

  /// Makes a refusal.
  public init(_ code: Code, _ message: String, path: String? = nil) {
    self.code = code
    self.message = message
    self.path = path
  }
}

extension Refusal {
  /// The engine has given the library up for a while.
  public static let isSuspended = Refusal(
    .suspended, "the engine is suspended and takes engine/resume and engine/shutdown only; resume it first")
}
