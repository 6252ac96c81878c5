import ArgumentParser
import PodfluxPeople

struct SocketOption: ParsableArguments {
  @Option(
    help: "The engine's Unix socket, for any number of clients; a path of at most 107 bytes.", completion: .file())
  var socket: String?

  /// The path that the option names; nil without the option.
  var path: SocketPath? {
    get throws(SocketFailure) {
      guard let socket else { return nil }
      return try SocketPath(given: socket)
    }
  }

  /// What was said here, in the environment or in the configuration; nil if nothing was. Prints what is wrong with it,
  /// and ends the command.
  func path(in configuration: ProcessConfiguration) throws -> SocketPath? {
    let text = try configuration.checked { configuration throws(ConfigurationFault) in
      try configuration.path(.socket, option: socket)
    }
    let source = configuration.source(of: .socket, option: socket)
    do throws(SocketFailure) {
      return try text.map { text throws(SocketFailure) in try SocketPath(given: text, by: source) }
    } catch {
      throw giveUp(error)
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
