/// The machine's network path, as far as policies need it (see the article Protocol).
///
/// ```swift
/// let phone = NetworkPath(status: .online, interface: .wifi, isMetered: true, device: "wlan0")
/// _ = try await podflux.dispatch(.network(.report(phone)))
/// ```
public struct NetworkPath: Hashable, Sendable, Codable {
  /// Whether the network is reachable.
  ///
  /// Use: `network.path.status`.
  public enum Status: String, Hashable, Sendable, Codable, CaseIterable {
    case online, offline
  }

  /// The kind of the path's first link.
  ///
  /// Use: `network.path.interface`.
  public enum Interface: String, Hashable, Sendable, Codable, CaseIterable {
    case wifi, ethernet, cellular
    /// Another kind, such as a tunnel, or unknown.
    case other
  }

  /// The longest name of a device, in bytes: `IFNAMSIZ` less the terminating byte (netdevice(7)).
  public static let maximumDeviceLength = 15

  public var status: Status
  public var interface: Interface
  /// Whether the user pays by the byte.
  public var isMetered: Bool
  /// Whether the user wants little traffic on it.
  public var isConstrained: Bool
  /// The link's name, such as `wlan0`; nil if unknown.
  public var device: String?

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

  public static let offline = NetworkPath(status: .offline)

  /// Whether it is online, and neither cellular nor metered.
  public var isUnmetered: Bool { status == .online && interface != .cellular && !isMetered }

  /// Whether a text may be a device's name: 1 to 15 printable ASCII bytes, without slash and colon, and not "." or ".."
  /// (dev_valid_name in the kernel's net/core/dev.c).
  public static func isDeviceName(_ text: String) -> Bool {
    (1...maximumDeviceLength).contains(text.utf8.count) && text != "." && text != ".."
      && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ":") }
  }
}
