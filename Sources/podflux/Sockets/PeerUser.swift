import CLinux
import Foundation

/// The user whose process made the socket to which a client is connected (unix(7), SO_PEERCRED): the engine's, or the
/// service manager's.
///
/// Requests carry passwords, and in a folder like /tmp each user can make a socket with the path that a client names.
struct PeerUser: Hashable {
  let id: uid_t

  init(id: uid_t) {
    self.id = id
  }

  /// - Throws: `SocketFailure.refused` if the system does not tell.
  init(listeningTo descriptor: Int32, at path: String) throws(SocketFailure) {
    var id: uid_t = 0
    let code = linux_peer_user(descriptor, &id)
    guard code == 0 else { throw .refused(what: "asked for its user", path: path, code: code) }
    self.id = id
  }

  /// Whether a client may send requests to this user's engine: to one of its own user, or of root.
  ///
  /// - Parameters:
  ///   - client: The client's user.
  ///   - folders: Where the socket is, and the library that is meant. Root may use the engine of a user who owns one of
  ///     these folders.
  func mayServe(_ client: uid_t, folders: [String]) -> Bool {
    if id == client || id == 0 { return true }
    return client == 0 && folders.contains { Self.owner(of: $0) == id }
  }

  /// The owner of a file; nil if there is none.
  static func owner(of path: String) -> uid_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_uid : nil
  }
}
