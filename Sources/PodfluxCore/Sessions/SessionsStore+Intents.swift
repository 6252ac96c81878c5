import Flux

/// Handles the intents of clients for sessions.
extension SessionsStore {
  mutating func handle(_ intent: SessionIntent, in turn: inout StoreTurn<Self>) throws -> Reply {
    switch intent {
    case .open(let opening): return try open(opening, in: &turn)
    case .close(let id, let forgetting): return try close(id, forgetting: forgetting, in: &turn)
    }
  }

  private mutating func open(_ opening: SessionIntent.Opening, in turn: inout StoreTurn<Self>) throws -> Reply {
    let known = opening.id.flatMap { view.find($0) }
    let login = known.map { opening.login.completed(from: $0.wish) } ?? opening.login
    let wish = login.wish
    let keepsSecret = known.map { $0.wish.secret != nil && $0.wish.mayGiveSecret(to: wish) } ?? false
    if wish.secret == nil, wish.kind.needsSecret, !keepsSecret, known?.wish.secret != nil {
      throw Refusal(
        .missingField,
        "the session's secret is for its own hosts and its own way to log in; give it again for others",
        path: "payload.secret")
    }
    try login.check(path: "payload", mayKeepSecret: keepsSecret)
    guard !wish.hosts.isEmpty else {
      throw Refusal(.missingField, "a session is for one host at least", path: "payload.hosts")
    }
    guard var session = known else {
      guard let key = try freeKey(in: turn) else { throw SessionsView.hasNoRoom }
      let id = opening.id ?? SessionID(from: &turn.random)
      let session = try insert(key, id, wish, in: &turn)
      return .session(id: id, state: session.state.kind)
    }
    leave(session, in: &turn)
    let former = session.wish.secret
    session.wish = wish
    let isKept = keepsSecret && wish.secret == nil
    if isKept { session.wish.secret = former } else { forget(former, in: &turn) }
    session.expires = nil
    try transition(&session, to: .created(isCached: isKept), in: turn)
    try begin(&session, takesKept: isKept, in: turn)
    turn.tell(.sessions(.asked(session.key)))
    return .session(id: session.id, state: session.state.kind)
  }

  /// Adds a session, and begins to open it.
  @discardableResult
  mutating func insert(
    _ key: Session.Key, _ id: SessionID, isOwn: Bool = false, _ wish: Session.Wish, in turn: inout StoreTurn<Self>
  ) throws -> Session {
    var session = Session(key: key, id: id, isOwn: isOwn, wish: wish, since: turn.now)
    try begin(&session, takesKept: false, in: turn)
    return session
  }

  private mutating func begin(_ session: inout Session, takesKept: Bool, in turn: borrowing StoreTurn<Self>) throws {
    try transition(&session, to: .opening(.init(isRenewal: false, takesKept: takesKept)), in: turn)
  }

  private mutating func close(
    _ id: SessionID, forgetting: Bool, in turn: inout StoreTurn<Self>
  ) throws -> Reply {
    guard var session = view.find(id) else {
      throw Refusal(.notFound, "there is no session \"\(id)\"", path: "payload.id")
    }
    if session.state != .closed {
      leave(session, in: &turn)
      session.expires = nil
      try transition(&session, to: .closed, in: turn)
    }
    if forgetting, session.wish.secret != nil {
      forget(session.wish.secret, in: &turn)
      session.wish.secret = nil
      try save(session, in: turn)
    }
    return .done
  }

  /// Has the service stop using a session.
  mutating func leave(_ session: Session, in turn: inout StoreTurn<Self>) {
    live[session.key] = nil
    wanted.remove(session.key)
    view.accepted[session.key] = nil
    turn.perform(.session(.leave(session.id)))
  }

  func forget(_ secret: SecretReference?, in turn: inout StoreTurn<Self>) {
    if let secret { turn.perform(.session(.forget(secret))) }
  }

  /// A number for a new session; nil if there is none. Those of sessions that are closed and forgotten, and that
  /// nothing refers to, are given again once all have been given.
  mutating func freeKey(in turn: borrowing StoreTurn<Self>) throws -> Session.Key? {
    let limit = Session.Key(Session.Limits.sessions)
    if view.sessions.count < Session.Limits.sessions {
      return (1...limit).first { view.sessions[$0] == nil }
    }
    for key in view.sessions.keys.sorted() {
      guard let session = view.sessions[key], session.isForgotten, try !turn.tables.sessions.isReferredTo(key)
      else { continue }
      view.sessions[key] = nil
      try turn.tables.sessions.delete(key)
      return key
    }
    return nil
  }
}

extension Login {
  /// The same, with what is left out as a session of this kind has it.
  fileprivate func completed(from former: Session.Wish) -> Login {
    var login = self
    if wish.hosts.isEmpty { login.wish.hosts = former.hosts }
    guard wish.kind == former.kind else { return login }
    login.wish.user = wish.user ?? former.user
    login.wish.tokenURL = wish.tokenURL ?? former.tokenURL
    login.wish.parameter = wish.parameter ?? former.parameter
    return login
  }
}

extension Session.Wish {
  /// Whether a client that does not give the secret again may use it so: it reaches no host that it was not given for.
  fileprivate func mayGiveSecret(to other: Session.Wish) -> Bool {
    kind == other.kind && tokenURL == other.tokenURL && Set(other.hosts).isSubset(of: hosts)
  }
}
