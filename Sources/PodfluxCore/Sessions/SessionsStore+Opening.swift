import Flux

/// Opens sessions, and handles the reports of openings. Each session has one opening at most: however many requests
/// wait, one token is asked for.
extension SessionsStore {
  mutating func openWhatIsWanted(reading context: Context, in turn: inout StoreTurn<Self>) throws {
    for key in wanted.sorted() {
      guard var session = view.sessions[key] else { continue }
      switch session.state {
      case .created(let isCached):
        try transition(&session, to: .opening(.init(isRenewal: false, takesKept: isCached)), in: turn)
      case .open, .extended: if session.isExpiring(at: turn.now) { try renew(&session, in: turn) }
      case .opening, .closed, .loginFailed: break
      }
    }
    wanted = []
    nextMoment = nil
    for key in view.sessions.keys.sorted() where live[key] == nil {
      guard let session = view.sessions[key], case .opening(let opening) = session.state else { continue }
      if let next = opening.next, next > turn.now, !isTooFar(next, from: turn.now) {
        nextMoment = Timestamp.earlier(nextMoment, next)
      } else if context.mayOpen(session) {
        start(session, opening, reading: context, in: &turn)
      }
    }
  }

  /// Whether a moment is so far away that only a clock which was wrong can have set it.
  private func isTooFar(_ next: Timestamp, from now: Timestamp) -> Bool {
    now.latestEnd(ofWaitsUpTo: Session.Limits.backoff.longestMilliseconds).map { next > $0 } ?? false
  }

  private mutating func start(
    _ session: Session, _ opening: SessionState.Opening, reading context: Context, in turn: inout StoreTurn<Self>
  ) {
    let id = SessionOpening.ID(session: session.id, generation: turn.sequence)
    live[session.key] = id
    turn.perform(
      .session(
        .open(
          SessionOpening(
            id: id, wish: session.wish, token: session.token + 1, takesKept: opening.takesKept,
            settings: context.settings, route: context.route(of: session)))))
  }

  // MARK: What comes of it

  /// A report of an opening that has been superseded is dropped.
  mutating func handle(_ fact: SessionFact, in turn: inout StoreTurn<Self>) throws {
    let id: SessionOpening.ID =
      switch fact {
      case .opened(let id, _), .failed(let id, _): id
      }
    guard var session = view.find(id.session), live[session.key] == id, case .opening(let opening) = session.state
    else {
      return
    }
    live[session.key] = nil
    switch fact {
    case .opened(_, let expires):
      session.token += 1
      // An expiry that has passed before the token was used says nothing about the token.
      session.expires = expires.flatMap { $0 > turn.now ? $0 : nil }
      try transition(&session, to: opening.isRenewal ? .extended : .open, in: turn)
    case .failed(_, let error): try fail(&session, opening, because: error, in: &turn)
    }
  }

  private mutating func fail(
    _ session: inout Session, _ opening: SessionState.Opening, because error: DownloadError,
    in turn: inout StoreTurn<Self>
  ) throws {
    var opening = opening
    opening.failures += 1
    guard error.isTransient, opening.failures < Session.Limits.openingTries else {
      session.expires = nil
      return try transition(&session, to: .loginFailed(error), in: turn)
    }
    let delay = Session.Limits.backoff.milliseconds(afterFailures: opening.failures, using: &turn.random)
    opening.next = turn.now.advanced(byMilliseconds: delay)
    try transition(&session, to: .opening(opening), in: turn)
  }

  // MARK: Start, and another path

  /// After a start no opening is alive and no credentials are at hand: what was open is opened again when a request
  /// wants it, with the token that the vault holds. So is a login that has failed: once, for the reason may be gone.
  mutating func recover(in turn: inout StoreTurn<Self>) throws {
    for key in view.sessions.keys.sorted() {
      guard var session = view.sessions[key] else { continue }
      switch session.state {
      case .opening, .open, .extended, .loginFailed: try transition(&session, to: .created(isCached: true), in: turn)
      case .created, .closed: break
      }
    }
    left = Set(view.sessions.keys)
    turn.perform(.session(.sweep(keeping: view.sessions.values.compactMap(\.wish.secret).sorted())))
  }

  /// Opens sessions again whose servers could not be reached: they may be reachable over the new path.
  mutating func hurry(in turn: borrowing StoreTurn<Self>) throws {
    for key in view.sessions.keys.sorted() {
      guard var session = view.sessions[key], case .opening(var opening) = session.state, opening.next != nil else {
        continue
      }
      opening.next = nil
      try transition(&session, to: .opening(opening), in: turn)
    }
  }
}

extension SessionsStore.Context {
  /// Whether nothing stands in the way of asking for a token. A token is small: the policies of networks do not count,
  /// but being offline and a spent budget do.
  fileprivate func mayOpen(_ session: Session) -> Bool {
    guard let host = session.wish.tokenURL?.host, obstacles.needsPath(host) else { return true }
    return obstacles.any == nil
  }

  fileprivate func route(of session: Session) -> Route {
    session.wish.tokenURL.map { obstacles.needsPath($0.host) } ?? false ? .any : .loopback
  }
}
