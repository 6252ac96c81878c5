/// Podflux and its peers with the same work, in rounds.
struct Contest {
  private enum Contender {
    case floor, podflux
    case peer(Peer)
  }

  private var podflux: [ChildCommand.Usage] = []
  private var floor: [ChildCommand.Usage] = []
  private var peers: [Peer: [ChildCommand.Usage]] = [:]

  /// Runs the work once per contender, every other round in the opposite order: the first one meets the memory state
  /// that the previous one left, which on a virtual machine can matter more than the program.
  ///
  /// - Parameter floorWork: The same with as little as possible around libcurl; nil if that says nothing of this work.
  mutating func addRound(
    podflux work: () throws -> ChildCommand.Usage, floor floorWork: (() throws -> ChildCommand.Usage)? = nil,
    peer peerWork: (Peer) throws -> ChildCommand.Usage
  ) throws {
    let installed = Peer.allCases.filter { $0.path != nil }.map(Contender.peer)
    let contenders = (floorWork == nil ? [] : [.floor]) + [.podflux] + installed
    for contender in podflux.count.isMultiple(of: 2) ? contenders : contenders.reversed() {
      switch contender {
      case .floor: if let floorWork { floor.append(try floorWork()) }
      case .podflux: podflux.append(try work())
      case .peer(let peer): peers[peer, default: []].append(try peerWork(peer))
      }
    }
  }

  /// Each contender's cost, and Podflux's relative to wget2's in the same round.
  func figures(wallTarget: Figure.Target, cpuTarget: Figure.Target?) -> [Figure] {
    var figures = Self.figures(of: podflux, by: "podflux")
    figures.append(Figure("podflux peak memory", .mebibytes, podflux.map(\.peakResidentBytes.mebibytes)))
    for peer in Peer.allCases {
      guard let usages = peers[peer] else { continue }
      figures += Self.figures(of: usages, by: peer.rawValue)
    }
    if !floor.isEmpty {
      figures += Self.figures(of: floor, by: "libcurl alone")
      figures += [
        Figure("wall, podflux : libcurl alone", .times, zip(podflux, floor).map { $0.wallSeconds / $1.wallSeconds }),
        Figure("CPU, podflux : libcurl alone", .times, zip(podflux, floor).map { $0.cpuSeconds / $1.cpuSeconds }),
      ]
    }
    guard let rival = peers[.wget2] else { return figures }
    let rounds = zip(podflux, rival)
    return figures + [
      Figure("wall, podflux : wget2", .times, rounds.map { $0.wallSeconds / $1.wallSeconds }, target: wallTarget),
      Figure("CPU, podflux : wget2", .times, rounds.map { $0.cpuSeconds / $1.cpuSeconds }, target: cpuTarget),
    ]
  }

  private static func figures(of usages: [ChildCommand.Usage], by name: String) -> [Figure] {
    [
      Figure("\(name) wall", .seconds, usages.map(\.wallSeconds)),
      Figure("\(name) CPU", .seconds, usages.map(\.cpuSeconds)),
    ]
  }
}
