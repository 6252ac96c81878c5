/// The way by which the machine reaches the network, as far as policy is concerned (the article Networks).
public struct NetworkPath: Hashable, Sendable, Codable {
  /// Whether there is a way at all.
  public enum Status: String, Hashable, Sendable, Codable, CaseIterable {
    case online, offline
  }

  /// What kind of link the way begins with.
  public enum Interface: String, Hashable, Sendable, Codable, CaseIterable {
    case wifi, ethernet, cellular
    /// None of these, such as a tunnel, or nobody knows.
    case other
  }

  /// The longest name of a device, in bytes: `IFNAMSIZ` less the byte at its end (netdevice(7)).
  public static let maximumDeviceLength = 15

  /// Whether there is a way at all.
  public var status: Status
  /// What kind of link it begins with.
  public var interface: Interface
  /// Whether its bytes cost money.
  public var isMetered: Bool
  /// Whether people want little sent over it.
  public var isConstrained: Bool
  /// The link's name, such as `wlan0`; nil where nobody has said.
  public var device: String?

  /// Makes a path.
  public init(
    status: Status, interface: Interface = .other, isMetered: Bool = false, isConstrained: Bool = false,
    device: String? = nil
  ) {
    self.status = status
    self.interface = interface
    self.isMetered = isMetered
    self.isConstrained = isConstrained
    self.device = device
  }

  /// No way at all.
  public static let offline = NetworkPath(status: .offline)

  /// Whether there is a way, and it is neither cellular nor metered.
  public var isUnmetered: Bool { status == .online && interface != .cellular && !isMetered }

  /// Whether a text may be a device's name: 1 to 15 printable bytes of ASCII, without a slash or a colon, and none of the
  /// two names that folders have (dev_valid_name in the kernel's net/core/dev.c).
  public static func isDeviceName(_ text: String) -> Bool {
    (1...maximumDeviceLength).contains(text.utf8.count) && text != "." && text != ".."
      && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ":") }
  }
}
