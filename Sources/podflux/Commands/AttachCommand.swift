import ArgumentParser
import Foundation
import PodfluxPeople

/// `podflux attach`: speaks with the engine that runs.
struct AttachCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "attach",
    abstract: "Passes JSON lines from stdin to the running engine, and its lines to stdout.",
    discussion: """
      It ends when stdin has ended and all replies have come:
        echo '{"type":"snapshot"}' | podflux attach --library DIR
      """)

  @OptionGroup var folder: LibraryPathOption

  @OptionGroup var socketOption: SocketOption

  func run() throws {
    signal(SIGPIPE, SIG_IGN)
    let configuration = try ProcessConfiguration.ofProcess()
    let given = try socketOption.path(in: configuration)
    let place = try folder.place(in: configuration, or: socketOption)
    let engine: RunningEngine
    do throws(SocketFailure) {
      engine = try RunningEngine.connect(given: given, nearest: place)
    } catch {
      throw giveUp(error)
    }
    try Relay(engine.descriptor).run(behind: engine.begin)
  }
}
