import ArgumentParser
import PodfluxPeople

/// What concerns the engine that a command speaks to, or runs by itself.
struct SocketOption: ParsableArguments {
  @Option(
    help: "The engine's socket; otherwise PODFLUX_SOCKET, the configuration's socket, or one in the run-time folder.",
    completion: .file())
  var socket: String?
}
