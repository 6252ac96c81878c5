/// Which way an attempt's connections may take. Loopback needs no way and is open to all of them.
public enum Route: Hashable, Sendable {
  /// Whichever the kernel chooses.
  case any
  /// This device alone: the kernel cannot move a connection to another one (`SO_BINDTODEVICE`, socket(7)).
  case only(device: String)
  /// None: only loopback is asked. A redirect that leads elsewhere ends the attempt with `pathRefused`.
  case loopback
}
