/// What the kernel says of links, addresses and default routes; the rest of what it says is nobody's concern here.
enum LinkMessage: Hashable, Sendable {
  /// A link is there, or has changed.
  case link(Link)
  /// A link is gone, with all that it had.
  case linkGone(index: Int32)
  /// A link has an address.
  case address(LinkAddress)
  /// A link has an address no more.
  case addressGone(LinkAddress)
  /// There is a default route. One that `replaces` takes the place of those of the same rank.
  case route(DefaultRoute, replaces: Bool)
  /// A default route is gone.
  case routeGone(DefaultRoute)
}

/// The families of addresses that count.
enum AddressFamily: UInt8, Hashable, Sendable, CaseIterable {
  /// AF_INET.
  case ipv4 = 2
  /// AF_INET6.
  case ipv6 = 10
}

/// A link as the kernel describes it.
struct Link: Hashable, Sendable {
  /// Its number in the kernel, which is not used again for another one.
  var index: Int32
  /// Its name, which may change.
  var name: String
  /// Its hardware, as ARP numbers it (`ARPHRD_…`).
  var hardwareType: UInt16
  /// `IFF_…`, netdevice(7).
  var flags: UInt32
  /// `IF_OPER_…` (RFC 2863), where it is said.
  var operationalState: UInt8?

  private static let up: UInt32 = 1
  private static let loopback: UInt32 = 1 << 3
  private static let running: UInt32 = 1 << 6
  private static let unknownState: UInt8 = 0
  private static let upState: UInt8 = 6

  /// Whether somebody has switched it on.
  var isUp: Bool { flags & Self.up != 0 }

  /// Whether it leads to this machine only.
  var isLoopback: Bool { flags & Self.loopback != 0 }

  /// Whether it is switched on and has a carrier. Many virtual links do not know their state, and work.
  var isRunning: Bool {
    let state = operationalState ?? Self.unknownState
    return isUp && flags & Self.running != 0 && (state == Self.unknownState || state == Self.upState)
  }
}

/// An address of a link.
struct LinkAddress: Hashable, Sendable {
  var family: AddressFamily
  /// The link's number.
  var link: Int32
  /// 4 or 16 bytes.
  var bytes: [UInt8]
  /// `RT_SCOPE_…`, rtnetlink(7).
  var scope: UInt8
  /// `IFA_F_…`, rtnetlink(7). No part of what the address is: it changes.
  var flags: UInt32

  private static let universe: UInt8 = 0
  private static let host: UInt8 = 254
  private static let failed: UInt32 = 0x08
  private static let tentative: UInt32 = 0x40

  /// Whether others can answer to it. Of IPv6 only a global one counts: every link gives itself another one.
  var isUsable: Bool {
    switch family {
    case .ipv4: scope < Self.host
    case .ipv6: scope == Self.universe && flags & (Self.failed | Self.tentative) == 0
    }
  }

  /// Whether both are the same address, whatever its state.
  func isSame(as other: LinkAddress) -> Bool {
    family == other.family && link == other.link && bytes == other.bytes
  }
}

/// A route to everywhere, or to one half of it, in the main table.
struct DefaultRoute: Hashable, Sendable {
  /// How much of everywhere. Tunnels like to lay two halves over another one's whole: the longer prefix goes first.
  enum Part: Hashable, Sendable, CaseIterable {
    case whole, lowerHalf, upperHalf
  }

  /// Where a part of the packets goes.
  struct Hop: Hashable, Sendable {
    /// The link's number.
    var link: Int32
    /// The next machine's address; empty where the link leads to one only.
    var gateway: [UInt8] = []
  }

  var family: AddressFamily
  var part = Part.whole
  /// The lower, the better.
  var metric: UInt32
  /// The type of service that it is for; 0 for any.
  var service: UInt8 = 0
  /// The address that packets are sent from, where the route says one. It goes with its address.
  var source: [UInt8] = []
  /// More than one for a route over several links.
  var hops: [Hop]

  /// Whether one of them replaces the other.
  func hasSameRank(as other: DefaultRoute) -> Bool {
    family == other.family && part == other.part && metric == other.metric && service == other.service
  }
}
