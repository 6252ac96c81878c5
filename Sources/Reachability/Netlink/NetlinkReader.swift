/// Parses datagrams of rtnetlink(7). It skips truncated, malformed and irrelevant parts, and never traps.
struct NetlinkReader {
  /// The contents of a datagram.
  struct Contents: Hashable, Sendable {
    var messages: [LinkMessage] = []
    /// Whether a multipart answer ends here.
    var isEnd = false
    /// Whether the listed objects changed meanwhile: the caller must request the list again.
    var isInterrupted = false
    /// The errno with which the kernel refused a request.
    var refusal: Int32?
  }

  /// Parses a datagram.
  ///
  /// - Parameter sequence: The request whose answers to read; nil also reads notifications.
  static func read(_ bytes: ArraySlice<UInt8>, answering sequence: UInt32? = nil) -> Contents {
    var contents = Contents()
    var rest = bytes
    while let header = Header(rest) {
      let body = rest.dropFirst(Header.size).prefix(header.length - Header.size)
      if sequence == nil || header.sequence == sequence { read(body, header, into: &contents) }
      rest = rest.dropFirst(aligned(header.length))
    }
    return contents
  }

  private static func read(_ body: ArraySlice<UInt8>, _ header: Header, into contents: inout Contents) {
    if header.flags & Header.interrupted != 0 { contents.isInterrupted = true }
    switch header.type {
    case Kind.done: contents.isEnd = true
    case Kind.error: if let code = body.number(Int32.self, at: 0), code != 0 { contents.refusal = 0 &- code }
    case Kind.newLink: if let link = link(body) { contents.messages.append(.link(link)) }
    case Kind.deleteLink: if let link = link(body) { contents.messages.append(.linkGone(index: link.index)) }
    case Kind.newAddress: if let address = address(body) { contents.messages.append(.address(address)) }
    case Kind.deleteAddress: if let address = address(body) { contents.messages.append(.addressGone(address)) }
    case Kind.newRoute:
      let replaces = header.flags & Header.replaces != 0
      if let route = route(body) { contents.messages.append(.route(route, replaces: replaces)) }
    case Kind.deleteRoute: if let route = route(body) { contents.messages.append(.routeGone(route)) }
    default: break
    }
  }

  /// `nlmsg_type`, netlink(7) and rtnetlink(7).
  private enum Kind {
    static let error: UInt16 = 2
    static let done: UInt16 = 3
    static let newLink: UInt16 = 16
    static let deleteLink: UInt16 = 17
    static let newAddress: UInt16 = 20
    static let deleteAddress: UInt16 = 21
    static let newRoute: UInt16 = 24
    static let deleteRoute: UInt16 = 25
  }

  /// `struct nlmsghdr`.
  private struct Header {
    static let size = 16
    static let interrupted: UInt16 = 0x10
    static let replaces: UInt16 = 0x100

    let length: Int
    let type: UInt16
    let flags: UInt16
    let sequence: UInt32

    /// Nil at the end, and if the rest is no complete message.
    init?(_ bytes: ArraySlice<UInt8>) {
      guard let length = bytes.number(UInt32.self, at: 0).map(Int.init), length >= Self.size, length <= bytes.count,
        let type = bytes.number(UInt16.self, at: 4), let flags = bytes.number(UInt16.self, at: 6),
        let sequence = bytes.number(UInt32.self, at: 8)
      else { return nil }
      self.length = length
      self.type = type
      self.flags = flags
      self.sequence = sequence
    }
  }

  /// Messages and attributes are aligned to 4 bytes.
  private static func aligned(_ length: Int) -> Int { (length + 3) & ~3 }
}

// MARK: - Bodies

extension NetlinkReader {
  /// `struct ifinfomsg`. Ignores a bridge's messages about its ports, which have their own family.
  private static func link(_ body: ArraySlice<UInt8>) -> Link? {
    guard body.count >= 16, body.number(UInt8.self, at: 0) == 0, let type = body.number(UInt16.self, at: 2),
      let index = body.number(Int32.self, at: 4), let flags = body.number(UInt32.self, at: 8)
    else { return nil }
    var link = Link(index: index, name: "", hardwareType: type, flags: flags)
    forEachAttribute(of: body.dropFirst(16)) { type, value in
      switch type {
      case 3: link.name = String(decoding: value.prefix { $0 != 0 }, as: UTF8.self)  // IFLA_IFNAME
      case 16: link.operationalState = value.first  // IFLA_OPERSTATE
      default: break
      }
    }
    // The name becomes a folder's name in sysfs.
    guard index > 0, !link.name.isEmpty, link.name != ".", link.name != "..", !link.name.contains("/") else {
      return nil
    }
    return link
  }

  /// `struct ifaddrmsg`.
  private static func address(_ body: ArraySlice<UInt8>) -> LinkAddress? {
    guard body.count >= 8, let family = body.number(UInt8.self, at: 0).flatMap(AddressFamily.init),
      let flags = body.number(UInt8.self, at: 2), let scope = body.number(UInt8.self, at: 3),
      let link = body.number(Int32.self, at: 4)
    else { return nil }
    var address = LinkAddress(family: family, link: link, bytes: [], scope: scope, flags: UInt32(flags))
    var isLocal = false
    forEachAttribute(of: body.dropFirst(8)) { type, value in
      switch type {
      case 1 where !isLocal: address.bytes = Array(value)  // IFA_ADDRESS: on a point-to-point link, the other end's
      case 2: (address.bytes, isLocal) = (Array(value), true)  // IFA_LOCAL
      case 8: address.flags = value.number(UInt32.self, at: 0) ?? address.flags  // IFA_FLAGS
      default: break
      }
    }
    return address.bytes.isEmpty ? nil : address
  }

