import EngineRuntime
import Flux
import PodfluxCore

/// Servers that want credentials, and that issue tokens. They have a generator of their own: a world without sessions
/// draws as if there were none.
struct SimulatedSessions {
  /// A server of some hosts: what it accepts.
  struct Server {
    var kind: Session.Kind
    /// Whether it accepts the client's secret at all.
    var isWilling: Bool
    /// The token that it accepts, and how often still.
    var access: String?
    var usesLeft = 0
    /// Whether a host has refused it for another reason.
    var isDoubted = false
    /// When that token expires, in the world's milliseconds; nil for never.
    var expires: Int64?
  }

  /// What every secret and every token begins with: no line of a journal has it.
  static let mark = "s3cr3t-"
  /// The parameter that has a secret in addresses: no name that is known as one.
  static let parameter = "k9"
  /// How many sessions the client opens at most.
  static let limit = 8
  /// The ids that it gives.
  private static let ids = 3

  var random: SeededGenerator
  let vault: SimulatedVault
  private(set) var servers: [Server] = []
  /// Which server knows a secret or a token.
  private var owners: [String: Int] = [:]
  /// The hosts that let no request in without credentials.
  private(set) var strict: Set<String> = []
  private var number = 0

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed, index: 4)
    vault = SimulatedVault(seed: seed)
  }

  // MARK: Clients

  /// A login for which there is a server, with its secret.
  mutating func login(for hosts: [String], isCertain: Bool) -> Login {
    let kind = isCertain ? Session.Kind.refreshing : random.pick(Session.Kind.allCases + [.refreshing, .refreshing])
    return login(for: hosts, kind: kind, isCertain: isCertain)
  }

  mutating func login(for hosts: [String], kind: Session.Kind, isCertain: Bool) -> Login {
    var wish = Session.Wish(hosts: hosts, kind: kind)
    if kind.needsUser { wish.user = "user" }
    if kind == .refreshing { wish.tokenURL = try? WebAddress("https://login.example/token") }
    if kind == .parameter { wish.parameter = Self.parameter }
    guard kind.needsSecret else { return Login(wish) }
    number += 1
    let text = Self.mark + "secret-\(number)"
    owners[text] = servers.count
    servers.append(Server(kind: kind, isWilling: isCertain || !random.once(in: 6)))
    return Login(wish, source: .text(text))
  }

  /// The address with the secret of a login of the kind `parameter`, which has none any more: a client gives it so. Nil
  /// for another kind.
  func address(_ address: WebAddress, with choice: inout SessionChoice?) -> WebAddress? {
    guard case .new(var login)? = choice, login.wish.kind == .parameter, case .text(let secret)? = login.source else {
      return nil
    }
    login.source = nil
    choice = .new(login)
    return try? WebAddress(SecretParameter(name: Self.parameter, value: secret).added(to: address.description))
  }

  mutating func id() -> SessionID? { random.once(in: 5) ? nil : SessionID("s\(random.below(Self.ids))") }

  /// Hosts become strict, or no more.
  mutating func change(_ hosts: [String]) {
    strict = random.once(in: 2) ? [] : [random.pick(hosts)]
  }

  /// From now on each host lets in what has no credentials.
  mutating func behave() { strict = [] }

  // MARK: Requests

  /// Whether a host lets a request in.
  mutating func accepts(_ credentials: SessionCredentials?, at host: String, now: Int64) -> Bool {
    guard let credentials, credentials.kind.needsSecret else { return !strict.contains(host) }
    guard let index = owners[credentials.secret] else { return false }
    guard servers[index].kind == .refreshing else { return servers[index].isWilling }
    guard servers[index].access == credentials.secret, isGood(index, now: now) else { return false }
    servers[index].usesLeft -= 1
    return true
  }

  private func isGood(_ index: Int, now: Int64) -> Bool {
    servers[index].usesLeft > 0 && servers[index].expires.map { now < $0 } ?? true
  }

  /// A host has refused a request although its credentials are good: engines do not know that.
  mutating func doubt(_ secret: String) {
    if let index = owners[secret] { servers[index].isDoubted = true }
  }

  /// Whether a token is accepted still, and will be for a while, and nothing speaks against it.
  func isGood(_ token: String, now: Int64) -> Bool {
    guard let index = owners[token], servers[index].access == token, !servers[index].isDoubted else { return false }
    return isGood(index, now: now + Session.Limits.renewalMarginMilliseconds)
  }

  /// The answer to a request for a token.
  mutating func answer(_ request: TokenRequest, hasFaults: Bool, now: Int64) -> TokenAnswer {
    guard let index = owners[request.refreshToken], servers[index].isWilling else {
      return .failed(DownloadError(.unauthorized, "the server says invalid_grant", status: 400))
    }
    if hasFaults, random.once(in: 6) {
      return .failed(
        random.once(in: 3)
          ? DownloadError(.unauthorized, "the server says invalid_grant", status: 400)
          : DownloadError(.httpStatus, "the server answered 503", status: 503))
    }
    number += 1
    let token = Self.mark + "token-\(number)"
    owners[token] = index
    servers[index].access = token
    servers[index].isDoubted = false
    servers[index].usesLeft = hasFaults ? random.within(1...12) : 100
    let seconds = random.once(in: 3) ? Int64(random.within(20...400)) : nil
    servers[index].expires = seconds.map { now + $0 * 1000 }
    var refresh: String?
    if random.once(in: 2) {
      let text = Self.mark + "refresh-\(number)"
      refresh = text
      owners[text] = index
    }
    return .issued(IssuedToken(access: token, seconds: seconds, refresh: refresh))
  }
}

