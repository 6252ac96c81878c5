/// The network path that an attempt's connections may take. Every route may use loopback.
package enum Route: Hashable, Sendable {
  /// The path that the kernel chooses.
  case any
  /// Only this device: the kernel cannot move a connection to another one (`SO_BINDTODEVICE`, socket(7)).
  case only(device: String)
  /// Loopback only. A redirect to another machine ends the attempt with `pathRefused`.
  case loopback
}
