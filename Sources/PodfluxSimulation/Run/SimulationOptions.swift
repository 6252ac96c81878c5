/// Which world is simulated, and for how long. Two runs with equal options are equal to the last byte.
public struct SimulationOptions: Hashable, Sendable {
  /// What everything random follows from.
  public var seed: UInt64
  /// How many turns are taken before faults stop.
  public var turns: Int
  /// How many downloads there are at once, at most.
  public var downloads: Int
  /// What can go wrong.
  public var faults: FaultKinds
  /// A mistake that is built into the engine's surroundings, to see whether it is found.
  public var sabotage: Sabotage?

  /// The seed's usual world: everything can go wrong.
  public init(
    seed: UInt64, turns: Int = 2_000, downloads: Int = 12, faults: FaultKinds = .all, sabotage: Sabotage? = nil
  ) {
    self.seed = seed
    self.turns = turns
    self.downloads = downloads
    self.faults = faults
    self.sabotage = sabotage
  }

  /// The command that repeats the run.
  public var command: String {
    var command = "podflux-sim run --seed \(seed) --turns \(turns) --downloads \(downloads)"
    if faults != .all { command += " --faults \(faults.names.joined(separator: ","))" }
    if let sabotage { command += " --sabotage \(sabotage.rawValue)" }
    return command
  }
}

/// Kinds of misfortune.
public struct FaultKinds: OptionSet, Hashable, Sendable {
  /// The kinds as bits.
  public let rawValue: Int

  /// Makes a set of kinds from bits.
  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// The process dies, between any two steps.
  public static let crashes = FaultKinds(rawValue: 1)
  /// The power fails: what was not synced is lost or torn.
  public static let powerCuts = FaultKinds(rawValue: 2)
  /// Commits fail.
  public static let commits = FaultKinds(rawValue: 4)
  /// The disk is full; partial files vanish, shrink, grow or rot; deletions fail.
  public static let disk = FaultKinds(rawValue: 8)
  /// Files of others appear where downloads are to go.
  public static let foreignFiles = FaultKinds(rawValue: 16)
  /// Contents change on the origins.
  public static let changes = FaultKinds(rawValue: 32)
  /// Origins answer wrongly or not at all; connections break.
  public static let network = FaultKinds(rawValue: 64)
  /// Validators are weak, missing, rotating or wrong; ranges are not honoured.
  public static let protocols = FaultKinds(rawValue: 128)
  /// The wall clock jumps.
  public static let clock = FaultKinds(rawValue: 256)
  /// Effects are carried out twice, and ended attempts report once more.
  public static let repetition = FaultKinds(rawValue: 512)

  /// People rename, swap, replace, delete and bring back files in the library; its disk is not mounted for a while.
  public static let people = FaultKinds(rawValue: 1024)

  /// The path to the network changes, and goes.
  public static let paths = FaultKinds(rawValue: 2048)

  /// The system stops and continues the process, the input ends, and the library cannot be opened again for a while.
  public static let suspensions = FaultKinds(rawValue: 4096)

  /// Each kind and its name.
  public static let named: [(name: String, kind: FaultKinds)] = [
    ("crashes", .crashes), ("power", .powerCuts), ("commits", .commits), ("disk", .disk), ("foreign", .foreignFiles),
    ("changes", .changes), ("network", .network), ("protocols", .protocols), ("clock", .clock),
    ("repetition", .repetition), ("people", .people), ("paths", .paths),
    ("suspensions", .suspensions),
  ]
  /// Every kind.
  public static let all = FaultKinds(named.map(\.kind))

  /// The names of these kinds; "none" if there are none.
  public var names: [String] {
    let names = Self.named.filter { contains($0.kind) }.map(\.name)
    return names.isEmpty ? ["none"] : names
  }

  /// The kinds of these names, nil if one of them is unknown.
  public init?(names: [String]) {
    self = []
    for name in names where name != "none" {
      guard let kind = Self.named.first(where: { $0.name == name })?.kind else { return nil }
      insert(kind)
    }
  }
}
