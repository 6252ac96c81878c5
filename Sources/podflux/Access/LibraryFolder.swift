import PodfluxClient
import PodfluxCore
import PodfluxEngine
import PodfluxPeople
import WireProtocol

/// A library that is read without an engine, or beside a running one: what `podflux snapshot` prints.
struct LibraryFolder: SnapshotSource {
  let place: LibraryPlace

  func snapshot(_ query: SnapshotQuery) throws -> LibrarySnapshot {
    let snapshot = try LibraryReader.snapshot(ofLibraryAt: place.library, stateFolder: place.state, query)
    var encoder = LineEncoder()
    encoder.answer(.snapshot(snapshot), id: nil, revision: snapshot.revision)
    return try LibrarySnapshot(line: encoder.bytes.dropLast())
  }
}
