/// How links are classified, where what the kernel says is not enough.
public struct LinkOverrides: Hashable, Sendable {
  /// What kind of link a device is, by its name: `--interface wlan9=cellular`. Such a device is no tunnel either.
  public var interfaces: [String: NetworkPath.Interface]
  /// The devices whose bytes cost money: `--metered usb0`.
  public var metered: Set<String>

  /// Makes overrides; by default there are none.
  public init(interfaces: [String: NetworkPath.Interface] = [:], metered: Set<String> = []) {
    self.interfaces = interfaces
    self.metered = metered
  }
}
