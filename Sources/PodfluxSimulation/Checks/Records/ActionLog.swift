import Flux
import Persistence
import PodfluxCore

/// Records every start and every committed batch of a run: enough to reach the same state again.
final class ActionLog {
  private enum Entry {
    case start(seed: UInt64)
    case batch([Action], ClockReading)
  }

  private var entries: [Entry] = []

  func note(start seed: UInt64) {
    entries.append(.start(seed: seed))
  }

  func note(_ batch: Batch) {
    entries.append(.batch(batch.actions, batch.clock))
  }

  /// Replays everything on an empty library, discards the effects, and returns the state's hash.
  func replay() throws -> UInt64 {
    let database = try LibraryDatabase.inMemory()
    defer { try? database.close() }
    var dispatcher: Dispatcher<Stores>?
    for entry in entries {
      switch entry {
      case .start(let seed): dispatcher = try Self.dispatcher(on: database, seed: seed)
      case .batch(let actions, let clock): _ = try dispatcher?.dispatch(actions, at: clock)
      }
    }
    guard let dispatcher else { return 0 }
    return try stateHash(of: database, dispatcher)
  }

  private static func dispatcher(on database: LibraryDatabase, seed: UInt64) throws -> Dispatcher<Stores> {
    try database.read { tables in
      Dispatcher(
        state: try tables.stores(), position: try tables.position(), ledger: database.ledger(), seed: seed)
    }
  }
}

/// A hash of the rows and of the stores' state, in a fixed order.
func stateHash(of database: LibraryDatabase, _ dispatcher: Dispatcher<Stores>) throws -> UInt64 {
  var hash = StableHash()
  try TableHashes(of: database).mix(into: &hash)
  let downloads = dispatcher.state.downloads
  for id in downloads.live.keys.sorted() {
    guard let live = downloads.live[id] else { continue }
    hash.mix("\(id) \(live.generation) \(live.host) \(live.isStopping) \(live.phase) \(live.received) \(live.rate)")
  }
  for kind in DownloadState.Kind.allCases { hash.mix(Int64(downloads.counts[kind, default: 0])) }
  hash.mix(dispatcher.state.lifecycle.stopping?.rawValue ?? "")
  return hash.value
}
