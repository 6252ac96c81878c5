import PodfluxCore

/// The path of a moment, and what else would be one.
struct PathPicture: Hashable, Sendable {
  /// The path.
  var path: NetworkPath
  /// All devices with a default route that could be used now.
  var devices: Set<String> = []
}

/// What a picture takes beside the table.
struct LinkJudgement {
  /// What the operator says of links.
  var overrides = LinkOverrides()
  /// Whether somebody who knows (NetworkManager) says that the machine's way costs money.
  var isMeteredByHost = false
  /// What a link is.
  var traits: (Link) -> LinkTraits

  fileprivate func kind(of link: Link) -> LinkTraits {
    overrides.interfaces[link.name].map { LinkTraits(interface: $0) } ?? traits(link)
  }

  fileprivate func isMetered(_ link: Link) -> Bool {
    overrides.metered.contains(link.name)
  }
}

extension LinkTable {
  /// Which path the machine is on: that of the best default route whose link runs and has an address of the route's
  /// family. IPv4 goes first; whoever has it reaches nearly everything by it.
  func picture(_ judgement: LinkJudgement) -> PathPicture {
    let ways = self.ways
    guard let link = ways.first else { return PathPicture(path: .offline) }
    let kind = judgement.kind(of: link)
    var path = NetworkPath(
      status: .online, interface: kind.interface, isMetered: judgement.isMeteredByHost || judgement.isMetered(link),
      device: link.name)
    if kind.isTunnel {
      let carriers = carriers(among: ways, judgement)
      if !carriers.isEmpty, carriers.allSatisfy({ judgement.kind(of: $0).interface == .cellular }) {
        path.interface = .cellular
      }
      if !carriers.isEmpty, carriers.allSatisfy({ judgement.isMetered($0) }) { path.isMetered = true }
    }
    return PathPicture(path: path, devices: Set(ways.map(\.name)))
  }

  /// What a tunnel's packets may leave the machine over: the best way beside it that is none. A tunnel may have taken the
  /// only default route away; then they are all links that could carry it.
  private func carriers(among ways: [Link], _ judgement: LinkJudgement) -> [Link] {
    if let best = ways.first(where: { !judgement.kind(of: $0).isTunnel }) { return [best] }
    return links.values.filter { link in
      isUsable(link) && !judgement.kind(of: link).isTunnel && AddressFamily.allCases.contains { has($0, link.index) }
    }
  }

  /// The links of all default routes that can be used, the best first; one may be there twice.
  private var ways: [Link] {
    AddressFamily.allCases.flatMap { family in
      // What is sorted is stable: of equal routes the kernel takes the one that it told first.
      let routes = rankedRoutes(of: family)
      return routes.flatMap { route in
        route.hops.compactMap { hop in
          links[hop.link].flatMap { isUsable($0) && has(family, hop.link) ? $0 : nil }
        }
      }
    }
  }

  private func rankedRoutes(of family: AddressFamily) -> [DefaultRoute] {
    let own = routes.filter { $0.family == family }
    // Two halves go before any whole, whatever their metric: the longest prefix decides. One half is no way to everywhere.
    let links = [DefaultRoute.Part.lowerHalf, .upperHalf].map { part in
      Set(own.filter { $0.part == part }.flatMap { $0.hops.map(\.link) })
    }
    let everywhere = links[0].intersection(links[1])
    let halves = own.filter { $0.part == .lowerHalf && $0.hops.contains { everywhere.contains($0.link) } }
    let wholes = own.filter { $0.part == .whole }
    return [halves, wholes].flatMap { $0.sorted { $0.metric < $1.metric } }
  }

  private func isUsable(_ link: Link) -> Bool {
    link.isRunning && !link.isLoopback
  }

  private func has(_ family: AddressFamily, _ link: Int32) -> Bool {
    addresses[link]?.contains { $0.family == family && $0.isUsable } ?? false
  }
}
