/// Podflux and its peers with the same work, in rounds.
struct Contest {
  private var podflux: [ChildCommand.Usage] = []
  private var peers: [Peer: [ChildCommand.Usage]] = [:]

  /// Runs the work once per contender, every other round in the opposite order: the first one meets the memory state
  /// that the previous one left, which on a virtual machine can matter more than the program.
  mutating func addRound(
    podflux work: () throws -> ChildCommand.Usage, peer peerWork: (Peer) throws -> ChildCommand.Usage
  ) throws {
    let installed: [Peer?] = [nil] + Peer.allCases.filter { $0.path != nil }
    for contender in podflux.count.isMultiple(of: 2) ? installed : installed.reversed() {
      if let peer = contender {
        peers[peer, default: []].append(try peerWork(peer))
      } else {
        podflux.append(try work())
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
