/// The links, addresses and default routes as reported by the kernel: takes messages, gives a picture
/// (`LinkTable+Picture`).
///
/// The kernel does not report every route that it drops: when a link is switched off or an address removed, it drops
/// IPv4 routes silently (`fib_sync_down_dev`, `fib_sync_down_addr` in the kernel's net/ipv4). The table drops the same
/// routes, or a stale route would come back with the link.
struct LinkTable: Hashable, Sendable {
  /// The table ignores more links, addresses or routes than these: no machine that downloads podcasts has as many.
  static let maximumLinks = 16_384
  static let maximumAddresses = 65_536
  static let maximumRoutes = 1024

  private(set) var links: [Int32: Link] = [:]
  private(set) var addresses: [Int32: [LinkAddress]] = [:]
  /// Default routes, in the order in which the kernel reported them.
  private(set) var routes: [DefaultRoute] = []

  private var addressCount = 0

  /// Applies a message from the kernel.
  mutating func apply(_ message: LinkMessage) {
    switch message {
    case .link(let link): set(link)
    case .linkGone(let index): removeLink(index)
    case .address(let address): set(address)
    case .addressGone(let address): remove(address)
    case .route(let route, let replaces): add(route, replacing: replaces)
    case .routeGone(let route): remove(route)
    }
  }

  // MARK: Links

  private mutating func set(_ link: Link) {
    guard links[link.index] != nil || links.count < Self.maximumLinks else { return }
    links[link.index] = link
    if !link.isUp { dropRoutes(over: link.index) { _ in true } }
  }

  private mutating func removeLink(_ index: Int32) {
    links[index] = nil
    addressCount -= addresses.removeValue(forKey: index)?.count ?? 0
    dropRoutes(over: index) { _ in true }
  }

  // MARK: Addresses

  private mutating func set(_ address: LinkAddress) {
    remove(address, keepingRoutes: true)
    guard addressCount < Self.maximumAddresses else { return }
    addresses[address.link, default: []].append(address)
    addressCount += 1
  }

  private mutating func remove(_ address: LinkAddress, keepingRoutes: Bool = false) {
    var left = addresses[address.link] ?? []
    addressCount -= left.count
    left.removeAll { $0.isSame(as: address) }
    addressCount += left.count
    addresses[address.link] = left.isEmpty ? nil : left
    guard !keepingRoutes, address.family == .ipv4 else { return }
    let isBare = !left.contains { $0.family == .ipv4 }
    if isBare { dropRoutes(over: address.link) { $0.family == .ipv4 } }
    let isElsewhere = addresses.values.contains { $0.contains { $0.bytes == address.bytes } }
    if !isElsewhere { routes.removeAll { $0.source == address.bytes } }
  }

  // MARK: Routes

  private mutating func add(_ route: DefaultRoute, replacing: Bool) {
    if replacing {
      routes.removeAll { $0.hasSameRank(as: route) }
    } else {
      remove(route)
    }
    guard routes.count < Self.maximumRoutes else { return }
    routes.append(route)
  }

  private mutating func remove(_ route: DefaultRoute) {
    dropHops { $0.hasSameRank(as: route) && route.hops.contains($1) }
  }

  private mutating func dropRoutes(over link: Int32, where condition: (DefaultRoute) -> Bool) {
    dropHops { condition($0) && $1.link == link }
  }

  /// Drops matching hops, and routes without remaining hops.
  private mutating func dropHops(where condition: (DefaultRoute, DefaultRoute.Hop) -> Bool) {
    routes = routes.compactMap { route in
      var route = route
      let all = route
      route.hops.removeAll { condition(all, $0) }
      return route.hops.isEmpty ? nil : route
    }
  }
}
