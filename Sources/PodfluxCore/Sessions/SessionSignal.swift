import Flux

/// What the stores of requests tell the store of sessions.
package enum SessionSignal: Sendable {
  /// Requests would be sent if these sessions were open.
  case wanted([Session.Key])
  /// A client wants refreshes or retries of these sessions, or of any if it is nil: those whose logins have failed may
  /// try once more.
  case askedAgain(Set<Session.Key>?)
  /// A server has refused a token.
  case refused(SessionGrant, RequestOwner, Verdict)
  /// A server has accepted a token.
  case accepted(SessionGrant, RequestOwner)
  /// A new session is wanted for the requests of an owner to a host.
  case new(Login, host: String, RequestOwner)
  /// A row that had this session has another one, or is gone.
  case left(Session.Key)
  /// Many rows are gone, and with them their sessions, if they had any.
  case leftByMany

  /// The decision about a refused request.
  package struct Verdict: Hashable, Sendable {
    package var decision: SessionRetrier.Decision
    /// How the server refused.
    package var error: DownloadError
    package var tries: RequestTries

    package init(_ decision: SessionRetrier.Decision, error: DownloadError, tries: RequestTries) {
      self.decision = decision
      self.error = error
      self.tries = tries
    }
  }
}

/// Whose request it is.
package enum RequestOwner: Hashable, Sendable {
  case download(DownloadID)
  case feed(Feed.Key)
  case sidecar(Sidecar.Key)
}

/// A session that a request goes with: by its number, and as the adapter is told of it.
package struct SessionGrant: Hashable, Sendable {
  package var key: Session.Key
  package var use: SessionUse

  package init(key: Session.Key, use: SessionUse) {
    self.key = key
    self.use = use
  }
}

/// Events by which the sessions inform other stores.
package enum SessionsEvent: Sendable {
  /// The session that was wanted for the requests of an owner.
  case made(Session.Key, for: RequestOwner)
  /// A client has opened a session, for the first time or anew.
  case asked(Session.Key)
}

/// The sessions as the stores of requests see them.
package struct SessionsView: Hashable, Sendable {
  /// Every session, by its key.
  package var sessions: [Session.Key: Session] = [:]
  /// The tokens that a server has accepted.
  package var accepted: [Session.Key: Int64] = [:]
  /// The tries of refused requests.
  package var tries: [RequestOwner: RequestTries] = [:]

  package init() {}

  package func find(_ id: SessionID) -> Session? { sessions.values.first { $0.id == id } }

  /// The sessions whose requests cannot be sent now.
  package func unusable(at now: Timestamp) -> Set<Session.Key> {
    Set(sessions.values.filter { !$0.isUsable(at: now) }.map(\.key))
  }

  /// The sessions that a client has closed.
  package var closed: Set<Session.Key> { Set(sessions.values.filter { $0.state == .closed }.map(\.key)) }

  /// The sessions whose requests fail.
  package var failed: Set<Session.Key> { Set(sessions.values.filter { $0.state.error != nil }.map(\.key)) }

  /// What a request of a session to an address goes with; nil if the session's credentials are not for its host, or if
  /// the address has a parameter of its own in the place of the session's.
  package func grant(_ key: Session.Key?, to address: WebAddress) -> SessionGrant? {
    guard let key, let session = sessions[key], session.wish.kind.needsSecret, session.isFor(address.host),
      session.wish.parameter.map({ !SecretParameter.isIn(address.description, named: $0) }) ?? true
    else { return nil }
    return SessionGrant(key: key, use: SessionUse(session: session.id, token: session.token))
  }

  /// The session that a request to a host inherits: one whose credentials are for that host.
  package func inherited(_ key: Session.Key?, by host: String) -> Session.Key? {
    key.flatMap { sessions[$0]?.isFor(host) == true ? $0 : nil }
  }

  /// What follows on a refusal; nil if it is none that concerns the session.
  package func verdict(
    on error: DownloadError, of owner: RequestOwner, sentWith grant: SessionGrant?
  ) -> SessionSignal.Verdict? {
    guard let grant, let status = error.status, status == 401 || status == 403, error.challenge != .unsent,
      let session = sessions[grant.key], session.id == grant.use.session
    else { return nil }
    let retrier = SessionRetrier(
      status: status, challenge: error.challenge, kind: session.wish.kind, state: session.state.kind,
      used: grant.use.token, token: session.token, isAccepted: accepted[grant.key] == grant.use.token,
      earlier: tries[owner] ?? .init())
    let decision = retrier.decision
    var tries = retrier.tries
    switch decision {
    case .renew, .park: tries.awaited = session.token + 1
    case .sendAgain: tries.awaited = nil
    case .refuse, .failLogin: break
    }
    return SessionSignal.Verdict(decision, error: error, tries: tries)
  }

  /// Why requests of a session fail whose login has failed.
  package func error(of key: Session.Key) -> DownloadError? {
    guard let session = sessions[key], let error = session.state.error else { return nil }
    return DownloadError(
      .unauthorized, "the session \"\(session.id)\" could not log in: \(error.message)", status: error.status)
  }

  /// The same, for requests to a host; nil also if the session is not for that host.
  func loginError(of key: Session.Key, to host: String) -> DownloadError? {
    inherited(key, by: host).flatMap(error(of:))
  }

  /// The session that a client has chosen for a host, as a number; nil for none, and for one that is still to be made.
  ///
  /// - Throws: `Refusal` if there is none, or it is not for the host.
  package func key(of choice: SessionChoice, for host: String) throws(Refusal) -> Session.Key? {
    switch choice {
    case .none: return nil
    case .known(let id):
      guard let session = find(id) else {
        throw Refusal(.notFound, "there is no session \"\(id)\"; open it first", path: "payload.session")
      }
      guard session.isFor(host) else {
        throw Refusal(
          .invalidValue,
          "the session \"\(id)\" is not for \(host), but for \(session.wish.hosts.joined(separator: ", "))",
          path: "payload.session")
      }
      return session.key
    case .new(let login):
      try login.check(path: "payload.auth")
      // Numbers of sessions that are closed and forgotten are given again, unless a row refers to them: the turn knows.
      guard sessions.count < Session.Limits.sessions || sessions.values.contains(where: \.isForgotten) else {
        throw Self.hasNoRoom
      }
      return nil
    }
  }

  /// Refuses addresses that have the parameter of their session: the secret would stand in a row.
  ///
  /// - Parameter session: The session that it is to have; a new one takes its parameter out before a turn sees it.
  func check(_ addresses: [WebAddress], of session: Session.Key?) throws(Refusal) {
    guard let session = session.flatMap({ sessions[$0] }), let name = session.wish.parameter,
      addresses.contains(where: { session.isFor($0.host) && SecretParameter.isIn($0.description, named: name) })
    else { return }
    throw Refusal(
      .invalidValue,
      "the address has the parameter \(name), which the session \"\(session.id)\" adds itself; leave it out, or give its "
        + "new value with auth or sessions/open", path: "payload.url")
  }

  static let hasNoRoom = Refusal(
    .limitExceeded, "a library has at most \(Session.Limits.sessions) sessions; close some and forget them first",
    path: "payload")
}

