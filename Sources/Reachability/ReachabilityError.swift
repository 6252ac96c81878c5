import Glibc

/// Why the monitor cannot follow the path.
package enum ReachabilityError: Error, Hashable, Sendable {
  /// A system call failed, with its errno: for example no netlink in a sandbox, no free descriptors.
  case system(operation: String, code: Int32)
  /// The kernel did not list all of its links, addresses and routes in time.
  case silentKernel
}

extension ReachabilityError: CustomStringConvertible {
  /// One sentence: what is wrong, and the remedy.
  package var description: String {
    switch self {
    case .system(let operation, let code):
      """
      the network's links cannot be followed, \(operation) failed: \(String(cString: strerror(code))); allow AF_NETLINK \
      to this process, or say what the path is with --network
      """
    case .silentKernel:
      "the kernel does not say which links and routes there are; say what the path is with --network"
    }
  }
}
