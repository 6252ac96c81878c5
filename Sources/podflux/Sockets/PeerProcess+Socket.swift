import CLinux
import Foundation
import PodfluxClient

extension PeerProcess {
  /// The process of the engine to whose socket a client is connected (unix(7), SO_PEERCRED). Nil if it has not this
  /// command's name: where a service manager has made the socket, the system shows that one instead.
  init?(listeningTo descriptor: Int32) {
    var id: pid_t = 0
    guard linux_peer_process(descriptor, &id) == 0, id > 0, let name = Self.name(of: "\(id)"),
      name == Self.name(of: "self")
    else { return nil }
    self.init(id: id)
  }

  /// The name of a process (proc(5), /proc/PID/comm); nil where the system does not show it.
  private static func name(of process: String) -> String? {
    try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)
  }
}
