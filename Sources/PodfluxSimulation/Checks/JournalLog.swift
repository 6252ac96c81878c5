import Flux
import Foundation
import Persistence
import PodfluxCore
import WireProtocol

/// The journal that an engine would have written in a run, line for line, and a hash of its tables at each revision.
///
/// It also contains turns that never committed: commits fail, and processes die before them.
final class JournalLog {
  private var encoder = LineEncoder(sealing: true)
  private var hashes: [Int64: UInt64] = [:]
  /// The tables are compared at every revision divisible by this.
  private let interval: Int64
  private var last: LogPosition?

  init(comparingEach interval: Int64) {
    self.interval = interval
  }

  func begin(seed: UInt64, at position: LogPosition, _ clock: ClockReading) {
    encoder.journal(
      .opened, of: .init(seed: seed, version: "1", library: "l"), at: LineStamp(position, time: clock.wall))
  }

  /// A turn is about to be committed: what an engine's journal does then.
  func willCommit(_ turn: TurnRecord<Action>) -> () -> Void {
    for (sequence, action) in zip(turn.firstSequence..., turn.actions) {
      encoder.action(action, sequence: sequence, revision: turn.position.revision, time: turn.clock.wall)
    }
    return {}
  }

  func committed(_ position: LogPosition, in database: LibraryDatabase) throws {
    guard position != last else { return }
    last = position
    if position.revision % interval == 0 { hashes[position.revision] = try tableHash(of: database) }
  }

  /// The run is over: compares the final tables in any case.
  func finish(_ database: LibraryDatabase) throws {
    if let last { hashes[last.revision] = try tableHash(of: database) }
  }

  /// Replays the lines on an empty library, and requires the run's tables at each revision.
  func replay() throws {
    let database = try LibraryDatabase.inMemory()
    defer { try? database.close() }
    var fold = Fold(database: database, hashes: hashes)
    var assembler = JournalAssembler()
    let decoder = ActionLineDecoder()
    for line in encoder.bytes.split(separator: UInt8(ascii: "\n")) {
      let decoded: JournalLine
      do throws(Refusal) {
        decoded = try decoder.decode(Array(line))
      } catch {
        throw Violation(.replay, "\(error.message), at \(error.path ?? "?"): \(String(decoding: line, as: UTF8.self))")
      }
      for event in assembler.take(decoded) { try fold.take(event) }
    }
    for event in assembler.finish() { try fold.take(event) }
    // The last turn may never have committed.
    guard let last = hashes.keys.max(), fold.revision >= last else {
      throw Violation(.replay, "the journal ends at revision \(fold.revision)")
    }
  }

  private struct Fold {
    let database: LibraryDatabase
    let hashes: [Int64: UInt64]
    var dispatcher: Dispatcher<Stores>?
    var revision: Int64 = 0

    mutating func take(_ event: JournalAssembler.Event) throws {
      switch event {
      case .start(let engine, let stamp):
        let database = database
        dispatcher = try database.read { tables in
          Dispatcher(
            state: try tables.stores(), position: try tables.position(), ledger: database.ledger(), seed: engine.seed)
        }
        guard dispatcher?.position == stamp.position else {
          throw Violation(.replay, "an engine began at \(stamp), and the journal is at revision \(revision)")
        }
      case .turn(let turn): try fold(turn)
      case .gap(let expected, let found): throw Violation(.replay, "behind \(expected) comes \(found)")
      }
    }

    private mutating func fold(_ turn: JournalTurn) throws {
      // No monotonic clock, and no readings: no stored state may depend on them.
      _ = try dispatcher?.dispatch(turn.actions, at: ClockReading(wall: turn.time, monotonicMilliseconds: 0))
      revision = turn.position.revision
      guard dispatcher?.position == turn.position else {
        throw Violation(
          .replay, "the journal says \(turn.position), and its fold is at \(String(describing: dispatcher?.position))")
      }
      guard let hash = hashes[revision] else { return }
      guard try tableHash(of: database) == hash else {
        throw Violation(.replay, "at revision \(revision) the journal's fold holds something else than the run did")
      }
    }
  }
}

/// A hash of the tables, in a fixed order.
func tableHash(of database: LibraryDatabase) throws -> UInt64 {
  var hash = StableHash()
  try database.read { tables in
    for download in try tables.downloads(limit: PageRequest.maximumLimit) { hash.mix("\(download)") }
    let position = try tables.position()
    hash.mix(position.revision)
    hash.mix(position.sequence)
    // A dictionary's description has another order each time.
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    hash.mix(String(decoding: try encoder.encode(try tables.settings()), as: UTF8.self))
    hash.mix("\(try tables.filters())")
    hash.mix("\(try tables.network())")
    let counts = try tables.counts()
    for kind in DownloadState.Kind.allCases { hash.mix(Int64(counts[kind, default: 0])) }
    for (host, moment) in try tables.cooldowns().sorted(by: { $0.key < $1.key }) {
      hash.mix(host)
      hash.mix(moment.milliseconds)
    }
    hash.mix("\(try tables.discarded())")
    for run in try tables.cleanupRuns() {
      hash.mix("\(run.key) \(run.options) \(run.stage) \(run.freedBytes) \(run.askedAt) \(run.reason ?? "")")
      for kind in CleanupStep.Finding.Kind.allCases { hash.mix("\(run.tallies[kind] ?? .init())") }
    }
    for step in try tables.cleanupSteps(PageRequest(limit: 100_000)).steps { hash.mix("\(step)") }
  }
  return hash.value
}
