import ArgumentParser
import PodfluxClient
import PodfluxCore
import PodfluxPeople
import WireProtocol

/// `podflux sessions`: lists, opens and closes the logins of private feeds.
struct SessionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sessions",
    abstract: "Lists, opens or closes the logins of private feeds.",
    discussion: """
      podflux sessions
      podflux sessions open members --host feeds.example.org --host media.example.org --user me
      podflux sessions close members --forget

      The requests of feeds and downloads that have a session wait while it is not open. A session's password or token goes
      to its hosts and to no other.
      """,
    subcommands: [List.self, Open.self, Close.self], defaultSubcommand: List.self)

  /// Prints them.
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "Prints the sessions, without an engine or beside a running one.")

    @OptionGroup var folder: LibraryPathOption
    @OptionGroup var engine: SocketOption
    @OptionGroup var console: ConsoleOptions

    func run() throws {
      let console = Console(console)
      try console.reporting {
        let source = LibraryFolder(place: try folder.place(of: engine))
        let sessions = try source.snapshot(SnapshotQuery(stores: [.sessions])).sessions()
        if console.options.json { return sessions.forEach { console.result($0.json) } }
        console.result(LibraryTables(console.clock).table(of: sessions))
      }
    }
  }

  struct Open: EngineCommand {
    static let configuration = CommandConfiguration(
      commandName: "open",
      abstract: "Opens a session, or the same one in another way, and lets what has waited for it go on.",
      discussion: """
        podflux sessions open members --host feeds.example.org --user me
        podflux sessions open members --host feeds.example.org --login bearer --password-stdin < token
        podflux sessions open members

        Of a session that is there what is left out stays as it is, the password too:

        podflux sessions open members --password-stdin < new-password
        """)

    @OptionGroup var folder: LibraryOption
    @OptionGroup var engine: SocketOption
    @OptionGroup var console: ConsoleOptions
    @OptionGroup var login: LoginOptions

    @Argument(help: "The session's id, such as members.")
    var id: String

    @Option(help: "A host that it is for, with its port where an address names one; can be repeated.")
    var host: [String] = []

    /// Without a login it is a session that is there.
    var missingLibrary: MissingLibrary { isOfPresentSession ? .refused : .made }

    private var isOfPresentSession: Bool { !login.isGiven || login.isSecretAlone }

    func run() throws {
      let login = Result { try isOfPresentSession ? [] : self.login.members() }
      try withEngine { access, console in
        let own = members(["hosts": host.isEmpty ? nil : .array(host.map(\.json)), "id": id.json])
        let given = try login.get()
        let request = try Request(
          "sessions/open", (own + (isOfPresentSession ? kept(access) : given)).sorted { $0.key < $1.key })
        _ = try access.connection.ask(request).get()
        let session = try settled(id, access)
        if console.options.json {
          if let session { console.result(session.json) }
        } else if let session {
          console.note("\(id): \(session.words)")
        }
        if session?.state == .loginFailed { throw ExitCode.credentialsNeeded }
      }
    }

    /// How a session that is there logs in, and its new secret, if one is given.
    private func kept(_ access: EngineAccess) throws -> [(key: String, value: JSONValue)] {
      guard let kind = try access.session(id)?.kind else {
        throw EngineRefusal(
          code: Refusal.Code.missingField.rawValue,
          message: "there is no session \"\(id)\"; say where and how a new one logs in: --host HOST --user NAME")
      }
      let secret = try login.isSecretAlone ? [login.secret(isPassword: kind == .basic || kind == .digest)] : []
      return [("kind", .string(kind.rawValue))] + secret
    }

    private static let lookMilliseconds = 50
    private static let looks = 600

    /// The session when its opening has ended, or after half a minute.
    private func settled(_ id: String, _ access: EngineAccess) throws -> SessionItem? {
      var session: SessionItem?
      for _ in 0..<Self.looks {
        session = try access.session(id)
        guard let state = session?.state, state == .created || state == .opening else { return session }
        if access.signals.comes(withinMilliseconds: Self.lookMilliseconds) { throw ConnectionFailure.interrupted }
      }
      return session
    }
  }

  struct Close: EngineCommand {
    static let configuration = CommandConfiguration(
      commandName: "close", abstract: "Closes a session: its requests wait until it is opened again.")

    @OptionGroup var folder: LibraryOption
    @OptionGroup var engine: SocketOption
    @OptionGroup var console: ConsoleOptions

    @Argument(help: "The session's id.")
    var id: String

    @Flag(help: "Delete its password or token too.")
    var forget = false

    func run() throws {
      try withEngine { access, console in
        guard let session = SessionID(id) else {
          throw EngineRefusal(code: Refusal.Code.notFound.rawValue, message: "there is no session \"\(id)\"")
        }
        try access.order(.sessions(.close(session, forgetting: forget)))
        guard console.options.json, let closed = try access.session(id) else { return }
        console.result(closed.json)
      }
    }
  }
}

extension EngineAccess {
  /// The session with this id; nil if there is none.
  fileprivate func session(_ id: String) throws -> SessionItem? {
    try connection.snapshot(SnapshotQuery(stores: [.sessions])).sessions().first { $0.id == id }
  }
}
