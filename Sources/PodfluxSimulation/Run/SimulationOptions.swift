/// The parameters of a simulated world. Two runs with equal options are equal to the last byte.
package struct SimulationOptions: Hashable, Sendable {
  /// The seed of all random draws.
  package var seed: UInt64
  /// How many turns to run before faults stop.
  package var turns: Int
  /// How many downloads exist at once, at most.
  package var downloads: Int
  /// The enabled faults.
  package var faults: FaultKinds
  /// A deliberate mistake in the engine's surroundings, which the checker must find.
  package var sabotage: Sabotage?
  /// How many of the last turns and events a failure tells of. No run depends on it.
  package var toldEvents = 40

  /// The usual world of a seed, with all faults.
  package init(
    seed: UInt64, turns: Int = 2_000, downloads: Int = 12, faults: FaultKinds = .all, sabotage: Sabotage? = nil
  ) {
    self.seed = seed
    self.turns = turns
    self.downloads = downloads
    self.faults = faults
    self.sabotage = sabotage
  }

  /// The command that repeats the run.
  package var command: String {
    var command = "podflux-sim run --seed \(seed) --turns \(turns) --downloads \(downloads)"
    if faults != .all { command += " --faults \(faults.names.joined(separator: ","))" }
    if let sabotage { command += " --sabotage \(sabotage.rawValue)" }
    return command
  }
}

/// Kinds of faults.
package struct FaultKinds: OptionSet, Hashable, Sendable {
  package let rawValue: Int

  package init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// The process dies, between any two steps.
  package static let crashes = FaultKinds(rawValue: 1)
  /// The power fails: what was not synced is lost or torn.
  package static let powerCuts = FaultKinds(rawValue: 2)
  /// Commits fail.
  package static let commits = FaultKinds(rawValue: 4)
  /// The disk is full; partial files vanish, shrink, grow or rot; deletions fail.
  package static let disk = FaultKinds(rawValue: 8)
  /// Other programs' files appear at downloads' paths.
  package static let foreignFiles = FaultKinds(rawValue: 16)
  /// Contents change on the origins.
  package static let changes = FaultKinds(rawValue: 32)
  /// Origins answer wrongly or not at all; connections break.
  package static let network = FaultKinds(rawValue: 64)
  /// Validators are weak, missing, rotating or wrong; ranges are ignored.
  package static let protocols = FaultKinds(rawValue: 128)
  /// The wall clock jumps.
  package static let clock = FaultKinds(rawValue: 256)
  /// Effects are executed twice, and ended attempts report once more.
  package static let repetition = FaultKinds(rawValue: 512)

  /// People rename, swap, replace, delete and restore files in the library; its disk is not mounted for a while.
  package static let people = FaultKinds(rawValue: 1024)

  /// The network path changes, and is lost.
  package static let paths = FaultKinds(rawValue: 2048)

  /// The system stops and continues the process, the input ends, and the library cannot be opened again for a while.
  package static let suspensions = FaultKinds(rawValue: 4096)

  /// People give files a second name (link(2)). See `FileName` for whose it is.
  package static let hardLinks = FaultKinds(rawValue: 8192)

  /// There are feeds, which grow, shrink, move, die and lie. Without it the client has no subscriptions at all.
  package static let feeds = FaultKinds(rawValue: 16384)

  /// Clients change titles and templates, and have files renamed.
  package static let names = FaultKinds(rawValue: 32768)

  /// Clients set and change rules of feeds. It is no fault, and not among `all`: the lives of seeds are older.
  package static let rules = FaultKinds(rawValue: 65536)

  /// Clients change filters over episodes. It is no fault, and not among `all`, like `rules`.
  package static let filters = FaultKinds(rawValue: 131072)

  /// Clients want sidecars, and people put files in their places, take them away and change them. Not among `all`, like
  /// `rules`.
  package static let sidecars = FaultKinds(rawValue: 262144)

  /// Clients switch tags on and off, and tagging fails or takes the process with it. It is not among `all`, like
  /// `rules`.
  package static let tags = FaultKinds(rawValue: 524288)

  /// People drop files that are named after episodes, and clients have them adopted. Not among `all`, like `rules`.
  package static let adopting = FaultKinds(rawValue: 1_048_576)

  /// Clients open and close sessions; servers want credentials, their tokens expire, and renewing them fails, is slow
  /// or is answered twice. Not among `all`, like `rules`.
  package static let sessions = FaultKinds(rawValue: 1 << 21)

  /// Names lead to this machine's own networks, and elsewhere a moment later; clients change how far requests may lead.
  /// Not among `all`, like `rules`.
  package static let addresses = FaultKinds(rawValue: 1 << 22)

  /// The wall clock is wrong by up to 400 days for a while, as that of a machine without a battery is. Not among `all`,
  /// like `rules`.
  package static let years = FaultKinds(rawValue: 1 << 23)

  /// Some engines are those of commands: they start no downloads, compare nothing at their start, or delete nothing
  /// that rules owed before. It is no fault, and not among `all`, like `rules`.
  package static let commands = FaultKinds(rawValue: 1 << 24)

  /// Each kind and its name.
  package static let named: [(name: String, kind: FaultKinds)] = [
    ("crashes", .crashes), ("power", .powerCuts), ("commits", .commits), ("disk", .disk), ("foreign", .foreignFiles),
    ("changes", .changes), ("network", .network), ("protocols", .protocols), ("clock", .clock),
    ("repetition", .repetition), ("people", .people), ("paths", .paths),
    ("suspensions", .suspensions), ("links", .hardLinks), ("feeds", .feeds), ("names", .names), ("rules", .rules),
    ("filters", .filters), ("sidecars", .sidecars), ("tags", .tags), ("adopting", .adopting), ("sessions", .sessions),
    ("addresses", .addresses), ("years", .years), ("commands", .commands),
  ]
  /// The kinds that came later than `all`: so the lives of seeds stay what they were.
  private static let later: FaultKinds = [
    .names, .rules, .filters, .sidecars, .tags, .adopting, .sessions, .addresses,
    .years, .commands,
  ]
  /// All kinds but those that came later.
  package static let all = FaultKinds(named.map(\.kind)).subtracting(later)

  /// The names of these kinds; "none" if there are none.
  package var names: [String] {
    let names = Self.named.filter { contains($0.kind) }.map(\.name)
    return names.isEmpty ? ["none"] : names
  }

  /// The kinds of these names, nil if one of them is unknown.
  package init?(names: [String]) {
    self = []
    for name in names where name != "none" {
      guard let kind = Self.named.first(where: { $0.name == name })?.kind else { return nil }
      insert(kind)
    }
  }
}
