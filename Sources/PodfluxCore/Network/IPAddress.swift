/// The address of a machine, IPv4 or IPv6, without a port.
package struct IPAddress: Hashable, Sendable {
  /// Its 4 or 16 bytes, in network byte order.
  package let bytes: [UInt8]

  /// Makes an address; nil unless it has 4 or 16 bytes.
  package init?(_ bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
    guard self.bytes.count == 4 || self.bytes.count == 16 else { return nil }
  }

  /// Whether a machine at this address may be anywhere on the Internet. Otherwise it is this machine, one of its own
  /// networks, or none at all.
  ///
  /// An address with an IPv4 one in it, to which packets go in the end, is what that one is: mapped ones (RFC 4291
  /// section 2.5.5.2), those of NAT64 (RFC 6052), and of 6to4 (RFC 3056).
  package var isPublic: Bool {
    if let inner { return inner.isPublic }
    if bytes.count == 4 { return !AddressBlock.special4.contains { $0.contains(bytes) } }
    return AddressBlock.unicast6.contains(bytes) && !AddressBlock.special6.contains { $0.contains(bytes) }
  }

  /// The IPv4 address to which packets for this IPv6 one go; nil if there is none.
  private var inner: IPAddress? {
    guard bytes.count == 16 else { return nil }
    if AddressBlock.mapped.contains(bytes) || AddressBlock.translated.contains(bytes) {
      return IPAddress(bytes.suffix(4))
    }
    return AddressBlock.sixToFour.contains(bytes) ? IPAddress(bytes[2..<6]) : nil
  }
}

extension IPAddress: CustomStringConvertible {
  /// The address as people write it (RFC 5952 for IPv6).
  package var description: String {
    guard bytes.count == 16 else { return bytes.map(String.init).joined(separator: ".") }
    guard !AddressBlock.mapped.contains(bytes) else {
      return "::ffff:" + bytes.suffix(4).map(String.init).joined(separator: ".")
    }
    let groups = stride(from: 0, to: 16, by: 2).map { Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]) }
    func text(_ range: Range<Int>) -> String {
      groups[range].map { String($0, radix: 16) }.joined(separator: ":")
    }
    guard let zeros = Self.longestRunOfZeros(in: groups) else { return text(0..<8) }
    return text(0..<zeros.lowerBound) + "::" + text(zeros.upperBound..<8)
  }

  /// The first of the longest runs of two zeros or more.
  private static func longestRunOfZeros(in groups: [Int]) -> Range<Int>? {
    var longest = 0..<0
    var start = 0
    for index in groups.indices {
      if groups[index] != 0 { start = index + 1 }
      if index + 1 - start > longest.count { longest = start..<(index + 1) }
    }
    return longest.count > 1 ? longest : nil
  }
}

/// The addresses that begin with the same bits.
package struct AddressBlock {
  private let prefix: [UInt8]
  private let bits: Int

  /// - Parameters:
  ///   - prefix: The first bytes; what is missing is zero.
  ///   - bits: How many bits are the same, at most those of an address.
  package init(_ prefix: [UInt8], _ bits: Int) {
    (self.prefix, self.bits) = (prefix, bits)
  }

  /// Whether an address of the block's family, IPv4 or IPv6, begins with its bits.
  package func contains(_ bytes: [UInt8]) -> Bool {
    for index in 0..<((bits + 7) / 8) {
      let rest = bits - index * 8
      let mask: UInt8 = rest >= 8 ? 0xFF : ~(0xFF >> UInt8(rest))
      let wanted = index < prefix.count ? prefix[index] : 0
      guard (bytes[index] ^ wanted) & mask == 0 else { return false }
    }
    return true
  }

  /// The blocks of IPv4 that are not public (https://www.iana.org/assignments/iana-ipv4-special-registry, RFC 6890), or
  /// name no single machine.
  fileprivate static let special4 = [
    AddressBlock([0], 8),  // this network (RFC 791)
    AddressBlock([10], 8), AddressBlock([172, 16], 12), AddressBlock([192, 168], 16),  // private use (RFC 1918)
    AddressBlock([100, 64], 10),  // shared by a provider's customers (RFC 6598)
    AddressBlock([127], 8),  // loopback (RFC 1122)
    AddressBlock([169, 254], 16),  // link local (RFC 3927), and the metadata of clouds
    AddressBlock([192, 0, 0], 24),  // protocol assignments (RFC 6890)
    AddressBlock([192, 0, 2], 24), AddressBlock([198, 51, 100], 24), AddressBlock([203, 0, 113], 24),  // RFC 5737
    AddressBlock([192, 88, 99], 24),  // relays of 6to4, given up (RFC 7526)
    AddressBlock([198, 18], 15),  // benchmarks (RFC 2544)
    AddressBlock([224], 4), AddressBlock([240], 4),  // multicast (RFC 5771); reserved, and broadcast (RFC 1112)
  ]

  /// Nothing else of IPv6 is given out (https://www.iana.org/assignments/ipv6-address-space). So unique local addresses
  /// (fc00::/7), link local ones (fe80::/10), multicast (ff00::/8), ::1 and :: are out.
  fileprivate static let unicast6 = AddressBlock([0x20], 3)

  /// What is not public of that: https://www.iana.org/assignments/iana-ipv6-special-registry.
  fileprivate static let special6 = [
    AddressBlock([0x20, 0x01, 0x00], 23),  // protocol assignments: Teredo, benchmarks, ORCHID (RFC 2928)
    AddressBlock([0x20, 0x01, 0x0D, 0xB8], 32), AddressBlock([0x3F, 0xFF, 0x00], 20),  // RFC 3849, RFC 9637
  ]

  fileprivate static let mapped = AddressBlock([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], 96)
  fileprivate static let translated = AddressBlock([0x00, 0x64, 0xFF, 0x9B], 96)
  fileprivate static let sixToFour = AddressBlock([0x20, 0x02], 16)
}
