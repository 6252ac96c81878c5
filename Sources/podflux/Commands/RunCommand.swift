import ArgumentParser
import Foundation
import PodfluxCore
import PodfluxEngine

/// `podflux run`: runs the engine, which a client controls with lines.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Runs the engine: actions and queries on stdin, replies and state on stdout, logs on stderr.")

  @OptionGroup var options: EngineOptions

  @OptionGroup var socketOption: SocketOption

  @Option(help: "What to do when stdin ends: finish what can be finished (drain), or stop at once (exit).")
  var onEof = EndOfInput.drain

  enum EndOfInput: String, ExpressibleByArgument, CaseIterable {
    case drain, exit

    var stopMode: StopMode { self == .drain ? .drain : .now }
  }

  func run() throws {
    let start = try options.start()
    let setup = ProcessSetup()
    let sockets = try socketOption.listeningSockets()
    let output = try OutputWriter(takingOver: .standardOutput)
    let process = try EngineProcess.opened(setup, start, sockets: sockets)
    let engine = process.engine
    output.onClosed { engine.stop(.now, because: .shutdown) }
    let streams = StandardStreams(output)
    let session = ClientSession(output: streams, libraryPath: process.libraryPath)
    engine.connect(session)
    if isatty(STDIN_FILENO) == 1 {
      StandardError.printSoon(RunNotes(library: process.libraryPath).waiting(atEndOfInput: onEof))
    }
    LineReader(session: session, streams: streams) { [onEof] in engine.stop(onEof.stopMode, because: .eof) }.start()
    process.waitUntilClosed()
    session.waitUntilEnded()
    session.sayGoodbye()
    try process.finish(output)
  }
}
