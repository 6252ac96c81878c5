import Flux
import PodfluxCore

/// What clients want of sessions (the article Protocol).
extension SessionIntent {
  func exchanged<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) -> Self {
    switch self {
    case .open(var opening):
      coder.type("sessions/open", "Opens a session for some hosts, or opens it anew.")
      var source = SourceForm(opening.login.source)
      try coder.optional("hosts", &opening.login.wish.hosts, .hosts, omitting: [])
      try coder.optional("id", &opening.id, .sessionID)
      try opening.login.exchange(&source, with: &coder)
      return .open(opening)
    case .close(var id, var forgetting):
      coder.type("sessions/close", "Lets a session's requests wait; `forget` deletes its secret.")
      try coder.optional("forget", &forgetting, .boolean, standard: false)
      try coder.required("id", &id, .sessionID)
      return .close(id, forgetting: forgetting)
    }
  }

  static let openTemplate = Self.open(Opening(login: .template))
}

extension RequestForm {
  /// The lines about sessions, in the order in which refusals name them.
  static let sessions: [RequestForm] = [
    Self(
      .sessions(.openTemplate),
      naming: ["id", "hosts", "kind", "user", "secret", "secretFile", "netrc", "tokenURL", "parameter"]),
    Self(.sessions(.close(.template, forgetting: false)), naming: ["id", "forget"]),
    Self(
      "sessions/list", "Asks for all sessions, as a snapshot of them.",
      meaning: .query(.snapshot(SnapshotQuery(stores: [.sessions])))),
  ]
}

/// Where a secret is, as three members say it.
struct SourceForm {
  var netrc: Bool?
  var file: String?
  var text: String?

  init(_ source: SecretSource?) {
    switch source {
    case .text(let text): self.text = text
    case .file(let path): file = path
    case .netrc: netrc = true
    case nil: break
    }
  }

  var source: SecretSource? {
    text.map(SecretSource.text) ?? file.map(SecretSource.file) ?? (netrc == nil ? nil : .netrc)
  }
}

extension Login: FormedPayload {
  static let template = Login(Session.Wish(hosts: [], kind: .basic))
  static let keys = templateKeys
  static let definition: String? = "login"

  private static let secretRule = MemberRule.atMostOne(
    of: ["secret", "secretFile", "netrc", "secretReference"],
    otherwise: "the secret is given in several ways; give only one of secret, secretFile and netrc")

  mutating func exchange<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) {
    var source = SourceForm(source)
    try exchange(&source, with: &coder)
  }

  /// Exchanges what stands in `auth`, and in the payload of `sessions/open` behind `id`.
  ///
  /// `secretReference` is the engine's own: it takes the place of the others once the secret is in the vault.
  fileprivate mutating func exchange<Coder: PayloadCoder>(
    _ form: inout SourceForm, with coder: inout Coder
  ) throws(Coder.Fault) {
    try coder.require(Self.secretRule)
    try coder.required("kind", &wish.kind, .choice)
    try coder.optional("netrc", &form.netrc, .onlyTrue)
    try coder.optional("parameter", &wish.parameter, .parameterName)
    try coder.optional("secret", &form.text, .secret)
    try coder.optional("secretFile", &form.file, .secretFile)
    try coder.optional("secretReference", &wish.secret, .secretReference)
    try coder.optional("tokenURL", &wish.tokenURL, .address)
    try coder.optional("user", &wish.user, .user)
    source = form.source
  }
}

/// Which session a download or a feed belongs to, as the members `auth` and `session` say it.
struct SessionForm {
  /// Made once: each line of a download is checked by it.
  private static let rule = MemberRule.atMostOne(
    of: ["session", "auth"], otherwise: "auth makes a session of its own; give either auth or session")

  private var login: Login?
  private var session: SessionID??

  init(_ choice: SessionChoice?) {
    switch choice {
    case .known(let id): session = .some(id)
    case SessionChoice.none?: session = .some(nil)
    case .new(let login): self.login = login
    case nil: break
    }
  }

  var choice: SessionChoice? {
    if let login { return .new(login) }
    return session.map { $0.map(SessionChoice.known) ?? SessionChoice.none }
  }

  mutating func exchangeLogin<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) {
    try coder.require(Self.rule)
    try coder.optional("auth", &login, .object)
  }

  mutating func exchangeSession<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) {
    try coder.optional("session", &session, .chosenSession)
  }
}

// MARK: - Facts

/// What a service finds out about sessions. `opening` says which opening reports.
extension SessionFact {
  mutating func exchange<Coder: PayloadCoder>(with coder: inout Coder) throws(Coder.Fault) {
    switch self {
    case .opened(var id, var expires):
      coder.type("sessions/opened", "The credentials of a session are ready.")
      try coder.optional("expires", &expires, .instant)
      try coder.required("id", &id.session, .sessionID)
      try coder.required("opening", &id.generation, .number)
      self = .opened(id, expires: expires)
    case .failed(var id, var error):
      coder.type("sessions/failed", "There are no credentials of a session, or not now.")
      try coder.required("error", &error, .object)
      try coder.required("id", &id.session, .sessionID)
      try coder.required("opening", &id.generation, .number)
      self = .failed(id, error)
    }
  }
}

