import Flux

/// Handles what the requests of downloads, feeds and sidecars find out about their sessions.
extension SessionsStore {
  mutating func handle(_ signal: SessionSignal, in turn: inout StoreTurn<Self>) throws {
    switch signal {
    case .wanted(let keys): wanted.formUnion(keys)
    case .askedAgain(let keys):
      for key in keys?.sorted() ?? view.sessions.keys.sorted() {
        guard var session = view.sessions[key], case .loginFailed = session.state else { continue }
        try transition(&session, to: .created(isCached: true), in: turn)
      }
    case .accepted(let grant, let owner):
      view.tries[owner] = nil
      guard let session = view.sessions[grant.key], session.id == grant.use.session, session.token == grant.use.token
      else { break }
      view.accepted[grant.key] = grant.use.token
    case .refused(let grant, let owner, let verdict): try receive(verdict, of: owner, sentWith: grant, in: turn)
    case .new(let login, let host, let owner):
      // There was room when the intent was checked; what came between cannot be refused any more.
      guard let key = try freeKey(in: turn) else { break }
      var wish = login.wish
      wish.hosts = [host]
      try insert(key, SessionID(from: &turn.random), isOwn: true, wish, in: &turn)
      // Its owner may have gone meanwhile.
      left.insert(key)
      turn.tell(.sessions(.made(key, for: owner)))
    case .left(let key): left.insert(key)
    case .leftByMany: left.formUnion(view.sessions.keys)
    }
  }

  private mutating func receive(
    _ verdict: SessionSignal.Verdict, of owner: RequestOwner, sentWith grant: SessionGrant,
    in turn: borrowing StoreTurn<Self>
  ) throws {
    switch verdict.decision {
    case .sendAgain, .renew, .park:
      if view.tries.count >= Limits.tries { view.tries = [:] }
      view.tries[owner] = verdict.tries
    case .refuse, .failLogin: view.tries[owner] = nil
    }
    // Many requests of one token are refused together: the first one decides.
    guard var session = view.sessions[grant.key], session.token == grant.use.token, session.state.isOpen else { return }
    switch verdict.decision {
    case .renew: try renew(&session, in: turn)
    case .failLogin:
      session.expires = nil
      try transition(&session, to: .loginFailed(verdict.error.stored), in: turn)
    case .sendAgain, .park, .refuse: break
    }
  }

  /// Deletes the sessions that `auth` made and nothing refers to any more, with their secrets.
  mutating func discardWhatIsLeft(in turn: inout StoreTurn<Self>) throws {
    for key in left.sorted() {
      guard let session = view.sessions[key], session.isOwn, try !turn.tables.sessions.isReferredTo(key) else {
        continue
      }
      leave(session, in: &turn)
      forget(session.wish.secret, in: &turn)
      view.sessions[key] = nil
      try turn.tables.sessions.delete(key)
    }
    left = []
  }

  mutating func renew(_ session: inout Session, in turn: borrowing StoreTurn<Self>) throws {
    view.accepted[session.key] = nil
    try transition(&session, to: .opening(.init(isRenewal: true, takesKept: false)), in: turn)
  }
}
