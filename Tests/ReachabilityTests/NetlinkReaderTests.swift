import Testing

@testable import Reachability

@Suite("Parsing rtnetlink")
struct NetlinkReaderTests {
  private func read(_ messages: [UInt8]...) -> [LinkMessage] {
    NetlinkReader.read(messages.flatMap { $0 }[...]).messages
  }

  @Test("Links, addresses and default routes of one datagram are parsed in order")
  func order() {
    let messages = read(
      NetlinkBytes.link(3, "wlan0"), NetlinkBytes.address(3, [10, 0, 0, 7]),
      NetlinkBytes.route(3, metric: 600, more: [NetlinkBytes.attribute(5, [10, 0, 0, 1])]),
      NetlinkBytes.route(3, metric: 600, kind: 25), NetlinkBytes.address(3, [10, 0, 0, 7], kind: 21),
      NetlinkBytes.link(3, "wlan0", kind: 17))
    let address = LinkAddress(family: .ipv4, link: 3, bytes: [10, 0, 0, 7], scope: 0, flags: 0)
    #expect(
      messages == [
        .link(Link(index: 3, name: "wlan0", hardwareType: 1, flags: 0x1_1043, operationalState: 6)),
        .address(address),
        .route(
          DefaultRoute(family: .ipv4, metric: 600, hops: [.init(link: 3, gateway: [10, 0, 0, 1])]), replaces: false),
        .routeGone(DefaultRoute(family: .ipv4, metric: 600, hops: [.init(link: 3)])),
        .addressGone(address), .linkGone(index: 3),
      ])
  }

  @Test("Of a point-to-point link its own address counts, not the peer's")
  func pointToPoint() {
    let body = [2, 32, 0, 0] + NetlinkBytes.raw(Int32(5))
    let own = NetlinkBytes.attribute(2, [10, 64, 0, 2])
    let other = NetlinkBytes.attribute(1, [10, 64, 0, 1])
    for attributes in [[own, other], [other, own]] {
      let messages = read(NetlinkBytes.message(20, body, attributes))
      guard case .address(let address)? = messages.first else {
        Issue.record("no address: \(messages)")
        continue
      }
      #expect(address.bytes == [10, 64, 0, 2])
    }
  }

  @Test("A bridge's messages about its ports do not count as links")
  func bridgePort() {
    #expect(read(NetlinkBytes.link(3, "eth0", family: 7, kind: 17), NetlinkBytes.link(3, "eth0", family: 7)).isEmpty)
  }

  @Test("Routes that are not default routes, of other tables or without a destination are skipped")
  func otherRoutes() {
    let otherTable = NetlinkBytes.attribute(15, NetlinkBytes.raw(UInt32(51820)))
    #expect(
      read(
        NetlinkBytes.route(3, length: 24), NetlinkBytes.route(3, table: 255), NetlinkBytes.route(3, type: 7),
        NetlinkBytes.route(3, flags: 0x200), NetlinkBytes.route(3, more: [otherTable]), NetlinkBytes.route(0),
        NetlinkBytes.route(3, family: 28)
      ).isEmpty)
  }

  @Test("Halves of a default route are distinguished, and a multipath route has all its links")
  func parts() {
    let upper = NetlinkBytes.attribute(1, [128, 0, 0, 0])
    let hop = { (link: Int32) in
      NetlinkBytes.raw(UInt16(16)) + [0, 0] + NetlinkBytes.raw(link)
        + NetlinkBytes.attribute(5, [10, 0, 0, UInt8(link)])
    }
    let messages = read(
      NetlinkBytes.route(4, length: 1), NetlinkBytes.route(4, length: 1, more: [upper]),
      NetlinkBytes.route(0, more: [NetlinkBytes.attribute(9, hop(3) + hop(5))], headerFlags: 0x100))
    #expect(
      messages == [
        .route(DefaultRoute(family: .ipv4, part: .lowerHalf, metric: 0, hops: [.init(link: 4)]), replaces: false),
        .route(DefaultRoute(family: .ipv4, part: .upperHalf, metric: 0, hops: [.init(link: 4)]), replaces: false),
        .route(
          DefaultRoute(
            family: .ipv4, metric: 0,
            hops: [.init(link: 3, gateway: [10, 0, 0, 3]), .init(link: 5, gateway: [10, 0, 0, 5])]),
          replaces: true),
      ])
  }

  @Test("The end of an answer, its interruption and a refusal are reported, and answers to others are skipped")
  func answers() {
    let contents = NetlinkReader.read(
      (NetlinkBytes.link(1, "old", sequence: 6) + NetlinkBytes.message(3, sequence: 6)
        + NetlinkBytes.link(2, "new", sequence: 7))[...], answering: 7)
    #expect(contents.messages.count == 1)
    #expect(!contents.isEnd)
    let end = NetlinkReader.read(NetlinkBytes.message(3, flags: 0x10, sequence: 7)[...], answering: 7)
    #expect(end.isEnd && end.isInterrupted)
    let refused = NetlinkReader.read(NetlinkBytes.message(2, NetlinkBytes.raw(Int32(-95)))[...])
    #expect(refused.refusal == 95)
    #expect(NetlinkReader.read(NetlinkBytes.message(2, NetlinkBytes.raw(Int32.min))[...]).refusal != 0)
  }

  @Test("Names that would lead out of sysfs are refused", arguments: ["", ".", "..", "a/b", "../../etc"])
  func names(name: String) {
    #expect(read(NetlinkBytes.link(3, name)).isEmpty)
  }

  private static let whole =
    NetlinkBytes.link(3, "wlan0") + NetlinkBytes.address(3, [10, 0, 0, 7])
    + NetlinkBytes.route(3, metric: 600, more: [NetlinkBytes.attribute(5, [10, 0, 0, 1])])

  @Test("Of a truncated datagram the complete messages are parsed, and nothing traps")
  func truncated() {
    let all = NetlinkReader.read(Self.whole[...]).messages
    #expect(all.count == 3)
    for length in 0..<Self.whole.count {
      // Some slices do not begin at 0.
      let bytes = ([UInt8](repeating: 0xFF, count: 5) + Self.whole)[5...].prefix(length)
      let messages = NetlinkReader.read(bytes).messages
      #expect(messages == Array(all.prefix(messages.count)))
      #expect(messages.count < 3)
    }
  }

  @Test(
    "With changed bytes and wrong lengths, nothing traps or loops forever", arguments: 0..<8)
  func hostile(seed: UInt64) {
    var random = SplitMix(state: seed)
    var seen = 0
    for _ in 0..<5000 {
      var bytes = Self.whole
      for _ in 0...Int(random.next() % 4) {
        let index = Int(random.next() % UInt64(bytes.count))
        bytes[index] = [0, 1, 3, 4, 7, 0x7F, 0x80, 0xFF][Int(random.next() % 8)]
      }
      var table = LinkTable()
      let messages = NetlinkReader.read(bytes[...]).messages
      seen += messages.count
      messages.forEach { table.apply($0) }
      let picture = table.picture(LinkJudgement { _ in LinkTraits(interface: .wifi) })
      #expect(picture.path.status == .offline || picture.path.device != nil, "seed \(seed)")
    }
    #expect(seen > 5000)
  }
}

/// Numbers determined by a seed (SplitMix64).
private struct SplitMix {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }
}
