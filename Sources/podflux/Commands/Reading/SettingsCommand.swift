import ArgumentParser
import PodfluxClient
import PodfluxCore
import PodfluxPeople
import WireProtocol

/// `podflux settings`: what is durable in a library.
struct SettingsCommand: ParsableCommand {
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

  func validate() throws {
    let names = Set(Settings.all.map(\.name))
    for word in words {
      let name = String(word.prefix { $0 != "=" })
      guard names.contains(name) else {
        throw ValidationError("there is no setting \"\(name)\"; podflux settings lists them")
      }
    }
    let changes = words.count { $0.contains("=") }
    guard changes == 0 || changes == words.count else {
      throw ValidationError("print settings or change them, not both at once")
    }
  }

  func run() throws {
    let console = Console(console)
    let place = try folder.place()
    try console.reporting {
      let snapshot = try LibraryFolder(place: place).snapshot(SnapshotQuery(stores: [.settings]))
      let settings = try snapshot.json.required("settings", JSONObject.object)
      print(settings, on: console)
    }
  }

  private func print(_ settings: JSONObject, on console: Console) {
    let members = settings.members.filter { words.isEmpty || words.contains($0.key) }
    if console.options.json { return console.result(JSONObject(members)) }
    for member in members {
      let value = member.value.plainText
      console.result(words.count == 1 ? value : "\(member.key)=\(value)")
    }
  }
}
