import ArgumentParser
import Foundation
import PodfluxClient
import PodfluxCore
import PodfluxPeople
import Terminal
import WireProtocol

/// `podflux watch`: what an engine tells of its state, for scripts.
struct WatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Prints the state of the running engine and each change of it as lines of JSON.",
    discussion: """
      podflux watch --json --actions | jq -c 'select(.type == "downloads/finished").payload.file.path'

      The lines are those of an observing client: podflux attach sends others too. Without an engine it ends with 69.
      """)

  @OptionGroup var folder: LibraryOption
  @OptionGroup var engine: SocketOption
  @OptionGroup var console: ConsoleOptions

  @Flag(help: "Print committed actions too.")
  var actions = false

  @Option(help: "Only this store; can be repeated.")
  var store: [StoreName] = []

  @Option(help: "How long changes are gathered, in seconds.")
  var interval = 0.25

  func validate() throws {
    guard console.json else {
      throw ValidationError("podflux watch prints JSON: say so with --json, or use podflux status --watch")
    }
    guard Observation.intervals.contains(interval) else {
      let range = Observation.intervals
      throw ValidationError("--interval takes \(range.lowerBound) to \(range.upperBound)")
    }
  }

  func run() throws {
    let place = try folder.place(or: engine)
    let given = try engine.path(in: .ofProcess())
    let signals = try CommandSignals()
    let console = Console(console)
    try console.reporting {
      let running = try RunningEngine.connect(given: given, place: place, interruption: signals.descriptor)
      let connection = try ClientConnection(running, interruption: signals.descriptor)
      let stores = store.isEmpty ? Set(StoreName.allCases) : Set(store)
      let wish = Observation(state: SnapshotQuery(stores: stores), includesActions: actions, interval: interval)
      _ = try connection.ask(.query(.observe(wish))).get()
      while let event = try connection.nextEvent(upTo: nil) {
        guard console.result(json: event.line) else { return }
      }
    }
  }
}

extension StoreName: ExpressibleByArgument {}
