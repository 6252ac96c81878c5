import Flux

/// A login at some hosts, as stored in its row. Its secret is in the vault; the row has the reference.
///
/// ```swift
/// for session in podflux.state.sessions ?? [] {
///   print(session.id, session.wish.hosts, session.state.kind.rawValue, session.state.error?.message ?? "")
/// }
/// ```
public struct Session: Hashable, Sendable {
  /// The number of its row. The engine gives it again once nothing refers to its session.
  ///
  /// Use: `session.key`; `download.session` and `feed.session` refer to it.
  public typealias Key = Int64

  public let key: Key
  public let id: SessionID
  /// Whether `auth` made it, for one download or feed: it goes, with its secret, once nothing refers to it.
  public let isOwn: Bool
  /// The client's wishes for the session.
  public var wish: Wish
  public var state: SessionState
  /// When it came to its state.
  public var since: Timestamp
  /// When its token expires; nil if it never does, or if that is not known.
  public var expires: Timestamp?
  /// The number of the token in use, 0 before the first. It grows with each token.
  public var token: Int64

  /// What a client says of a session: its hosts, and how requests to them are authorized.
  ///
  /// Use: `Session.Wish(hosts: ["example.org"], kind: .basic, user: "me")`; the secret goes into a `Login`.
  public struct Wish: Hashable, Sendable {
    /// The hosts that its credentials are for, each as `WebAddress.host`: with its port where an address names one.
    public var hosts: [String]
    public var kind: Kind
    /// The name that goes with the secret: the user's, or for `refreshing` the client's (`client_id`), if it has one.
    public var user: String?
    /// Where tokens are renewed; for `refreshing` only.
    public var tokenURL: WebAddress?
    /// The name of the parameter whose value is the secret; for `parameter` only.
    public var parameter: String?
    /// The secret; nil for `none`, and once it is forgotten.
    public var secret: SecretReference?

    public init(
      hosts: [String], kind: Kind, user: String? = nil, tokenURL: WebAddress? = nil, parameter: String? = nil,
      secret: SecretReference? = nil
    ) {
      self.hosts = hosts
      self.kind = kind
      self.user = user
      self.tokenURL = tokenURL
      self.parameter = parameter
      self.secret = secret
    }
  }

  /// How requests are authorized.
  ///
  /// Use: `session.wish.kind`.
  public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    /// Not at all: the session only holds its requests while it is closed.
    case none
    /// By name and password (RFC 7617).
    case basic
    /// By name and a digest of the password (RFC 7616).
    case digest
    /// By a token that stays the same (RFC 6750).
    case bearer
    /// By a token that is renewed with the secret (RFC 6749 section 6).
    case refreshing
    /// By a parameter of the query whose value is the secret, as in `feed.xml?auth=…`.
    case parameter

    /// Whether requests are authorized by a secret.
    public var needsSecret: Bool { self != .none }
    /// Whether the secret belongs to a name.
    public var needsUser: Bool { self == .basic || self == .digest }
  }

  /// The limits of sessions.
  package enum Limits {
    /// How many a library can have: their numbers are a part of the classes that downloads are counted by.
    package static let sessions = 1000
    /// How many hosts one can have.
    package static let hosts = 64
    /// The longest name of a user, in bytes.
    package static let userBytes = 1024
    /// The longest name of a parameter, in bytes.
    package static let parameterBytes = 128
    /// The longest secret, in bytes.
    package static let secretBytes = 16 << 10
    /// A token is renewed when it expires within this time, in milliseconds: a request may be under way for a while
    /// before its server looks at it.
    package static let renewalMarginMilliseconds: Int64 = 30_000
    /// How often an opening is tried that fails for a reason that may pass.
    package static let openingTries = 8
    /// How long is waited after these failures.
    static let backoff = Backoff(firstMilliseconds: 2000, longestMilliseconds: 300_000)
  }

  package init(
    key: Key, id: SessionID, isOwn: Bool = false, wish: Wish, state: SessionState = .created(isCached: false),
    since: Timestamp, expires: Timestamp? = nil, token: Int64 = 0
  ) {
    self.key = key
    self.id = id
    self.isOwn = isOwn
    self.wish = wish
    self.state = state
    self.since = since
    self.expires = expires
    self.token = token
  }

  /// Whether a client has closed it, and it has no secret: its number is given again once nothing refers to it.
  package var isForgotten: Bool { state == .closed && wish.secret == nil }

  /// Whether its credentials are for a host.
  public func isFor(_ host: String) -> Bool { wish.hosts.contains(host) }

  /// Whether requests may be sent with its credentials now.
  public func isUsable(at now: Timestamp) -> Bool { state.isOpen && !isExpiring(at: now) }

  /// Whether its token expires within the margin, so that it is to be renewed before it is used. Of a token that is
  /// good for a short time the margin is half of that: each token is used.
  public func isExpiring(at now: Timestamp) -> Bool {
    guard wish.kind == .refreshing, let expires else { return false }
    let half = max(0, since.milliseconds.distance(to: expires.milliseconds)) / 2
    return now.advanced(byMilliseconds: min(Limits.renewalMarginMilliseconds, Int64(half))) >= expires
  }
}

/// Which credentials a request is sent with: those of this session, whose token in use had this number.
package struct SessionUse: Hashable, Sendable {
  package var session: SessionID
  package var token: Int64

  package init(session: SessionID, token: Int64) {
    self.session = session
    self.token = token
  }
}
