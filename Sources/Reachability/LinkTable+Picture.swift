import PodfluxCore

/// The current path, and the devices that could serve as one.
struct PathPicture: Hashable, Sendable {
  var path: NetworkPath
  /// All devices with a usable default route.
  var devices: Set<String> = []
}

/// The inputs of a picture besides the table.
struct LinkJudgement {
  /// The operator's overrides for links.
  var overrides = LinkOverrides()
  /// Whether NetworkManager reports the connection as metered.
  var isMeteredByHost = false
  /// Determines a link's traits.
  var traits: (Link) -> LinkTraits

  fileprivate func kind(of link: Link) -> LinkTraits {
    overrides.interfaces[link.name].map { LinkTraits(interface: $0) } ?? traits(link)
  }

  fileprivate func isMetered(_ link: Link) -> Bool {
    overrides.metered.contains(link.name)
  }
}

extension LinkTable {
  /// The machine's path: the best default route whose link is running, and whose packets have a source address. IPv4
  /// comes first: nearly every host is reachable over it.
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

  /// Whether a link other than the path's may carry what is for unmetered paths only. A tunnel is as cellular and as
  /// metered as what carries it. Another way out of the machine may be a phone's hotspot: the system's word on metered
  /// is of the path alone.
  func isUnmeteredBeside(_ link: Link, _ judgement: LinkJudgement) -> Bool {
    let kind = judgement.kind(of: link)
    guard !judgement.isMeteredByHost, kind.isTunnel || !ways.contains(where: { $0.index == link.index }) else {
      return false
    }
    let carriers = kind.isTunnel ? carriers(among: ways, judgement) : []
    return ([link] + carriers).allSatisfy {
      judgement.kind(of: $0).interface != .cellular && !judgement.isMetered($0)
    }
  }

  /// The links that may carry a tunnel's packets: the best other default route that is no tunnel. If the tunnel has
  /// replaced the only default route: all links that could carry it.
  private func carriers(among ways: [Link], _ judgement: LinkJudgement) -> [Link] {
    if let best = ways.first(where: { !judgement.kind(of: $0).isTunnel }) { return [best] }
    return links.values.filter { link in
      isUsable(link) && !judgement.kind(of: link).isTunnel && AddressFamily.allCases.contains { has($0, link.index) }
    }
  }

  /// The links of all usable default routes, the best first, with duplicates.
  private var ways: [Link] {
    AddressFamily.allCases.flatMap { family in
      // The sort is stable: of equal routes the kernel prefers the one that it reported first.
      let routes = rankedRoutes(of: family)
      return routes.flatMap { route in
        route.hops.compactMap { hop in
          links[hop.link].flatMap { isUsable($0) && (has(family, hop.link) || hasSourceElsewhere(route)) ? $0 : nil }
        }
      }
    }
  }

  private func rankedRoutes(of family: AddressFamily) -> [DefaultRoute] {
    let own = routes.filter { $0.family == family }
    // Two halves precede any whole route, at any metric: the longest prefix wins. One half alone is no default
    // route.
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

  /// Whether packets over a route have a source address although its link may have none ("unnumbered"): the one that
  /// the route names, of any link, or one of the loopback, which the kernel prefers then (`inet_select_addr` in its
  /// net/ipv4). The loopback's usual 127.0.0.1 is none that others can reply to.
  private func hasSourceElsewhere(_ route: DefaultRoute) -> Bool {
    addresses.contains { link, addresses in
      let isOfLoopback = links[link]?.isLoopback ?? false
      return addresses.contains {
        $0.family == route.family && $0.isUsable && (isOfLoopback || $0.bytes == route.source)
      }
    }
  }
}
