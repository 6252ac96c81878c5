import ArgumentParser
import PodfluxCore
import PodfluxEngine
import WireProtocol

/// `podflux replay`: shows the state of a run from its journal.
struct ReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Replays a journal, and prints what `podflux snapshot` printed during that run.",
    discussion: """
      Nothing is downloaded, and neither the journal nor any library is changed. Header values, users and passwords in \
      URLs, and the progress of running transfers are in no journal.

      The journal of a killed engine ends while its transfers run. They are running here, and queued in \
      `podflux snapshot` of its library, where nothing runs any more. The lines of the next start say so too.
      """)

  @Option(help: "The journal's file; full ones beside it (.1 to .4) are read first.")
  var journal: String

  @Option(
    help: "A copy of podflux.sqlite as it was before one of the journal's starts; without it the library was new.")
  var librarySnapshot: String?

  @Option(help: "The sequence number of the last action to replay; turns that end later are left out.")
  var until: Int64?

  @Argument(help: "Which part, as in the query's payload: '{\"stores\":[\"downloads\"],\"downloads\":{\"limit\":9}}'.")
  var query = "{}"

  func run() throws {
    let query = try SnapshotQuery(typed: query)
    var encoder = LineEncoder()
    do throws(JournalError) {
      let snapshot = try JournalReplay.snapshot(
        of: .init(journal: journal, database: librarySnapshot, until: until), query)
      encoder.answer(.snapshot(snapshot), id: nil, revision: snapshot.revision)
    } catch {
      StandardError.print("podflux: \(error)")
      throw ExitCode.unreadableLibrary
    }
    try writeResult(json: encoder.bytes)
  }
}
