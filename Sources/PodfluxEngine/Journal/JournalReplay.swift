import FileStore
import Flux
import Foundation
import Persistence
import PodfluxCore
import WireProtocol

/// Replays a journal: the same stores handle its actions, with the run's seed and clock, and the effects are discarded.
///
/// ```swift
/// let snapshot = try JournalReplay.snapshot(of: .init(journal: "/var/log/podflux.jsonl"), .init(stores: [.downloads]))
/// ```
///
/// The result is the state of the run at that revision, as `LibraryReader.snapshot` shows it. It lacks what a journal
/// lacks: readings, header values, users and passwords in URLs.
package enum JournalReplay {
  /// The input of a replay, and where it ends: `.init(journal: path, until: 1000)` replays up to the action 1000.
  package struct Source: Sendable {
    /// The journal's path; full files beside it are read first.
    package var journal: String
    /// A copy of the database from before one of the journal's starts; nil for an empty library.
    package var database: String?
    /// The last action; later turns are left out. Nil for all.
    package var until: Int64?

    package init(journal: String, database: String? = nil, until: Int64? = nil) {
      self.journal = journal
      self.database = database
      self.until = until
    }
  }

  /// The state at the end of the replay. Changes neither the journal nor the database.
  ///
  /// - Throws: `JournalError`.
  package static func snapshot(of source: Source, _ query: SnapshotQuery) throws(JournalError) -> Snapshot {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("podflux-replay-\(UUID().uuidString)")
    do {
      // The copy contains headers and passwords.
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      defer { try? FileManager.default.removeItem(at: folder) }
      let database = try openedCopy(of: source.database, at: folder.path + "/" + Library.databaseName)
      defer { try? database.close() }
      var fold = try JournalFold(database, until: source.until)
      try read(source.journal, into: &fold)
      return try fold.snapshot(query)
    } catch let error as JournalError {
      throw error
    } catch {
      throw .unreadableLibrary("\(error)")
    }
  }

  /// The replay's own copy of the database.
  private static func openedCopy(of original: String?, at path: String) throws -> LibraryDatabase {
    if let original {
      guard FileManager.default.fileExists(atPath: original) else {
        throw JournalError.unreadableLibrary("there is no database \"\(original)\"")
      }
      // The file beside it holds the pages since the last checkpoint.
      for suffix in ["", "-wal"] where suffix.isEmpty || FileManager.default.fileExists(atPath: original + suffix) {
        try FileManager.default.copyItem(atPath: original + suffix, toPath: path + suffix)
      }
    }
    return try LibraryDatabase.openScratch(at: path)
  }

  private static func read(_ path: String, into fold: inout JournalFold) throws {
    var reader = try JournalReader(path: path)
    var assembler = JournalAssembler()
    let decoder = ActionLineDecoder()
    var fault: (error: JournalError, half: [UInt8]?)?
    while !fold.isDone, let line = try reader.next() {
      let decoded: JournalLine
      do throws(Refusal) {
        decoded = try decoder.decode(line.bytes)
        // An incomplete line may lack more than its line feed.
        guard line.isComplete else { throw Refusal(.invalidLine, "it is cut off") }
      } catch {
        if let fault { throw fault.error }
        let damage = JournalError.damaged("line \(line.number) of \"\(line.file)\" is damaged: \(error.message)")
        guard line.mayBeCutOff else { throw damage }
        fault = (damage, line.isComplete ? nil : line.bytes)
        continue
      }
      if let damage = fault {
        // A killed engine left an incomplete line; the next engine began after it.
        guard case .journal(.opened, _, _) = decoded else { throw damage.error }
        fault = nil
      }
      for event in assembler.receive(decoded) { try fold.receive(event) }
    }
    if let fault, fault.half == nil { throw fault.error }
    for event in assembler.finish(cutOff: fault?.half) { try fold.receive(event) }
  }
}

/// The database and the stores of a replay.
private struct JournalFold {
  private let database: LibraryDatabase
  private let until: Int64?
  private var dispatcher: Dispatcher<Stores>?
  private var engine: JournalLine.Engine?
  private var now: Timestamp?
  private var position: LogPosition
  /// The first start that does not fit the database.
  private var passedOver: LogPosition?
  /// Whether the replay has reached its end.
  private(set) var isDone = false

  init(_ database: LibraryDatabase, until: Int64?) throws {
    self.database = database
    self.until = until
    position = try database.read { try $0.position() }
  }

  mutating func receive(_ event: JournalAssembler.Event) throws {
    guard !isDone else { return }
    switch event {
    case .start(let engine, let stamp): try start(engine, stamp)
    case .turn(let turn): try fold(turn)
    case .gap(let expected, let found):
      guard dispatcher != nil else { return }
      throw JournalError.gap(
        "behind action \(expected.sequence) (revision \(expected.revision)) the journal goes on with action "
          + "\(found.sequence) (revision \(found.revision)); what is between them is missing")
    }
  }

  /// Starts an engine's stores from the tables, as a real start does.
  private mutating func start(_ engine: JournalLine.Engine, _ stamp: LineStamp) throws {
    guard stamp.position == position else {
      guard dispatcher == nil else {
        throw JournalError.gap(
          "an engine began at revision \(stamp.revision), and the journal before it ends at \(position.revision): "
            + "another one ran in between without this journal")
      }
      passedOver = passedOver ?? stamp.position
      return
    }
    self.engine = engine
    now = stamp.time
    dispatcher = try database.read { tables in
      Dispatcher(
        state: try tables.stores(), position: try tables.position(), ledger: database.ledger(), seed: engine.seed)
    }
  }

  private mutating func fold(_ turn: JournalTurn) throws {
    guard dispatcher != nil else { return }
    guard turn.position.sequence <= until ?? .max else {
      isDone = true
      return
    }
    // Only the speed of transfers depends on the monotonic clock, and that is a reading.
    let clock = ClockReading(wall: turn.time, monotonicMilliseconds: 0)
    let turnout = try dispatcher?.dispatch(turn.actions, at: clock)
    for (index, outcome) in (turnout?.outcomes ?? []).enumerated() {
      guard case .refused(let refusal) = outcome else { continue }
      throw JournalError.diverged(
        "action \(turn.firstSequence + Int64(index)) is refused (\(refusal.message)): the journal is not of this library, "
          + "or not of this version of Podflux")
    }
    position = turn.position
    now = turn.time
  }

  func snapshot(_ query: SnapshotQuery) throws -> Snapshot {
    guard let engine, let now else {
      let beginning =
        passedOver.map { start in
          "its first start is at revision \(start.revision), and the database at \(position.revision); give "
            + "--library-snapshot a copy of podflux.sqlite taken before one of its starts"
        } ?? "no engine begins in it"
      throw JournalError.wrongBeginning("the journal cannot be folded: \(beginning)")
    }
    var snapshot = try database.read {
      try $0.snapshot(query, library: engine.library, stores: nil, kept: nil, now: now)
    }
    snapshot.engine?.version = engine.version
    return snapshot
  }
}
