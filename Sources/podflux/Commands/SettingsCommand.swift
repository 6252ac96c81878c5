import ArgumentParser
import PodfluxClient
import PodfluxCore
import PodfluxPeople
import Terminal
import WireProtocol

/// `podflux settings`: what is durable in a library.
struct SettingsCommand: EngineCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings",
    abstract: "Prints the library's settings, or changes some.",
    discussion: """
      podflux settings
      podflux settings maxConcurrent
      podflux settings maxConcurrent=8 bytesPerSecond=0 'network={"user":"any"}'

      They are durable. Reading them needs no engine; a change goes to the engine that runs, or to one of its own.
      """)

  @OptionGroup var folder: LibraryOption
  @OptionGroup var engine: SocketOption
  @OptionGroup var console: ConsoleOptions

  @Argument(
    help: "A setting's name to print it, or NAME=VALUE to change it.",
    completion: .list(Settings.all.map(\.name)))
  var words: [String] = []

  var missingLibrary: MissingLibrary { .made }

  func validate() throws {
    let names = Set(Settings.all.map(\.name))
    for word in words {
      let name = word.name
      guard names.contains(name) else {
        throw ValidationError("there is no setting \"\(name)\"; podflux settings lists them")
      }
    }
    if let twice = Dictionary(grouping: words, by: \.name).first(where: { $0.value.count > 1 })?.key {
      throw ValidationError("name \(twice) only once")
    }
    let changes = words.count { $0.contains("=") }
    guard changes == 0 || changes == words.count else {
      throw ValidationError("print settings or change them, not both at once")
    }
  }

  func run() throws {
    guard words.contains(where: { $0.contains("=") }) else {
      let console = Console(console)
      return try console.reporting {
        print(try LibraryFolder(place: folder.place(of: engine)).settings(), words, on: console)
      }
    }
    let request = try Console(console).reporting { try change() }
    try withEngine { access, console in
      let ofRules = try ask(aboutQuotaWith: access, on: console)
      let reply = try access.connection.ask(request).get()
      if let example = try reply.string("example") { console.note("a file's name, for example: \(example)") }
      if !ofRules.isEmpty {
        let deleted = try access.removedByRules(of: ofRules)
        if deleted > 0 { console.note("\(deleted) deleted") }
      }
      if let quota {
        let excess = try downloaded(with: access).bytes - quota
        if excess > 0 {
          console.note(
            "\(ByteCount(excess)) more are here than the quota allows: no rule deletes what a person has asked for "
              + "or keeps, and nothing else is downloaded until there is room")
        }
      }
      guard console.options.json else { return }
      print(try access.connection.settings(), words.map { $0.name }, on: console)
    }
  }

  /// The quota that is to be set; nil for none.
  private var quota: Int64? {
    let name = "storageQuotaBytes"
    let value = words.first { $0.name == name }?.dropFirst(name.count + 1)
    return value.flatMap { Int64($0) }.flatMap { $0 > 0 ? $0 : nil }
  }

  /// How many bytes the complete files have, and which of them rules have downloaded.
  private func downloaded(with access: EngineAccess) throws -> (bytes: Int64, ofRules: [DownloadID]) {
    var (bytes, ofRules) = (Int64(0), [DownloadID]())
    try access.connection.forEachDownload(.states([.completed]), fields: [.id, .bytes, .origin]) { item in
      bytes = bytes.addingClamped(item.bytes.total ?? 0)
      if item.origin == .auto, let id = DownloadID(item.id) { ofRules.append(id) }
      return true
    }
    return (bytes, ofRules)
  }

  /// A quota below what is there has files of rules deleted, at once.
  ///
  /// - Returns: Those of which some are deleted; none if the quota leaves room for all.
  private func ask(aboutQuotaWith access: EngineAccess, on console: Console) throws -> [DownloadID] {
    guard let quota else { return [] }
    // Files that are back from a backup are known again before some of them are deleted.
    try access.awaitStartCleanup()
    let (bytes, ofRules) = try downloaded(with: access)
    guard bytes > quota, !ofRules.isEmpty else { return [] }
    func effect(_ verb: String) -> String {
      "\(ByteCount(bytes)) are here, and files that rules have downloaded \(verb) deleted until \(ByteCount(quota)) are left"
    }
    try console.confirm("\(effect("are")). Change it?", otherwise: effect("would be"))
    return ofRules
  }

  /// The update of the typed settings: the value of a text is taken as typed, any other one as JSON.
  private func change() throws -> Request {
    var members: [(key: String, value: JSONValue)] = []
    for word in words {
      let value = String(word.dropFirst(word.name.count + 1))
      let setting = Settings.all.first { $0.name == word.name }
      switch setting?.values {
      case .printable, .choice, .timeZone, .nameTemplate, nil: members.append((word.name, .string(value)))
      case .boolean, .integer, .limit, .number, .optionalChoice, .names, .schedule, .networkClasses:
        // The engine refuses a text that is no JSON, and says which values the setting takes.
        members.append((word.name, JSONValue(typed: value) ?? .string(value)))
      }
    }
    return try Request("settings/update", members)
  }

  private func print(_ settings: JSONObject, _ names: [String], on console: Console) {
    let members = settings.members.filter { names.isEmpty || names.contains($0.key) }
    if console.options.json { return console.result(JSONObject(members)) }
    for member in members {
      let value = member.value.plainText
      console.result(names.count == 1 ? value : "\(member.key)=\(value)")
    }
  }
}

extension String {
  /// What stands before the first `=`.
  fileprivate var name: String { String(prefix { $0 != "=" }) }
}