/// Clients that open and close sessions, and choose them for downloads and feeds.
extension World {
  func speakOfSessions(to engine: SimulatedEngine) {
    guard var sessions, suffers(.sessions) else { return }
    defer { self.sessions = sessions }
    let hosts = sessionHosts
    let known = (process?.dispatcher.state.sessions.view.sessions.values.map(\.self) ?? []).sorted { $0.key < $1.key }
    if sessions.random.once(in: 4) { sessions.change(hosts) }
    if sessions.random.once(in: 3), known.count < SimulatedSessions.limit {
      let some = hosts.filter { _ in sessions.random.once(in: 2) } + [sessions.random.pick(hosts)]
      let login = sessions.login(for: Array(Set(some)).sorted(), isCertain: false)
      engine.ask(.sessions(.open(.init(id: sessions.id(), login: login))))
    }
    guard !known.isEmpty else { return }
    if sessions.random.once(in: 12) {
      engine.ask(.sessions(.close(sessions.random.pick(known).id, forgetting: sessions.random.once(in: 3))))
    }
    chooseSessions(among: known, &sessions, engine)
  }

  private func chooseSessions(
    among known: [Session], _ sessions: inout SimulatedSessions, _ engine: SimulatedEngine
  ) {
    for _ in 0..<2 {
      let session = sessions.random.pick(known)
      let rows = checker.rows.values.filter { session.isFor($0.address.host) && $0.session == nil }.map(\.id).sorted()
      if !rows.isEmpty {
        var update = DownloadIntent.Update()
        update.session = choice(of: session, &sessions, known.count)
        let id = sessions.random.pick(rows)
        update.address = checker.rows[id].flatMap { sessions.address($0.address, with: &update.session) }
        engine.ask(.downloads(.update(id, update)))
      }
      let feeds = checker.feeds.feeds.values.filter { session.isFor($0.address.host) && $0.session == nil }.map(\.id)
        .sorted()
      if !feeds.isEmpty {
        var update = PodcastIntent.Update()
        update.session = choice(of: session, &sessions, known.count)
        let id = sessions.random.pick(feeds)
        let feed = checker.feeds.feeds.values.first { $0.id == id }
        update.address = feed.flatMap { sessions.address($0.address, with: &update.session) }
        engine.ask(.podcasts(.update(id, update)))
      }
    }
  }

  private func choice(
    of session: Session, _ sessions: inout SimulatedSessions, _ count: Int
  ) -> SessionChoice {
    guard count < SimulatedSessions.limit, sessions.random.once(in: 8) else {
      return sessions.random.once(in: 12) ? .none : .known(session.id)
    }
    return .new(sessions.login(for: [], isCertain: false))
  }

  private var sessionHosts: [String] {
    let feedHosts = feeds?.places.map(\.address.host) ?? []
    return Set(origins.map(\.address.host) + feedHosts + ["files0.example", "files1.example"]).sorted()
  }

  /// Opens each session with a secret that its server accepts: everything is to come to an end.
  func openSessions(of engine: SimulatedEngine) {
    guard var sessions else { return }
    defer { self.sessions = sessions }
    let known = (process?.dispatcher.state.sessions.view.sessions.values.map(\.self) ?? []).sorted { $0.key < $1.key }
    for session in known {
      let login = sessions.login(for: session.wish.hosts, kind: session.wish.kind, isCertain: true)
      engine.ask(.sessions(.open(.init(id: session.id, login: login))))
    }
  }

  // MARK: What requests find

  /// A host has answered a request that it lets in.
  func noteAnswer(_ status: Int, to request: HTTPRequest, in process: SimulatedProcess) {
    guard status == 401 || status == 403, let use = request.session,
      let secret = process.credentials[use.session]?.secret
    else { return }
    sessions?.doubt(secret)
  }

  /// Whether a host lets a request in.
  func lets(_ request: HTTPRequest, in process: SimulatedProcess, at host: String) throws -> Bool {
    guard var sessions else { return true }
    defer { self.sessions = sessions }
    try checker.checkAddress(request.url)
    guard let use = request.session else { return sessions.accepts(nil, at: host, now: now) }
    let credentials = process.credentials[use.session]
    let isOwn = credentials?.hosts.contains(host) ?? false
    if let credentials, isOwn { try checker.willSend(credentials, with: use, to: host, in: process) }
    // The host leads elsewhere: what follows a redirect has no credentials any more.
    if let credentials, isOwn, sabotage == .credentialsFollow, sessions.random.once(in: 8) {
      try checker.willSend(credentials, with: use, to: "cdn.example", in: process)
    }
    return sessions.accepts(isOwn ? credentials : nil, at: host, now: now)
  }
}
