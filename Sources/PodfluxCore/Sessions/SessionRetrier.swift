/// How a server challenges a request that it does not authorize, as far as that decides what follows (RFC 9110 section
/// 11.6.1).
package enum Challenge: String, Hashable, Sendable, CaseIterable {
  /// The server's challenge wants a name and a password.
  case basic
  /// The server's challenge wants a digest (RFC 7616).
  case digest
  /// The server's challenge wants a token, and does not say what is wrong with the one that it got.
  case bearer
  /// The token is expired, revoked or malformed (RFC 6750 section 3.1).
  case invalidToken = "invalid_token"
  /// The token is good, and not for this (RFC 6750 section 3.1).
  case insufficientScope = "insufficient_scope"
  /// It got none of the session's credentials: a redirect led to another host, or the request had credentials of its
  /// own. So the refusal says nothing of the session.
  case unsent
  /// The server's challenge wants a scheme that no session has.
  case other
}

/// How often one request was refused, and what was done about it.
package struct RequestTries: Hashable, Sendable {
  /// How often it was refused with the token in use.
  package var refused: Int
  /// How often it was refused with a token that was being renewed, or had been, when the answer came.
  package var outrun: Int
  /// The token that was asked for after the last refusal; nil if none was.
  package var awaited: Int64?

  package init(refused: Int = 0, outrun: Int = 0, awaited: Int64? = nil) {
    self.refused = refused
    self.outrun = outrun
    self.awaited = awaited
  }
}

/// Judges a 401 or a 403 that has come for a request of a session. It is a function of values: it knows nothing else.
package struct SessionRetrier: Hashable, Sendable {
  /// How often a request is refused at most with the token in use.
  package static let tries = 3
  /// How often at most with one that was being renewed meanwhile, or had been. More requests may be under way than a
  /// token admits: then such a refusal says nothing of the request.
  package static let outrunTries = 64

  /// The status, 401 or 403.
  package var status: Int
  /// How the server challenges; nil if it does not.
  package var challenge: Challenge?
  package var kind: Session.Kind
  package var state: SessionState.Kind
  /// The token that the request was sent with.
  package var used: Int64
  /// The session's token now.
  package var token: Int64
  /// Whether a server has accepted the token that was used, for another request.
  package var isAccepted: Bool
  /// The earlier tries of the same request.
  package var earlier: RequestTries

  package init(
    status: Int, challenge: Challenge? = nil, kind: Session.Kind, state: SessionState.Kind, used: Int64, token: Int64,
    isAccepted: Bool = false, earlier: RequestTries = .init()
  ) {
    self.status = status
    self.challenge = challenge
    self.kind = kind
    self.state = state
    self.used = used
    self.token = token
    self.isAccepted = isAccepted
    self.earlier = earlier
  }

  /// What the store does about a refused request.
  package enum Decision: Hashable, Sendable {
    /// The request is sent again, with the present token.
    case sendAgain
    /// The request waits, and a refresh begins.
    case renew
    /// The request waits: a refresh is under way, or the session is not open.
    case park
    /// The request fails; the session goes on.
    case refuse(Reason)
    /// The session's login has failed: its requests fail with it.
    case failLogin
  }

  /// Why a request fails although its session is open.
  package enum Reason: Hashable, Sendable {
    /// The session's credentials are good, and not for this address.
    case notForThis
    /// The request was sent as often as requests are.
    case tooManyTries
  }

  /// The judgement.
  package var decision: Decision {
    let tries = tries
    guard tries.refused < Self.tries && tries.outrun < Self.outrunTries || isLoginAtFault else {
      return .refuse(.tooManyTries)
    }
    // A token that is good lacks a right: no other one has it.
    if challenge == .insufficientScope { return .refuse(.notForThis) }
    switch state {
    case .created, .opening, .closed, .loginFailed: return .park
    case .open, .extended: break
    }
    if used < token { return .sendAgain }
    // The server knows who asks, and does not let it (RFC 9110 section 15.5.4). A secret in the address has no scheme
    // that a 401 could ask for: there a 403 says the same.
    if status == 403, kind != .parameter, challenge != .invalidToken { return .refuse(.notForThis) }
    if isFresh {
      guard isAccepted else { return .failLogin }
      // Other requests have used the token up, if the server says that the token is at fault (RFC 6750 section 3.1).
      guard kind == .refreshing, challenge == .invalidToken else { return .refuse(.notForThis) }
    }
    switch kind {
    case .refreshing: return .renew
    case .basic, .digest, .bearer, .parameter: return isAccepted ? .refuse(.notForThis) : .failLogin
    case .none: return .refuse(.notForThis)
    }
  }

  /// The tries of the request, this refusal included.
  package var tries: RequestTries {
    var tries = earlier
    let isInUse = used >= token && (state == .open || state == .extended)
    if isInUse { tries.refused += 1 } else { tries.outrun += 1 }
    return tries
  }

  /// Whether the token was got because this request needed one: no further one would do better.
  private var isFresh: Bool { earlier.awaited.map { used >= $0 } ?? false }

  /// Whether the last try proves more than that the request was tried often enough.
  private var isLoginAtFault: Bool {
    isFresh && used == token && !isAccepted && status == 401 && challenge != .insufficientScope
      && (state == .open || state == .extended)
  }
}
