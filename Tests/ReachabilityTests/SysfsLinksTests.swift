import PodfluxCore
import Testing

@testable import Reachability

@Suite("Links in sysfs")
struct SysfsLinksTests {
  private let sysfs: FakeSysfs

  init() throws {
    sysfs = try FakeSysfs()
  }

  private func traits(_ name: String, type: UInt16 = 1) -> LinkTraits {
    sysfs.links.traits(of: Link(index: 3, name: name, hardwareType: type, flags: 0, operationalState: nil))
  }

  @Test("Wi-Fi is recognized by its entries or its device type")
  func wifi() throws {
    try sysfs.add("wlan0", entries: ["device", "wireless"])
    try sysfs.add("wlan1", entries: ["phy80211"])
    try sysfs.add("wlan2", deviceType: "wlan")
    for name in ["wlan0", "wlan1", "wlan2"] { #expect(traits(name) == LinkTraits(interface: .wifi)) }
  }

  @Test("Cellular is a modem, with any frames, or PPP")
  func cellular() throws {
    try sysfs.add("wwan0", deviceType: "wwan", entries: ["device"])
    try sysfs.add("rmnet0", type: 519)
    try sysfs.add("ppp0", type: 512)
    for (name, type) in [("wwan0", 1), ("rmnet0", 519), ("ppp0", 512)] as [(String, UInt16)] {
      #expect(traits(name, type: type) == LinkTraits(interface: .cellular))
    }
  }

  @Test("Ethernet is a link with its frames and no other type")
  func ethernet() throws {
    try sysfs.add("eth0", entries: ["device"])
    try sysfs.add("veth0")
    for name in ["eth0", "veth0"] { #expect(traits(name) == LinkTraits(interface: .ethernet)) }
  }

  @Test("Tunnels have no device; other hardware with a device is no tunnel")
  func tunnels() throws {
    try sysfs.add("tun0", type: 65534, entries: ["tun_flags"])
    try sysfs.add("wg0", type: 65534, deviceType: "wireguard")
    try sysfs.add("tap0", entries: ["tun_flags"])
    try sysfs.add("vxlan0", deviceType: "vxlan")
    for (name, type) in [("tun0", 65534), ("wg0", 65534), ("tap0", 1), ("vxlan0", 1)] as [(String, UInt16)] {
      #expect(traits(name, type: type) == LinkTraits(interface: .other, isTunnel: true))
    }
    try sysfs.add("ib0", type: 32, entries: ["device"])
    #expect(traits("ib0", type: 32) == LinkTraits(interface: .other))
  }

  @Test("A link over others has the traits of the most expensive one")
  func stacked() throws {
    try sysfs.add("eth0", entries: ["device"])
    try sysfs.add("wlan0", entries: ["device", "wireless"])
    try sysfs.add("wwan0", type: 519, entries: ["device"])
    try sysfs.add("bond0", deviceType: "bond", entries: ["lower_eth0", "lower_wlan0"])
    try sysfs.add("br0", deviceType: "bridge", entries: ["lower_bond0"])
    try sysfs.add("bond1", deviceType: "bond", entries: ["lower_eth0", "lower_wwan0", "lower_wlan0"])
    try sysfs.add("eth0.7", deviceType: "vlan", entries: ["lower_eth0"])
    #expect(traits("br0").interface == .wifi)
    #expect(traits("bond1").interface == .cellular)
    #expect(traits("eth0.7").interface == .ethernet)
  }

  @Test("A ring of links, or a missing link, ends the search")
  func ring() throws {
    try sysfs.add("a", entries: ["lower_b"])
    try sysfs.add("b", entries: ["lower_a"])
    #expect(traits("a").interface == .ethernet)
    #expect(traits("gone", type: 65534) == LinkTraits(interface: .other, isTunnel: true))
  }

  @Test("The machine's own loopback is read")
  func real() {
    let traits = SysfsLinks().traits(of: Link(index: 1, name: "lo", hardwareType: 772, flags: 0, operationalState: nil))
    #expect(traits.interface == .other)
  }
}
