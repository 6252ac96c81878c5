/// Podflux and its peers at the same work, round by round.
struct Contest {
  private var podflux: [ChildCommand.Usage] = []
  private var peers: [Peer: [ChildCommand.Usage]] = [:]

  /// Has each contender do the work once, every other round in the opposite order: who goes first finds the memory that
  /// the one before has left, which on a virtual machine can matter more than the program.
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

  /// What each took, and Podflux's share of wget2's in the same round.
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