extension ActionForm {
  /// What a service finds out about sessions.
  static let sessionFacts: [ActionForm] = [
    .opened(.template, expires: nil), .failed(.template, .template),
  ].map { (fact: SessionFact) in ActionForm(.session(fact), naming: ["id", "opening"]) }
}

extension SessionOpening.ID {
  static let template = Self(session: .template, generation: 0)
}

extension SessionID {
  static let template: SessionID = {
    guard let id = SessionID("a") else { preconditionFailure("a letter is an id") }
    return id
  }()
}

// MARK: - Values

extension ValueForm<SessionID> {
  static var sessionID: Self {
    Self(
      "an id", .definition("sessionID"), read: { f throws(Refusal) in try f.sessionID() },
      write: { $1.element($0.description) })
  }
}

extension ValueForm<SessionID?> {
  /// The session of a download or a feed; null for none.
  static var chosenSession: Self {
    Self(
      "an id, or null", .definition("chosenSession"),
      read: { f throws(Refusal) in f.value == .null ? nil : try f.sessionID() }
    ) { id, writer in
      if let id { writer.element(id.description) } else { writer.value(nil as Int64?) }
    }
  }
}

extension ValueForm<SecretReference> {
  static var secretReference: Self {
    Self(
      "\(SecretReference.length) digits; the engine's own", .string(pattern: "^[0-9a-f]{\(SecretReference.length)}$"),
      read: { f throws(Refusal) in
        guard let reference = SecretReference(try f.string()) else {
          throw f.mustBe("\(SecretReference.length) hexadecimal digits, as the engine gives them")
        }
        return reference
      }, write: { $1.element($0.description) })
  }
}

extension ValueForm<String> {
  /// A secret; it is not written, but to an engine.
  static var secret: Self {
    Self(
      "text of 1 to \(Session.Limits.secretBytes) bytes", .text(1...Session.Limits.secretBytes),
      read: { f throws(Refusal) in try f.secret() }, write: { $1.element($1.keepsSecrets ? $0 : "…") })
  }

  /// A file of the machine that has a secret.
  static var secretFile: Self {
    Self(
      "the absolute path of a file", .string(1...LibraryPath.maximumBytes, pattern: "^/"),
      read: { f throws(Refusal) in
        let path = try f.text(ofBytes: 1...LibraryPath.maximumBytes)
        guard path.hasPrefix("/") else { throw f.mustBe("an absolute path: the engine may run in another folder") }
        return path
      }, write: { $1.element($0) })
  }

  /// The name of a user, or of a client.
  static var user: Self {
    Self(
      "text of at most \(Session.Limits.userBytes) bytes", .text(0...Session.Limits.userBytes),
      read: { f throws(Refusal) in try f.text(ofBytes: 0...Session.Limits.userBytes) }, write: { $1.element($0) })
  }
}

extension ValueForm<String> {
  /// The name of a parameter of a query.
  static var parameterName: Self {
    Self(
      "1 to \(Session.Limits.parameterBytes) characters of A-Z a-z 0-9 . _ ~ -",
      .string(pattern: "^[A-Za-z0-9._~-]{1,\(Session.Limits.parameterBytes)}$"),
      read: { f throws(Refusal) in
        let name = try f.string()
        guard SecretParameter.isName(name) else {
          throw f.mustBe("1 to \(Session.Limits.parameterBytes) characters of A-Z a-z 0-9 . _ ~ -")
        }
        return name
      }, write: { $1.element($0) })
  }
}

extension ValueForm<[String]> {
  /// The hosts of a session.
  static var hosts: Self {
    Self(
      "1 to \(Session.Limits.hosts) hosts, each with its port where addresses name one",
      .array(of: .definition("sessionHost"), count: 1...Session.Limits.hosts),
      read: { f throws(Refusal) in
        let hosts = try f.elements(atMost: Session.Limits.hosts) { e throws(Refusal) in try e.host() }
        guard !hosts.isEmpty else { throw f.mustBe("a list of one host at least") }
        return hosts
      }, write: { hosts, writer in writer.elements(hosts) { $1.element($0) } })
  }
}

extension Field {
  fileprivate func sessionID() throws(Refusal) -> SessionID {
    guard let id = SessionID(try string()) else {
      throw mustBe("1 to \(SessionID.maximumLength) characters of A-Z a-z 0-9 . _ - : that do not begin with a dot")
    }
    return id
  }

  /// The message repeats nothing of it.
  fileprivate func secret() throws(Refusal) -> String {
    let text = try string()
    guard (1...Session.Limits.secretBytes).contains(text.utf8.count), !text.hasControlCharacters else {
      throw mustBe("1 to \(Session.Limits.secretBytes) bytes without control characters")
    }
    return text
  }

  /// A host as `WebAddress.host` has it.
  fileprivate func host() throws(Refusal) -> String {
    let text = try string().lowercased()
    guard let address = try? WebAddress(fetchable: "https://" + text), address.host == text else {
      throw mustBe("a host such as example.org or 127.0.0.1:8080, without a scheme and without a path")
    }
    return text
  }
}
