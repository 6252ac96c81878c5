import ArgumentParser

/// `--socket`.
struct SocketOption: ParsableArguments {
  @Option(help: "The engine's Unix socket, for any number of clients; a path of at most 107 bytes.")
  var socket: String?

  /// What was said; nil if nothing was.
  var path: SocketPath? {
    get throws(SocketFailure) {
      guard let socket else { return nil }
      return try SocketPath(given: socket)
    }
  }

  /// The socket that was named, and listens now; empty if none was.
  ///
  /// - Throws: the exit status, after a line on stderr.
  func listeningSockets() throws -> [ListeningSocket] {
    do throws(SocketFailure) {
      guard let path = try path else { return [] }
      return [try ListeningSocket(at: path)]
    } catch {
      throw giveUp(error)
    }
  }
}
