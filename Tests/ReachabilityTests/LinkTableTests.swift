import PodfluxCore
import Testing

@testable import Reachability

@Suite("The table of links")
struct LinkTableTests {
  private static let wifi: Int32 = 3
  private static let cellular: Int32 = 4
  private static let tunnel: Int32 = 9
  private static let running: UInt32 = 0x1_1043
  private static let own: [Int32: [UInt8]] = [wifi: [10, 0, 0, 7], cellular: [10, 64, 0, 7], tunnel: [10, 8, 0, 7]]

  private static func traits(_ link: Link) -> LinkTraits {
    switch link.index {
    case wifi: LinkTraits(interface: .wifi)
    case cellular: LinkTraits(interface: .cellular)
    case tunnel: LinkTraits(interface: .other, isTunnel: true)
    default: LinkTraits(interface: .ethernet)
    }
  }

  private static func link(_ index: Int32, flags: UInt32 = running, state: UInt8? = 6) -> LinkMessage {
    let names = [wifi: "wlan0", cellular: "wwan0", tunnel: "tun0", 1: "lo"]
    return .link(
      Link(index: index, name: names[index] ?? "eth\(index)", hardwareType: 1, flags: flags, operationalState: state))
  }

  private static func address(_ link: Int32, _ bytes: [UInt8]? = nil, scope: UInt8 = 0, flags: UInt32 = 0)
    -> LinkAddress
  {
    let bytes = bytes ?? own[link] ?? [192, 168, 0, UInt8(link)]
    return LinkAddress(family: bytes.count == 4 ? .ipv4 : .ipv6, link: link, bytes: bytes, scope: scope, flags: flags)
  }

  private static func route(
    _ link: Int32, metric: UInt32, family: AddressFamily = .ipv4, part: DefaultRoute.Part = .whole, source: [UInt8] = []
  ) -> DefaultRoute {
    DefaultRoute(family: family, part: part, metric: metric, source: source, hops: [.init(link: link)])
  }

  /// A complete link with an address and a default route.
  private static func whole(_ link: Int32, metric: UInt32) -> [LinkMessage] {
    [Self.link(link), .address(address(link)), .route(route(link, metric: metric), replaces: false)]
  }

  private static let both = whole(wifi, metric: 600) + whole(cellular, metric: 700)

  private func picture(
    _ messages: [LinkMessage], _ overrides: LinkOverrides = LinkOverrides(), isMeteredByHost: Bool = false
  ) -> PathPicture {
    var table = LinkTable()
    messages.forEach { table.apply($0) }
    return table.picture(
      LinkJudgement(overrides: overrides, isMeteredByHost: isMeteredByHost, traits: Self.traits))
  }

