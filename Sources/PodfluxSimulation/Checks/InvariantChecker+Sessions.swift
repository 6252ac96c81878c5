import EngineRuntime
import Flux
import PodfluxCore

/// Checks of sessions.
extension InvariantChecker {
  /// Credentials go with a request.
  func willSend(
    _ credentials: SessionCredentials, with use: SessionUse, to host: String, in process: SimulatedProcess
  ) throws {
    guard let session = process.dispatcher.state.sessions.view.find(credentials.session), session.isFor(host) else {
      throw Violation(.ownHosts, "the credentials of \(credentials.session) go to \(host)")
    }
    guard credentials.token >= use.token else {
      throw Violation(
        .tokenInUse, "\(credentials.session) sends token \(credentials.token), and token \(use.token) is in use")
    }
  }

  /// A request is about to be made: what stands in its address comes of a row, and the adapter puts secrets in later.
  func checkAddress(_ url: String) throws {
    guard !url.contains(SimulatedSessions.mark) else {
      throw Violation(.ownHosts, "a row has a secret in its address: \(url)")
    }
  }

  /// A token is asked for.
  func willAskForToken(of opening: SessionOpening, in process: SimulatedProcess) throws {
    let id = opening.id.session
    let asking =
      ([process.openings[id]].compactMap(\.self) + process.extraOpenings.filter { $0.opening.id.session == id })
      .filter(\.isAsking)
    guard asking.isEmpty else {
      throw Violation(.oneToken, "a token of \(id) is asked for while one is asked for")
    }
    guard let sessions = process.world.sessions, let reference = opening.wish.secret,
      let access = sessions.vault.secrets[reference]?.access, sessions.isGood(access.value, now: process.world.now)
    else { return }
    let margin = Session.Limits.renewalMarginMilliseconds
    if let expires = access.expires, process.world.clock.wall.advanced(byMilliseconds: margin) >= expires { return }
    throw Violation(.oneToken, "a token of \(id) is asked for, and token \(access.number) is good")
  }

  /// The rows of sessions that a turn has written.
  func followSessions(_ ledger: SimulatedLedger, in process: SimulatedProcess) throws {
    for session in ledger.notes.sessions {
      if let before = sessions[session.key], before.id == session.id, before.state != session.state,
        !before.state.canBecome(session.state)
      {
        throw Violation(.transitions, "\(session.id) went from \(before.state) to \(session.state)")
      }
      if let before = sessions[session.key], before.id == session.id, session.token < before.token {
        throw Violation(.tokenInUse, "\(session.id) goes back to token \(session.token)")
      }
      sessions[session.key] = session
    }
    for key in ledger.notes.forgottenSessions { sessions[key] = nil }
    guard process.dispatcher.state.sessions.view.sessions == sessions else {
      throw Violation(.mirror, "the sessions in memory are not those that were written")
    }
    guard let vault = process.world.sessions?.vault else { return }
    for session in sessions.values.sorted(by: { $0.key < $1.key }) {
      guard let secret = session.wish.secret, vault.file.secrets[secret] == nil else { continue }
      throw Violation(.secrets, "the secret of \(session.id) would not survive a power cut")
    }
  }

  /// No secret is left that belongs to no session.
  private func checkVaultAtRest(_ world: World) throws {
    guard let vault = world.sessions?.vault else { return }
    let owned = Set(sessions.values.compactMap(\.wish.secret))
    guard vault.file.secrets.keys.allSatisfy(owned.contains) else {
      throw Violation(.secrets, "the vault keeps a secret that no session has")
    }
    guard vault.secrets == vault.file.secrets else {
      throw Violation(.secrets, "the vault has what its file does not have")
    }
  }

  /// An attempt starts: its session is open, and its request goes with the credentials that there are for its host.
  func checkSession(of attempt: Attempt, in process: SimulatedProcess) throws {
    guard let key = rows[attempt.id.download]?.session, let session = sessions[key] else {
      guard attempt.session == nil else { throw Violation(.parked, "\(attempt.id.download) has no session") }
      return
    }
    // The turn that starts it may have more in it: what follows closes the session behind the start.
    let isFor = session.isFor(attempt.address.host) && session.wish.kind.needsSecret
    guard attempt.session.map({ $0.session == session.id }) ?? !isFor else {
      throw Violation(.parked, "\(attempt.id.download) starts with \(attempt.session as Any), not with \(session.id)")
    }
  }

  /// Whether a feed waits for its session.
  func isParked(_ feed: Feed, at now: Timestamp) -> Bool {
    guard let key = feed.session, let session = sessions[key], session.isFor(feed.address.host) else { return false }
    return !session.isUsable(at: now)
  }

  /// No session waits when nothing happens any more.
  func checkSessionsAtRest(_ world: World) throws {
    for session in sessions.values.sorted(by: { $0.key < $1.key }) {
      if case .opening = session.state { throw Violation(.liveness, "\(session.id) is being opened for ever") }
    }
    let stored = try world.database.read { try $0.sessions() }
    guard stored == sessions.values.sorted(by: { $0.key < $1.key }) else {
      throw Violation(.mirror, "the sessions were not written")
    }
    try checkVaultAtRest(world)
    // A sidecar may have been the last to refer to one: that goes with the next start.
    guard world.options.faults.isDisjoint(with: [.sidecars]) else { return }
    for session in stored where session.isOwn {
      guard try world.database.read({ try $0.isReferredTo(session.key) }) else {
        throw Violation(.mirror, "nothing refers to \(session.id), which auth has made, and it is still there")
      }
    }
  }
}

/// The table of sessions, watched.
struct ObservedSessions: SessionTable {
  let inner: any SessionTable
  let notes: TransactionNotes

  func all() throws -> [Session] { try inner.all() }
  func save(_ session: Session) throws {
    try inner.save(session)
    notes.sessions.append(session)
  }
  func delete(_ key: Session.Key) throws {
    try inner.delete(key)
    notes.forgottenSessions.append(key)
  }
  func isReferredTo(_ key: Session.Key) throws -> Bool { try inner.isReferredTo(key) }
}
