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
  private var hashes: [Int64: TableHashes] = [:]
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
    if position.revision % interval == 0 { hashes[position.revision] = try TableHashes(of: database) }
  }

  /// The run is over: compares the final tables in any case.
  func finish(_ database: LibraryDatabase) throws {
    if let last { hashes[last.revision] = try TableHashes(of: database) }
  }

  /// Replays the lines on an empty library, and requires the run's tables at each revision.
  func replay() throws {
    let database = try LibraryDatabase.inMemory()
    defer { try? database.close() }
    var fold = Fold(database: database, hashes: hashes)
    var assembler = JournalAssembler()
    let decoder = ActionLineDecoder()
    let mark = Array(SimulatedSessions.mark.utf8)
    for line in encoder.bytes.split(separator: UInt8(ascii: "\n")) {
      guard line.firstRange(of: mark) == nil else {
        throw Violation(.replay, "a line has a secret: \(String(decoding: line, as: UTF8.self))")
      }
      let decoded: JournalLine
      do throws(Refusal) {
        decoded = try decoder.decode(Array(line))
      } catch {
        throw Violation(.replay, "\(error.message), at \(error.path ?? "?"): \(String(decoding: line, as: UTF8.self))")
      }
      for event in assembler.receive(decoded) { try fold.receive(event) }
    }
    for event in assembler.finish() { try fold.receive(event) }
    // The last turn may never have committed.
    guard let last = hashes.keys.max(), fold.revision >= last else {
      throw Violation(.replay, "the journal ends at revision \(fold.revision)")
    }
  }

  private struct Fold {
    let database: LibraryDatabase
    let hashes: [Int64: TableHashes]
    var dispatcher: Dispatcher<Stores>?
    var revision: Int64 = 0

    mutating func receive(_ event: JournalAssembler.Event) throws {
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
      guard let expected = hashes[revision] else { return }
      let different = try TableHashes(of: database).names(differingFrom: expected)
      guard different.isEmpty else {
        throw Violation(
          .replay, "at revision \(revision) the journal's fold holds other \(different.joined(separator: ", "))")
      }
    }
  }
}
