import Foundation

/// The sockets that a service manager has opened for this process: sd_listen_fds(3), without its library.
enum InheritedSockets {
  private static let processVariable = "LISTEN_PID"
  private static let countVariable = "LISTEN_FDS"
  private static let namesVariable = "LISTEN_FDNAMES"
  /// The number of the first one.
  private static let firstDescriptor: Int32 = 3
  /// How many there may be.
  private static let maximumCount: Int32 = 16

  /// Takes them over, and removes the variables: they are for no child of this process.
  ///
  /// Call it before other threads exist, like every function that changes the environment.
  static func takeFromEnvironment() throws(SocketFailure) -> [ListeningSocket] {
    let environment = ProcessInfo.processInfo.environment
    for name in [processVariable, countVariable, namesVariable] { unsetenv(name) }
    guard let process = environment[processVariable], pid_t(process) == getpid(),
      let count = environment[countVariable].flatMap({ Int32($0) }), count > 0
    else { return [] }
    var sockets: [ListeningSocket] = []
    for descriptor in firstDescriptor..<(firstDescriptor + min(count, maximumCount)) {
      sockets.append(try ListeningSocket(inherited: descriptor))
    }
    return sockets
  }
}
