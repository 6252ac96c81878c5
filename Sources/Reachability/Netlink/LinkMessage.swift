/// A message of the kernel about a link, an address or a default route. Other messages are ignored.
enum LinkMessage: Hashable, Sendable {
  /// A link exists, or has changed.
  case link(Link)
  /// A link is gone, with its addresses and routes.
  case linkGone(index: Int32)
  /// A link has this address.
  case address(LinkAddress)
  /// A link has lost this address.
  case addressGone(LinkAddress)
  /// A default route exists. With `replaces` it replaces those of the same rank.
  case route(DefaultRoute, replaces: Bool)
  /// A default route is gone.
  case routeGone(DefaultRoute)
}

/// The supported address families.
enum AddressFamily: UInt8, Hashable, Sendable, CaseIterable {
  /// AF_INET.
  case ipv4 = 2
  /// AF_INET6.
  case ipv6 = 10
}

/// A link as the kernel describes it.
struct Link: Hashable, Sendable {
  /// Its number in the kernel, which is never reused.
  var index: Int32
  /// Its name, which may change.
  var name: String
  /// Its hardware type as in ARP (`ARPHRD_…`).
  var hardwareType: UInt16
  /// `IFF_…`, netdevice(7).
  var flags: UInt32
  /// `IF_OPER_…` (RFC 2863), if reported.
  var operationalState: UInt8?

  private static let up: UInt32 = 1
  private static let loopback: UInt32 = 1 << 3
  private static let running: UInt32 = 1 << 6
  private static let unknownState: UInt8 = 0
  private static let upState: UInt8 = 6

  /// Whether it is switched on.
  var isUp: Bool { flags & Self.up != 0 }

  /// Whether it leads only to this machine.
  var isLoopback: Bool { flags & Self.loopback != 0 }

  /// Whether it is switched on and has a carrier. Many virtual links report an unknown state, and work.
  var isRunning: Bool {
    let state = operationalState ?? Self.unknownState
    return isUp && flags & Self.running != 0 && (state == Self.unknownState || state == Self.upState)
  }
}

struct LinkAddress: Hashable, Sendable {
  var family: AddressFamily
  var link: Int32
  /// 4 or 16 bytes.
  var bytes: [UInt8]
  /// `RT_SCOPE_…`, rtnetlink(7).
  var scope: UInt8
  /// `IFA_F_…`, rtnetlink(7). Not a part of the address's identity: flags change.
  var flags: UInt32

  private static let universe: UInt8 = 0
  private static let host: UInt8 = 254
  private static let failed: UInt32 = 0x08
  private static let tentative: UInt32 = 0x40

  /// Whether other hosts can reply to it. Of IPv6 only global ones count: every link assigns itself a link-local one.
  var isUsable: Bool {
    switch family {
    case .ipv4: scope < Self.host
    case .ipv6: scope == Self.universe && flags & (Self.failed | Self.tentative) == 0
    }
  }

  /// Whether both are the same address, in any state.
  func isSame(as other: LinkAddress) -> Bool {
    family == other.family && link == other.link && bytes == other.bytes
  }
}

/// A route to all destinations, or to one half of them, in the main table.
struct DefaultRoute: Hashable, Sendable {
  /// Which destinations it covers. Tunnels often add two halves over another link's whole: the longer prefix wins.
  enum Part: Hashable, Sendable, CaseIterable {
    case whole, lowerHalf, upperHalf
  }

  /// A next hop.
  struct Hop: Hashable, Sendable {
    var link: Int32
    /// The gateway's address; empty on a point-to-point link.
    var gateway: [UInt8] = []
  }

  var family: AddressFamily
  var part = Part.whole
  /// The lower, the better.
  var metric: UInt32
  /// Its type of service; 0 for any.
  var service: UInt8 = 0
  /// The preferred source address, if the route has one. The route goes with that address.
  var source: [UInt8] = []
  /// More than one for a multipath route.
  var hops: [Hop]

  /// Whether one of them replaces the other.
  func hasSameRank(as other: DefaultRoute) -> Bool {
    family == other.family && part == other.part && metric == other.metric && service == other.service
  }
}
