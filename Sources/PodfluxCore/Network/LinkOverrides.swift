/// The operator's overrides for the classification of links.
///
/// ```swift
/// configuration.links = LinkOverrides(interfaces: ["wwan0": .cellular], metered: ["usb0"])
/// ```
public struct LinkOverrides: Hashable, Sendable {
  /// The kind of link by the device's name: `--interface wlan9=cellular`. Such a device does not count as a tunnel.
  public var interfaces: [String: NetworkPath.Interface]
  /// The devices that count as metered: `--metered usb0`.
  public var metered: Set<String>

  public init(interfaces: [String: NetworkPath.Interface] = [:], metered: Set<String> = []) {
    self.interfaces = interfaces
    self.metered = metered
  }
}
