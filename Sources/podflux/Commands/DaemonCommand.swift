import ArgumentParser
import Foundation
import PodfluxPeople

/// `podflux daemon`: runs the engine for clients of sockets alone.
struct DaemonCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "daemon",
    abstract: "Runs the engine for the clients of a Unix socket (podflux attach), until a signal or engine/shutdown.",
    discussion: """
      It listens at --socket and at the sockets of systemd (LISTEN_FDS), one of which may be the same; without both at \
      $XDG_RUNTIME_DIR/podflux/<hash of the library>.sock, else at \(SocketPath.systemPath).
      """)

  @OptionGroup var options: EngineOptions

  @OptionGroup var socketOption: SocketOption

  func run() throws {
    let start = try options.start()
    let setup = ProcessSetup()
    let process = try EngineProcess.opened(setup, start, sockets: try sockets(of: start.place))
    process.waitUntilClosed()
    try process.finish()
  }

  private func sockets(of place: LibraryPlace) throws -> [ListeningSocket] {
    let given = try socketOption.path(in: .ofProcess())
    do throws(SocketFailure) {
      let inherited = try InheritedSockets.takeFromEnvironment()
      if let given {
        // The service manager's own socket may be named in the configuration, too, so that clients find it.
        let path = SocketPath.realPath(given.path)
        let isInherited = inherited.contains { $0.boundPath.map(SocketPath.realPath) == path }
        return isInherited ? inherited : inherited + [try listen(at: given, to: place)]
      }
      guard inherited.isEmpty else { return inherited }
      return [try listen(at: try .standard(library: place.library), to: place)]
    } catch {
      throw giveUp(error)
    }
  }

  private func listen(at path: SocketPath, to place: LibraryPlace) throws(SocketFailure) -> ListeningSocket {
    let socket = try ListeningSocket(at: path)
    if isatty(STDERR_FILENO) == 1 {
      StandardError.printSoon(RunNotes(library: place.library).listening(at: path))
    }
    return socket
  }
}