  @Test("Of two default routes the lower metric gives the path, and both devices are usable")
  func metric() {
    #expect(
      picture(Self.both)
        == PathPicture(
          path: NetworkPath(status: .online, interface: .wifi, device: "wlan0"), devices: ["wlan0", "wwan0"]))
    let turned = picture(Self.whole(Self.wifi, metric: 800) + Self.whole(Self.cellular, metric: 700))
    #expect(turned.path == NetworkPath(status: .online, interface: .cellular, device: "wwan0"))
  }

  @Test("A link that is off, has no carrier, no address or no route is no path", arguments: 0..<6)
  func unusable(number: Int) {
    let loss: LinkMessage =
      switch number {
      case 0: Self.link(Self.wifi, flags: 0x1002)
      case 1: Self.link(Self.wifi, flags: 0x1003)
      case 2: Self.link(Self.wifi, state: 5)
      case 3: .addressGone(Self.address(Self.wifi))
      case 4: .routeGone(Self.route(Self.wifi, metric: 600))
      default: .linkGone(index: Self.wifi)
      }
    #expect(picture(Self.both + [loss]).path.device == "wwan0")
    #expect(picture(Self.whole(Self.wifi, metric: 600) + [loss]) == PathPicture(path: .offline))
  }

  @Test("A link with an unknown state works")
  func unknownState() {
    #expect(picture(Self.whole(Self.wifi, metric: 1) + [Self.link(Self.wifi, state: 0)]).path.status == .online)
    #expect(picture(Self.whole(Self.wifi, metric: 1) + [Self.link(Self.wifi, state: nil)]).path.status == .online)
  }

  @Test("The routes of a link that was switched off, or lost its address, do not return with it")
  func silentlyDroppedRoutes() {
    let messages = Self.whole(Self.wifi, metric: 600)
    #expect(
      picture(messages + [Self.link(Self.wifi, flags: 0x1002), Self.link(Self.wifi)]).path.status == .offline)
    #expect(
      picture(
        messages + [.addressGone(Self.address(Self.wifi)), .address(Self.address(Self.wifi))]
      ).path.status == .offline)
    // One of two addresses: only routes with it as source are dropped.
    let second = Self.address(Self.wifi, [10, 0, 0, 8])
    let more: [LinkMessage] = [
      .address(second), .route(Self.route(Self.wifi, metric: 100, source: second.bytes), replaces: false),
      .addressGone(second), .routeGone(Self.route(Self.wifi, metric: 600)),
    ]
    #expect(picture(messages + more).path.status == .offline)
    #expect(picture(messages + more.dropLast()).path.status == .online)
    // A lost carrier leaves the route in place.
    #expect(picture(messages + [Self.link(Self.wifi, flags: 0x1003), Self.link(Self.wifi)]).path.status == .online)
  }

  @Test("A replacing route replaces those of its rank; one with another metric stays")
  func replacing() {
    let turned = Self.both + [.route(Self.route(Self.cellular, metric: 600), replaces: true)]
    #expect(picture(turned).path.device == "wwan0")
    #expect(picture(turned).devices == ["wwan0"])
    let beside = Self.both + [.route(Self.route(Self.cellular, metric: 100), replaces: true)]
    #expect(picture(beside).devices == ["wlan0", "wwan0"])
  }

  @Test("A route reported twice is gone after one report of its removal")
  func twice() {
    let route = Self.route(Self.wifi, metric: 600)
    #expect(
      picture(Self.whole(Self.wifi, metric: 600) + [.route(route, replaces: false), .routeGone(route)]).path.status
        == .offline)
  }

  @Test("A route over two links is over one when the other hop is gone")
  func hops() {
    let route = DefaultRoute(family: .ipv4, metric: 5, hops: [.init(link: Self.wifi), .init(link: Self.cellular)])
    let messages: [LinkMessage] = [
      Self.link(Self.wifi), Self.link(Self.cellular), .address(Self.address(Self.wifi)),
      .address(Self.address(Self.cellular)), .route(route, replaces: false),
    ]
    #expect(picture(messages).devices == ["wlan0", "wwan0"])
    #expect(picture(messages + [.linkGone(index: Self.wifi)]).path.device == "wwan0")
  }

  @Test("IPv6 counts with a global address that is no longer tentative, and after IPv4")
  func ipv6() {
    let route = LinkMessage.route(Self.route(Self.wifi, metric: 1024, family: .ipv6), replaces: false)
    let global = [0x20, 0x01] + [UInt8](repeating: 1, count: 14)
    let begin = [Self.link(Self.wifi), route]
    #expect(picture(begin + [.address(Self.address(Self.wifi, global))]).path.device == "wlan0")
    #expect(picture(begin + [.address(Self.address(Self.wifi, global, scope: 253))]).path.status == .offline)
    #expect(picture(begin + [.address(Self.address(Self.wifi, global, flags: 0x40))]).path.status == .offline)
    let ready: [LinkMessage] = [
      .address(Self.address(Self.wifi, global, flags: 0x40)), .address(Self.address(Self.wifi, global)),
    ]
    #expect(picture(begin + ready).path.device == "wlan0")
    #expect(picture(begin + ready + Self.whole(Self.cellular, metric: 90_000)).path.device == "wwan0")
    #expect(picture(begin + [.address(Self.address(Self.wifi))]).path.status == .offline)
  }

  @Test("A link without an address is a path if its route names one of another link, or the loopback has one")
  func unnumbered() {
    // A host whose uplinks have no addresses (BGP unnumbered) was offline for ever.
    let (loopback, others) = (Self.link(1, flags: 0x1_0049), Self.link(Self.cellular))
    let host = LinkMessage.address(Self.address(1, [127, 0, 0, 1], scope: 254))
    let begin = [loopback, others, host, Self.link(Self.wifi)]
    func online(_ source: [UInt8], _ address: LinkAddress) -> Bool {
      let route = LinkMessage.route(Self.route(Self.wifi, metric: 5, source: source), replaces: false)
      return picture(begin + [.address(address), route]).path.device == "wlan0"
    }
    let public4: [UInt8] = [203, 0, 113, 7]
    #expect(online(public4, Self.address(1, public4)))
    #expect(online([], Self.address(1, public4)))
    #expect(online(public4, Self.address(Self.cellular, public4)))
    #expect(!online([], Self.address(Self.cellular, public4)))
    #expect(!online([127, 0, 0, 1], Self.address(Self.cellular, public4)))
    // Of the other family.
    let public6 = [0x20, 0x01] + [UInt8](repeating: 1, count: 14)
    #expect(!online([], Self.address(1, public6)))
    let route6 = LinkMessage.route(Self.route(Self.wifi, metric: 5, family: .ipv6), replaces: false)
    #expect(picture(begin + [.address(Self.address(1, public6)), route6]).path.device == "wlan0")
    #expect(picture(begin + [.address(Self.address(1, public6, scope: 254)), route6]).path.status == .offline)
  }

  @Test("Loopback is no path")
  func loopback() {
    let messages: [LinkMessage] = [
      Self.link(1, flags: 0x1_0049), .address(Self.address(1, [127, 0, 0, 1], scope: 254)),
      .address(Self.address(1, [10, 1, 1, 1])), .route(Self.route(1, metric: 0), replaces: false),
    ]
    #expect(picture(messages) == PathPicture(path: .offline))
  }

  @Test("The operator's overrides precede the kernel's data; NetworkManager can make any path metered")
  func overrides() {
    let overrides = LinkOverrides(interfaces: ["wlan0": .cellular], metered: ["wlan0", "usb7"])
    #expect(
      picture(Self.both, overrides).path
        == NetworkPath(status: .online, interface: .cellular, isMetered: true, device: "wlan0"))
    #expect(picture(Self.both, isMeteredByHost: true).path.isMetered)
    #expect(!picture([], isMeteredByHost: true).path.isMetered)
  }

  @Test("A tunnel is as cellular and as metered as its carrier")
  func tunnels() {
    let tunnel = Self.whole(Self.tunnel, metric: 1)
    let overCellular = picture(tunnel + Self.whole(Self.cellular, metric: 700)).path
    #expect(overCellular == NetworkPath(status: .online, interface: .cellular, device: "tun0"))
    #expect(picture(tunnel + Self.both).path == NetworkPath(status: .online, interface: .other, device: "tun0"))
    #expect(picture(tunnel + Self.both, LinkOverrides(metered: ["wlan0"])).path.isMetered)
    #expect(!picture(tunnel + Self.both, LinkOverrides(metered: ["wwan0"])).path.isMetered)
    #expect(
      picture(tunnel + Self.whole(Self.cellular, metric: 700), LinkOverrides(interfaces: ["tun0": .ethernet])).path
        .interface == .ethernet)
    // It has replaced the only other default route.
    let bare = [Self.link(Self.cellular), .address(Self.address(Self.cellular))]
    #expect(picture(tunnel + bare).path.interface == .cellular)
    #expect(
      picture(tunnel + bare + [Self.link(Self.wifi), .address(Self.address(Self.wifi))]).path.interface == .other)
    #expect(picture(tunnel).path == NetworkPath(status: .online, interface: .other, device: "tun0"))
  }

  @Test("Two halves precede a whole, at any metric; one half alone is no route")
  func halves() {
    let begin: [LinkMessage] =
      Self.both + [
        Self.link(Self.tunnel), .address(Self.address(Self.tunnel)),
        .route(Self.route(Self.tunnel, metric: 900, part: .lowerHalf), replaces: false),
      ]
    #expect(picture(begin).path.device == "wlan0")
    let all = begin + [.route(Self.route(Self.tunnel, metric: 900, part: .upperHalf), replaces: false)]
    #expect(picture(all).path.device == "tun0")
    #expect(picture(all + [.routeGone(Self.route(Self.tunnel, metric: 900, part: .lowerHalf))]).path.device == "wlan0")
  }

  @Test("The table is bounded")
  func limits() {
    var table = LinkTable()
    for number in 1...Int32(LinkTable.maximumLinks + 10) {
      table.apply(Self.link(number + 10))
      if number < LinkTable.maximumRoutes + 10 {
        table.apply(.route(Self.route(number + 10, metric: UInt32(number)), replaces: false))
      }
      for last in 0..<5 {
        table.apply(.address(Self.address(number, [10, UInt8(last), 0, 0])))
      }
    }
    #expect(table.links.count == LinkTable.maximumLinks)
    #expect(table.routes.count == LinkTable.maximumRoutes)
    #expect(table.addresses.values.reduce(0) { $0 + $1.count } == LinkTable.maximumAddresses)
    table.apply(.addressGone(Self.address(1, [10, 0, 0, 0])))
    table.apply(.address(Self.address(1, [10, 9, 0, 0])))
    #expect(table.addresses[1]?.count == 5)
  }
}
