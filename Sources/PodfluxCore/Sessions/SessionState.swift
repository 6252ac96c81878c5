import Flux

/// Where a session is in its life. A payload exists only in its state.
///
/// ```swift
/// switch session.state {
/// case .open, .extended: print("requests are sent")
/// case .loginFailed(let error): print(error.message)
/// case .created, .opening, .closed: print("requests wait")
/// }
/// ```
public enum SessionState: Hashable, Sendable {
  /// Nothing has been asked for yet; whether the vault may hold a token from before.
  case created(isCached: Bool)
  /// Its credentials are being got, for the first time or anew. Its requests wait.
  case opening(Opening)
  /// Its requests are sent.
  case open
  /// The session is open, and its token was renewed since.
  case extended
  /// A client has closed it. Its requests wait.
  case closed
  /// Its credentials are of no use. Its requests fail, until a client opens it again or the engine starts anew.
  case loginFailed(DownloadError)

  /// How far the opening of a session is.
  ///
  /// ```swift
  /// if case .opening(let opening) = session.state, opening.failures > 0 { print("failed", opening.failures, "times") }
  /// ```
  public struct Opening: Hashable, Sendable {
    /// Whether the session was open before.
    public var isRenewal: Bool
    /// Whether a token that the vault holds already will do.
    public var takesKept: Bool
    /// How often it was tried in vain.
    public var failures: Int
    /// When it is tried again; nil while it is under way, or may be at once.
    public var next: Timestamp?

    package init(isRenewal: Bool, takesKept: Bool, failures: Int = 0, next: Timestamp? = nil) {
      self.isRenewal = isRenewal
      self.takesKept = takesKept
      self.failures = failures
      self.next = next
    }
  }

  /// A state without its payload. The names are the protocol's.
  ///
  /// Use: `session.state.kind`.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case created, opening, open, extended, closed, loginFailed
  }

  public var kind: Kind {
    switch self {
    case .created: .created
    case .opening: .opening
    case .open: .open
    case .extended: .extended
    case .closed: .closed
    case .loginFailed: .loginFailed
    }
  }

  /// Whether requests are sent in it.
  public var isOpen: Bool { self == .open || self == .extended }

  /// Why the login failed; nil if it did not.
  public var error: DownloadError? { if case .loginFailed(let error) = self { error } else { nil } }

  /// Whether a session may go from this state to another: the whole transition table.
  ///
  /// Each state may become `created`: a client says something else of the session, or the engine has started anew.
  package func canBecome(_ next: SessionState) -> Bool {
    switch (self, next) {
    case (_, .created): true
    case (.created, .opening(let opening)): !opening.isRenewal
    // Another try of the same opening.
    case (.opening(let before), .opening(let after)): before.isRenewal == after.isRenewal
    case (.open, .opening(let opening)), (.extended, .opening(let opening)): opening.isRenewal
    case (.opening(let opening), .open): !opening.isRenewal
    case (.opening(let opening), .extended): opening.isRenewal
    case (.opening, .loginFailed), (.open, .loginFailed), (.extended, .loginFailed): true
    case (.created, .closed), (.opening, .closed), (.open, .closed), (.extended, .closed), (.loginFailed, .closed): true
    case (.created, .open), (.created, .extended), (.created, .loginFailed): false
    case (.open, .open), (.open, .extended), (.extended, .open), (.extended, .extended): false
    case (.closed, .opening), (.closed, .open), (.closed, .extended), (.closed, .closed), (.closed, .loginFailed): false
    case (.loginFailed, .opening), (.loginFailed, .open), (.loginFailed, .extended), (.loginFailed, .loginFailed): false
    }
  }
}
