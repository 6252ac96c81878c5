import Flux
import PodfluxCore

/// An event that the shell hands to an opening.
package enum SessionEvent: Sendable {
  /// The operation has begun.
  case begin
  /// The request for a token has ended.
  case answered(TokenAnswer)
  /// Its session was left: what comes of the opening is not told. A request for a token goes on, since its server may
  /// have replaced the secret already.
  case leave
  /// The opening is to end.
  case stop
}

/// A command that an opening gives its shell.
package enum SessionCommand: Hashable, Sendable {
  /// Send this. Answer: `answered`.
  case request(TokenRequest)
  /// End the request; `answered` comes all the same.
  case cancelRequest
  /// From now on the session's requests to its hosts get these credentials.
  case adopt(SessionCredentials)
  /// A new token could not be written, for this reason: the vault holds it in memory, and is to write it later.
  case held(SecretVaultFailure)
  /// Post this; the opening has ended.
  case end(SessionFact)
  /// The opening has ended, because it was told to: there is nothing to post.
  case endSilently
}

/// What the requests of a session are sent with, to its hosts and to no other.
package struct SessionCredentials: Hashable, Sendable {
  package var session: SessionID
  package var hosts: [String]
  package var kind: Session.Kind
  package var user: String?
  /// The name of the parameter whose value is the secret; nil for another kind.
  package var parameterName: String?
  /// The password or the token; empty for `none`.
  package var secret: String
  /// The number of the token.
  package var token: Int64
  /// Whether the secret is the path of a netrc file, which has name and password.
  package var isNetrcFile = false

  package init(
    session: SessionID, hosts: [String], kind: Session.Kind, user: String? = nil, parameterName: String? = nil,
    secret: String,
    token: Int64, isNetrcFile: Bool = false
  ) {
    self.session = session
    self.hosts = hosts
    self.kind = kind
    self.user = user
    self.parameterName = parameterName
    self.secret = secret
    self.token = token
    self.isNetrcFile = isNetrcFile
  }
}

extension SessionCredentials: CustomStringConvertible, CustomReflectable {
  /// No part of the secret: a text of it may reach a log.
  package var description: String { "the credentials of \(session)" }
  package var customMirror: Mirror { Mirror(self, children: ["session": session]) }
}

/// One opening of a session: what happens between the dispatcher and the system, without threads and clocks.
///
/// A new token is in the vault before the stores hear of it: a server may issue each one once. After a crash the next
/// opening finds it there. On a full disk it is held in memory: the server may have voided the one before.
///
/// The product's shell is an `Operation` with an exchange of libcurl; the simulator's is its scheduler.
package struct SessionAttempt {
  private enum Stage {
    case idle
    case requesting(KeptSecret)
    case ended
  }

  /// A token is thought to be good for ten years at most.
  private static let longestSeconds: Int64 = 10 * 366 * 86_400

  package let opening: SessionOpening
  private let vault: any SecretVault
  private var stage = Stage.idle
  /// Whether the session was left: the opening posts nothing more.
  private var isLeft = false
  private var isStopping = false

  package init(_ opening: SessionOpening, vault: any SecretVault) {
    self.opening = opening
    self.vault = vault
  }

  /// Whether the opening has ended: nothing follows.
  package var hasEnded: Bool { if case .ended = stage { true } else { false } }

  /// Takes an event in. Calls of the vault are made here.
  package mutating func handle(_ event: SessionEvent, at now: ClockReading) -> [SessionCommand] {
    switch (event, stage) {
    case (.begin, .idle): return begin(at: now.wall)
    case (.answered(let answer), .requesting(let kept)): return receive(answer, having: kept, at: now.wall)
    case (.leave, .requesting):
      isLeft = true
      return []
    case (.stop, .requesting):
      guard !isStopping else { return [] }
      (isLeft, isStopping) = (true, true)
      return [.cancelRequest]
    case (.leave, .idle), (.stop, .idle):
      stage = .ended
      return [.endSilently]
    case (.begin, _), (.answered, _), (.leave, .ended), (.stop, .ended): return []
    }
  }

  private mutating func begin(at now: Timestamp) -> [SessionCommand] {
    let wish = opening.wish
    guard wish.kind.needsSecret else { return open(with: "", expires: nil) }
    var found: KeptSecret?
    do throws(SecretVaultFailure) {
      if let reference = wish.secret { found = try vault.secret(for: reference) }
    } catch {
      return fail(because: DownloadError(.io, error.message))
    }
    guard let kept = found else {
      return fail(because: DownloadError(.unauthorized, "the session's secret is not in the vault; open it again"))
    }
    guard wish.kind == .refreshing else {
      return open(with: kept.secret, isNetrcFile: kept.isNetrcFile, expires: nil)
    }
    if let access = kept.access, isGood(access, at: now) { return open(with: access.value, expires: access.expires) }
    guard let address = wish.tokenURL else {
      return fail(because: DownloadError(.unauthorized, "the session has no address where tokens are renewed"))
    }
    stage = .requesting(kept)
    return [
      .request(
        TokenRequest(
          to: address, client: wish.user, refreshToken: kept.secret, settings: opening.settings, route: opening.route))
    ]
  }

  /// Whether a token that the vault holds will do.
  private func isGood(_ access: KeptSecret.AccessToken, at now: Timestamp) -> Bool {
    guard opening.takesKept || access.number == opening.token else { return false }
    guard let expires = access.expires else { return true }
    return now.advanced(byMilliseconds: Session.Limits.renewalMarginMilliseconds) < expires
  }

  private mutating func receive(_ answer: TokenAnswer, having kept: KeptSecret, at now: Timestamp) -> [SessionCommand] {
    switch answer {
    case .failed(let error):
      return isLeft ? endSilently() : fail(because: error)
    case .issued(let token):
      var kept = kept
      let expires = token.seconds.map { now.advanced(byMilliseconds: max(0, min($0, Self.longestSeconds)) * 1000) }
      kept.secret = token.refresh ?? kept.secret
      kept.access = .init(token.access, expires: expires, number: opening.token)
      // Also if nothing is told of it: what the former token was exchanged for must not be lost.
      let failure = opening.wish.secret.flatMap { vault.replace(kept, under: $0) }
      return (failure.map { [.held($0)] } ?? [])
        + (isLeft ? endSilently() : open(with: token.access, expires: expires))
    }
  }

  private mutating func open(
    with secret: String, isNetrcFile: Bool = false, expires: Timestamp?
  ) -> [SessionCommand] {
    stage = .ended
    let wish = opening.wish
    let credentials = SessionCredentials(
      session: opening.id.session, hosts: wish.hosts, kind: wish.kind, user: wish.user,
      parameterName: wish.parameter, secret: secret, token: opening.token, isNetrcFile: isNetrcFile)
    return [.adopt(credentials), .end(.opened(opening.id, expires: expires))]
  }

  private mutating func fail(because error: DownloadError) -> [SessionCommand] {
    stage = .ended
    return [.end(.failed(opening.id, error))]
  }

  private mutating func endSilently() -> [SessionCommand] {
    stage = .ended
    return [.endSilently]
  }
}
