import ArgumentParser
import Foundation
import PodfluxCore
import PodfluxEngine
import WireProtocol

/// `podflux snapshot`: what a library holds, without an engine or beside a running one.
struct SnapshotCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "snapshot",
    abstract: "Prints one snapshot of a library as a line of JSON, without an engine, and changes nothing.")

  @Option(help: "The library's folder.")
  var library: String

  @Argument(help: "Which part, as in the query's payload: '{\"stores\":[\"downloads\"],\"downloads\":{\"limit\":9}}'.")
  var query = "{}"

  func run() throws {
    let query = try SnapshotQuery(argument: query)
    do throws(EngineError) {
      let snapshot = try LibraryReader.snapshot(ofLibraryAt: library, query)
      var encoder = LineEncoder()
      encoder.answer(.snapshot(snapshot), id: nil, revision: snapshot.revision)
      FileHandle.standardOutput.write(Data(encoder.bytes))
    } catch {
      throw giveUp(error)
    }
  }

}

extension SnapshotQuery {
  /// Reads a query's payload, given as an argument.
  init(argument: String) throws {
    let line = "{\"type\":\"snapshot\",\"payload\":\(argument)}"
    switch LineDecoder().decode([UInt8](line.utf8), number: 1).content {
    case .success(.query(.snapshot(let query))): self = query
    case .success: throw ValidationError("the query must be one JSON object")
    case .failure(let refusal): throw ValidationError(refusal.message)
    }
  }
}