extension Login {
  /// Refuses what makes no session.
  func check(path: String, mayKeepSecret: Bool = false) throws(Refusal) {
    precondition(source == nil, "the engine takes a secret into the vault before a turn sees it")
    let kind = wish.kind
    if kind.needsUser, wish.user == nil {
      throw Refusal(.missingField, "a session of the kind \(kind.rawValue) needs a user", path: path + ".user")
    }
    if kind == .basic, wish.user?.contains(":") == true {
      throw Refusal(
        .invalidValue,
        "the user of a basic session has no colon: what follows one is the password (RFC 7617 section 2)",
        path: path + ".user")
    }
    if kind.needsSecret, wish.secret == nil, !mayKeepSecret {
      throw Refusal(
        .missingField, "a session of the kind \(kind.rawValue) needs a secret: give secret, secretFile or netrc",
        path: path + ".secret")
    }
    if !kind.needsSecret, wish.secret != nil {
      throw Refusal(.invalidValue, "a session of the kind none has no secret; leave it out", path: path + ".secret")
    }
    guard (kind == .refreshing) == (wish.tokenURL != nil) else {
      throw Refusal(
        kind == .refreshing ? .missingField : .invalidValue,
        kind == .refreshing
          ? "a session that refreshes its token needs the address where it does" : "only a refreshing session has one",
        path: path + ".tokenURL")
    }
    guard (kind == .parameter) == (wish.parameter != nil) else {
      throw Refusal(
        kind == .parameter ? .missingField : .invalidValue,
        kind == .parameter
          ? "a session whose secret is in the address needs the parameter's name"
          : "only a session of that kind has one",
        path: path + ".parameter")
    }
    if let address = wish.tokenURL, address.isPlain, !WebAddress.isLoopback(address.host) {
      throw Refusal(
        .invalidValue, "tokens are renewed over https only, but for loopback (RFC 6749 section 3.2)",
        path: path + ".tokenURL")
    }
  }
}

extension WebAddress {
  /// Whether what is sent there is sent in the clear.
  fileprivate var isPlain: Bool { description.prefix { $0 != ":" }.lowercased() == "http" }
}
