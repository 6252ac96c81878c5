import Foundation
import PodfluxCore

/// Reads a link's type from `/sys/class/net`, which rtnetlink does not report.
struct SysfsLinks: Sendable {
  /// The mount point of sysfs.
  var root = "/sys"

  /// The depth limit, for example a bridge over a bond over VLANs.
  private static let maximumDepth = 4
  /// The longest `uevent` that is read, in bytes.
  private static let maximumBytes = 4096

  /// `ARPHRD_…`, the kernel's if_arp.h.
  private enum Hardware {
    static let ethernet: UInt16 = 1
    static let ppp: UInt16 = 512
    /// Packets without a link-layer header, as phone modems have them.
    static let rawIP: UInt16 = 519
  }

  /// The traits of a link. Costs some system calls; a link that is gone is `other`.
  func traits(of link: Link) -> LinkTraits {
    traits(ofName: link.name, hardwareType: link.hardwareType, depth: 0)
  }

  private func traits(ofName name: String, hardwareType: UInt16, depth: Int) -> LinkTraits {
    let deviceType = deviceType(of: name)
    if deviceType == "wwan" || hardwareType == Hardware.rawIP || hardwareType == Hardware.ppp {
      return LinkTraits(interface: .cellular)
    }
    if deviceType == "wlan" || has("wireless", name) || has("phy80211", name) { return LinkTraits(interface: .wifi) }
    // A tap has Ethernet frames and is still a tunnel; so are Ethernet tunnels over UDP.
    let isTunnel = has("tun_flags", name) || deviceType == "vxlan" || deviceType == "geneve"
    guard hardwareType == Hardware.ethernet, !isTunnel else {
      return LinkTraits(interface: .other, isTunnel: isTunnel || !has("device", name))
    }
    return traits(ofLinksBelow: name, depth: depth) ?? LinkTraits(interface: .ethernet)
  }

  /// The traits of the links below a VLAN, a bond or a bridge; nil for a link without lower links.
  private func traits(ofLinksBelow name: String, depth: Int) -> LinkTraits? {
    guard depth < Self.maximumDepth, !has("device", name) else { return nil }
    let prefix = "lower_"
    let entries = (try? FileManager.default.contentsOfDirectory(atPath: folder(name))) ?? []
    let below = entries.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }.map { lower in
      traits(ofName: lower, hardwareType: hardwareType(of: lower), depth: depth + 1)
    }
    // Which of them carries a packet is unknown: the most expensive one counts.
    return below.first { $0.interface == .cellular } ?? below.first(where: \.isTunnel)
      ?? below.first { $0.interface == .wifi } ?? below.first
  }

  private func folder(_ name: String) -> String { "\(root)/class/net/\(name)" }

  private func has(_ entry: String, _ name: String) -> Bool {
    access("\(folder(name))/\(entry)", F_OK) == 0
  }

  private func deviceType(of name: String) -> Substring? {
    let key = "DEVTYPE="
    return text("uevent", name).split(separator: "\n").first { $0.hasPrefix(key) }?.dropFirst(key.count)
  }

  private func hardwareType(of name: String) -> UInt16 {
    UInt16(text("type", name).prefix { $0 != "\n" }) ?? Hardware.ethernet
  }

  private func text(_ entry: String, _ name: String) -> String {
    let file = open("\(folder(name))/\(entry)", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return "" }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: Self.maximumBytes)
    let count = read(file, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}
