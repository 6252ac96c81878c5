/// Why the engine did not carry out an intent, or answer a query (the article Protocol). Nothing was changed.
///
/// ```swift
/// do throws(Refusal) { _ = try await podflux.dispatch(.downloads(.pause(.one(id)))) } catch { print(error.message) }
/// ```
public struct Refusal: Error, Hashable, Sendable {
  /// The machine-readable reason. Some concern the text of lines alone: a Swift program does not meet them.
  ///
  /// ```swift
  /// do throws(Refusal) {
  ///   _ = try await podflux.dispatch(.downloads(.resume(.one(id))))
  /// } catch where error.code == .illegalTransition {
  ///   print("the download is completed")
  /// }
  /// ```
  public enum Code: String, Sendable, CaseIterable {
    /// The line is not JSON, or has a key twice in one object.
    case invalidJSON = "invalid_json"
    /// The line is longer than 1 MiB.
    case lineTooLong = "line_too_long"
    /// The line is empty, or JSON other than an object.
    case invalidLine = "invalid_line"
    /// No action and no query has this type.
    case unknownAction = "unknown_action"
    /// An object has a key that it cannot have.
    case unknownField = "unknown_field"
    /// A required member is missing.
    case missingField = "missing_field"
    /// A value is of another kind, or out of its range.
    case invalidValue = "invalid_value"
    /// A URL is neither http nor https.
    case unsupportedScheme = "unsupported_scheme"
    /// A path is absolute, leads out of the library, or has a name that the library does not take.
    case unsafePath = "unsafe_path"
    /// No download or saved set of filters has this name.
    case notFound = "not_found"
    /// Something else has the name or the place already.
    case conflict
    /// The download's state does not allow the change.
    case illegalTransition = "illegal_transition"
    /// The engine is suspended; it takes `engine/resume` and `engine/shutdown` only.
    case suspended
    /// The engine is stopping.
    case shuttingDown = "shutting_down"
    /// The database could not take the change; nothing has changed.
    case storageFailure = "storage_failure"
    /// A line asks for more than a named limit allows.
    case limitExceeded = "limit_exceeded"
  }

  /// The machine-readable reason.
  public var code: Code
  /// One sentence: what was wrong and what would be right.
  public var message: String
  /// Where in the line the fault is, such as `payload.url`; nil if it is no single place.
  public var path: String?

  /// Makes a refusal.
  package init(_ code: Code, _ message: String, path: String? = nil) {
    self.code = code
    self.message = message
    self.path = path
  }
}

extension Refusal {
  /// The engine has given the library up for a while.
  package static let isSuspended = Refusal(
    .suspended, "the engine is suspended and takes engine/resume and engine/shutdown only; resume it first")
}
