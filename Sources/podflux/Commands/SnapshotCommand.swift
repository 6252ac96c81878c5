import ArgumentParser
import PodfluxCore
import PodfluxEngine
import WireProtocol

/// `podflux snapshot`: shows a library's state, without an engine or beside a running one.
struct SnapshotCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "snapshot",
    abstract: "Prints one snapshot of a library as a line of JSON, without an engine, and changes nothing.")

  @OptionGroup var folder: LibraryOption

  @Argument(help: "Which part, as in the query's payload: '{\"stores\":[\"downloads\"],\"downloads\":{\"limit\":9}}'.")
  var query = "{}"

  func run() throws {
    let query = try SnapshotQuery(typed: query)
    let place = try folder.place()
    var encoder = LineEncoder()
    do throws(EngineError) {
      let snapshot = try LibraryReader.snapshot(ofLibraryAt: place.library, stateFolder: place.state, query)
      encoder.answer(.snapshot(snapshot), id: nil, revision: snapshot.revision)
    } catch {
      throw giveUp(error)
    }
    try writeResult(json: encoder.bytes)
  }
}

extension SnapshotQuery {
  /// Parses a query's payload from an argument. If invalid, prints the reason and a correct example, and ends the
  /// command.
  init(typed argument: String) throws {
    do throws(Refusal) {
      try self.init(argument: argument)
    } catch {
      StandardError.print(
        """
        podflux: \(error.message); write it in single quotes, such as \
        '{"stores":["downloads"],"downloads":{"where":{"state":"failed"}}}', or leave it out to see everything
        """)
      throw ExitCode.wrongUsage
    }
  }
}
