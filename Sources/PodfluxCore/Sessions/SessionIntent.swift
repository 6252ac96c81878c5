/// What clients want of sessions (see the article Protocol).
///
/// ```swift
/// let login = Login(.init(hosts: ["example.org"], kind: .basic, user: "me"), source: .text("…"))
/// _ = try await podflux.dispatch(.sessions(.open(.init(id: SessionID("club"), login: login))))
/// ```
public enum SessionIntent: Hashable, Sendable {
  case open(Opening)
  /// Its requests wait until it is opened again; `forgetting` deletes its secret.
  case close(SessionID, forgetting: Bool)

  /// A session that a client opens, or opens in another way.
  ///
  /// ```swift
  /// let login = Login(session.wish, source: .file("/run/secrets/club"))
  /// _ = try await podflux.dispatch(.sessions(.open(SessionIntent.Opening(id: session.id, login: login))))
  /// ```
  public struct Opening: Hashable, Sendable {
    /// The client's id for it; without one the engine makes one.
    public var id: SessionID?
    public var login: Login

    public init(id: SessionID? = nil, login: Login) {
      self.id = id
      self.login = login
    }
  }
}

/// What a client says of a session, and where its secret comes from.
///
/// ```swift
/// let login = Login(.init(hosts: [], kind: .bearer), source: .text("…"))
/// _ = try await podflux.dispatch(.downloads(.enqueue(.init(address: address, session: .new(login)))))
/// ```
public struct Login: Hashable, Sendable {
  /// Without a secret, a session that is there keeps its own.
  public var wish: Session.Wish
  /// Where the client has the secret. The engine takes it into the vault, and its reference into the wish, before a
  /// turn sees it: a turn finds nil.
  public var source: SecretSource?

  public init(_ wish: Session.Wish, source: SecretSource? = nil) {
    self.wish = wish
    self.source = source
  }
}

/// Where a client has a secret. What a program prints of this value tells nothing of the secret.
///
/// Use: `SecretSource.file("/run/secrets/club")`.
public enum SecretSource: Hashable, Sendable {
  /// The secret itself.
  case text(String)
  /// In this file of the machine, without the line feed at its end.
  case file(String)
  /// In the user's netrc file, under the session's hosts.
  case netrc
}

extension SecretSource: CustomStringConvertible, CustomReflectable {
  /// Nothing of the secret: a text of it may reach a log.
  public var description: String {
    switch self {
    case .text: "a secret"
    case .file(let path): "the secret in \(path)"
    case .netrc: "the secret in netrc"
    }
  }

  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Which session the requests of a download or a feed belong to, as a client says it.
///
/// ```swift
/// let wish = PodcastIntent.Subscription(address: address, session: .known(session.id))
/// _ = try await podflux.dispatch(.podcasts(.subscribe(wish)))
/// ```
public enum SessionChoice: Hashable, Sendable {
  case none
  /// This one; it must exist, and be for the address's host.
  case known(SessionID)
  /// A new one, for the address's host: the hosts of the wish do not count.
  case new(Login)
}

extension Intent {
  /// What it says of a session that is to be opened; nil if it says nothing.
  package var login: Login? {
    switch self {
    case .sessions(.open(let opening)): opening.login
    case .downloads(.enqueue(let wish)): wish.session?.login
    case .downloads(.update(_, let update)): update.session?.login
    case .podcasts(.subscribe(let wish)): wish.session?.login
    case .podcasts(.update(_, let update)): update.session?.login
    default: nil
    }
  }

  /// The intent with its secret in the vault: before a turn may see it.
  ///
  /// - Parameter keep: Keeps the secret of a login durably. Returns the reference.
  package func keepingSecret(_ keep: (SecretSource, Session.Wish) throws -> SecretReference) rethrows -> Intent {
    func kept(_ login: Login) throws -> Login {
      guard let source = login.source else { return login }
      var wish = login.wish
      // A netrc file has the name too.
      if source == .netrc { wish.user = wish.user ?? "" }
      wish.secret = try keep(source, wish)
      return Login(wish)
    }
    switch self {
    case .sessions(.open(var opening)):
      opening.login = try kept(opening.login)
      return .sessions(.open(opening))
    case .downloads(.enqueue(var wish)):
      wish.session = try wish.session?.mapLogin(kept)
      return .downloads(.enqueue(wish))
    case .downloads(.update(let id, var update)):
      update.session = try update.session?.mapLogin(kept)
      return .downloads(.update(id, update))
    case .podcasts(.subscribe(var wish)):
      wish.session = try wish.session?.mapLogin(kept)
      return .podcasts(.subscribe(wish))
    case .podcasts(.update(let id, var update)):
      update.session = try update.session?.mapLogin(kept)
      return .podcasts(.update(id, update))
    default: return self
    }
  }
}

extension SessionChoice {
  /// Whether a session is to be made.
  var isNew: Bool { login != nil }

  /// How the new session logs in; nil if none is to be made.
  fileprivate var login: Login? { if case .new(let login) = self { login } else { nil } }

  /// The same, with the login of a new session changed.
  fileprivate func mapLogin(_ change: (Login) throws -> Login) rethrows -> SessionChoice {
    guard case .new(let login) = self else { return self }
    return .new(try change(login))
  }
}
