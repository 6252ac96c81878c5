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

  @Option(help: "The library whose engine is meant.")
  var library: String?

  @OptionGroup var socketOption: SocketOption

  func run() throws {
    signal(SIGPIPE, SIG_IGN)
    let given = try socketOption.path(in: .ofProcess())
    let engine: RunningEngine
    do throws(SocketFailure) {
      engine = try RunningEngine.connect(given: given, library: library)
    } catch {
      throw giveUp(error)
    }
    try Relay(engine.descriptor).run(behind: engine.begin)
  }
}