  /// `struct rtmsg`. Nil for all but unicast default routes of the main table, or halves of one.
  private static func route(_ body: ArraySlice<UInt8>) -> DefaultRoute? {
    guard body.count >= 12, let family = body.number(UInt8.self, at: 0).flatMap(AddressFamily.init),
      let length = body.number(UInt8.self, at: 1), length <= 1, body.number(UInt8.self, at: 2) == 0,
      let service = body.number(UInt8.self, at: 3), var table = body.number(UInt8.self, at: 4).map(UInt32.init),
      let type = body.number(UInt8.self, at: 7), type == unicast, let flags = body.number(UInt32.self, at: 8),
      flags & cloned == 0
    else { return nil }
    var route = DefaultRoute(family: family, metric: 0, service: service, hops: [])
    var hop = DefaultRoute.Hop(link: 0)
    var firstByte: UInt8 = 0
    forEachAttribute(of: body.dropFirst(12)) { type, value in
      switch type {
      case 1: firstByte = value.first ?? 0  // RTA_DST
      case 4: hop.link = value.number(Int32.self, at: 0) ?? 0  // RTA_OIF
      case 5, 18: hop.gateway = Array(value)  // RTA_GATEWAY, RTA_VIA
      case 6: route.metric = value.number(UInt32.self, at: 0) ?? 0  // RTA_PRIORITY
      case 7: route.source = Array(value)  // RTA_PREFSRC
      case 9: route.hops = hops(value)  // RTA_MULTIPATH
      case 15: table = value.number(UInt32.self, at: 0) ?? table  // RTA_TABLE
      default: break
      }
    }
    if length == 1 { route.part = firstByte < 0x80 ? .lowerHalf : .upperHalf }
    if hop.link > 0 { route.hops.append(hop) }
    return table == mainTable && !route.hops.isEmpty ? route : nil
  }

  /// Whether a datagram begins with an answer to this request.
  static func isAnswer(_ bytes: ArraySlice<UInt8>, to sequence: UInt32) -> Bool {
    Header(bytes)?.sequence == sequence
  }

  /// The kernel's choice for one destination, in an answer to a request for its route; nil if there is none, or no
  /// route leads there.
  static func choice(_ bytes: ArraySlice<UInt8>, answering sequence: UInt32) -> KernelRoutes.Choice? {
    guard let header = Header(bytes), header.sequence == sequence, header.type == Kind.newRoute else { return nil }
    let body = bytes.dropFirst(Header.size).prefix(header.length - Header.size)
    guard body.count >= 12, let type = body.number(UInt8.self, at: 7) else { return nil }
    guard type == unicast else { return type == local ? .here : nil }
    var link: Int32 = 0
    forEachAttribute(of: body.dropFirst(12)) { type, value in
      if type == 4 { link = value.number(Int32.self, at: 0) ?? 0 }  // RTA_OIF
    }
    return link > 0 ? .over(link: link) : nil
  }

  private static let unicast: UInt8 = 1
  private static let local: UInt8 = 2
  private static let cloned: UInt32 = 0x200
  private static let mainTable: UInt32 = 254
  /// Further next hops are ignored.
  private static let maximumHops = 64

  /// A sequence of `struct rtnexthop`, each with its attributes.
  private static func hops(_ bytes: ArraySlice<UInt8>) -> [DefaultRoute.Hop] {
    var hops: [DefaultRoute.Hop] = []
    var rest = bytes
    while hops.count < maximumHops, let length = rest.number(UInt16.self, at: 0).map(Int.init),
      length >= 8, length <= rest.count, let link = rest.number(Int32.self, at: 4)
    {
      var hop = DefaultRoute.Hop(link: link)
      forEachAttribute(of: rest.prefix(length).dropFirst(8)) { type, value in
        if type == 5 || type == 18 { hop.gateway = Array(value) }
      }
      if link > 0 { hops.append(hop) }
      rest = rest.dropFirst(aligned(length))
    }
    return hops
  }

  /// A sequence of `struct rtattr`, up to the first truncated one.
  private static func forEachAttribute(of bytes: ArraySlice<UInt8>, _ body: (UInt16, ArraySlice<UInt8>) -> Void) {
    let typeMask: UInt16 = 0x3FFF
    var rest = bytes
    while let length = rest.number(UInt16.self, at: 0).map(Int.init), length >= 4, length <= rest.count,
      let type = rest.number(UInt16.self, at: 2)
    {
      body(type & typeMask, rest.prefix(length).dropFirst(4))
      rest = rest.dropFirst(aligned(length))
    }
  }
}

extension ArraySlice<UInt8> {
  /// A number in the machine's byte order; nil if bytes are missing.
  fileprivate func number<Number: FixedWidthInteger & BitwiseCopyable>(_: Number.Type, at offset: Int) -> Number? {
    guard count >= offset + MemoryLayout<Number>.size else { return nil }
    return withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Number.self) }
  }
}
