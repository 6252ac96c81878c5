import Dispatch
import FileStore
import Flux
import Foundation
import Logging
import PodfluxCore
import WireProtocol

/// Where an engine writes down every action that it commits, so that its run can be folded again.
public struct JournalConfiguration: Sendable {
  /// When a file is full, in bytes: 64 MiB.
  public static let defaultBytes: Int64 = 64 << 20
  /// The sizes that make sense: from 4 KiB to 1 PiB.
  public static let sizes: ClosedRange<Int64> = (4 << 10)...(1 << 50)

  /// The file that is written. Full ones lie beside it: `FILE.1` is the last, `FILE.4` the first that is kept.
  public var path: String
  /// How long a file becomes at least before another one is begun, in bytes.
  public var maximumBytes: Int64

  /// Makes a configuration.
  public init(path: String, maximumBytes: Int64 = defaultBytes) {
    self.path = path
    self.maximumBytes = maximumBytes
  }
}

/// The journal of one engine: a line for each action, written before its turn is committed.
///
/// A SIGKILL may leave a turn at the end that was never committed, never the other way round; whoever reads the journal
/// tells by what comes behind it. Nothing is synced: what a power cut takes from the file is missing there.
///
/// The lines of a large turn are made and written while the database indexes what the turn has added. Trouble with the file
/// is told once, and ends the journal, not the engine.
final class Journal: @unchecked Sendable {
  // `@unchecked`: everything that changes is touched on `queue` only.

  /// Turns of fewer actions are written at once: to wake another thread for them would take longer.
  private static let manyActions = 64

  private let configuration: JournalConfiguration
  private let logger: Logger
  private let queue = DispatchQueue(label: "podflux.journal", qos: .userInitiated)
  private var file: JournalFile?
  private var encoder = LineEncoder(sealing: true)
  private var engine: JournalLine.Engine?

  /// Opens the file; nothing is written, and the library is not touched.
  ///
  /// - Throws: `EngineError.unusableJournal`. Nothing has been changed then.
  init(_ configuration: JournalConfiguration, libraryPath: String, logger: Logger) throws(EngineError) {
    self.configuration = configuration
    self.logger = logger
    guard !Library.holds(URL(fileURLWithPath: configuration.path).deletingLastPathComponent().path, at: libraryPath)
    else {
      throw .unusableJournal(
        "the journal \"\(configuration.path)\" would lie in the library, where a cleanup takes it for an orphan; "
          + "choose a place outside")
    }
    do throws(JournalFile.Failure) {
      file = try JournalFile(path: configuration.path)
    } catch {
      throw .unusableJournal("the journal cannot be written: \(error)")
    }
  }

  /// There is no engine: takes back what opening has made.
  func discard() {
    queue.sync {
      file.take()?.discard()
    }
  }

  // MARK: Writing

  /// An engine begins; nothing has been done by it yet.
  func begin(_ engine: JournalLine.Engine, at stamp: LineStamp) {
    queue.sync {
      self.engine = engine
      encoder.journal(.opened, of: engine, at: stamp)
      flush(at: stamp)
    }
  }

  /// All of a turn has been handled, and it is about to be committed.
  ///
  /// - Returns: what is to be called before the commit: when that returns the turn's lines are written.
  func willCommit(_ turn: TurnRecord<Action>) -> () -> Void {
    guard turn.actions.count >= Self.manyActions else {
      queue.sync { write(turn) }
      return {}
    }
    queue.async { [self] in write(turn) }
    return { [queue] in queue.sync {} }
  }

  /// The engine has ended, and will commit no more.
  func end(at stamp: LineStamp) {
    queue.sync {
      encoder.journalEnd(at: stamp)
      write()
      file = nil
    }
  }

  /// Opens the file again after `end`. Trouble with it ends the journal, not the engine.
  func reopen() {
    queue.sync {
      do throws(JournalFile.Failure) {
        file = try JournalFile(path: configuration.path)
      } catch {
        logger.error("the journal ends here: it cannot be written any more", metadata: ["reason": "\(error)"])
      }
    }
  }

  /// Lets go of the file: there is no engine after all.
  func release() {
    queue.sync { file = nil }
  }

  private func write(_ turn: TurnRecord<Action>) {
    guard file != nil else { return }
    let (revision, time) = (turn.position.revision, turn.clock.wall)
    for (sequence, action) in zip(turn.firstSequence..., turn.actions) {
      encoder.action(action, sequence: sequence, revision: revision, time: time)
    }
    flush(at: LineStamp(turn.position, time: time))
  }

  /// Writes what is encoded, and begins another file if this one is full: never inside a turn.
  private func flush(at stamp: LineStamp) {
    write()
    guard let engine, let length = file?.length, length >= configuration.maximumBytes else { return }
    attempt { file throws(JournalFile.Failure) in try file.rotate() }
    encoder.journal(.continued, of: engine, at: stamp)
    write()
  }

  private func write() {
    attempt { [encoder] file throws(JournalFile.Failure) in try file.append(encoder.bytes) }
    encoder.removeAll()
  }

  private func attempt(_ body: (inout JournalFile) throws(JournalFile.Failure) -> Void) {
    guard var file = file.take() else { return }
    do throws(JournalFile.Failure) {
      try body(&file)
      self.file = consume file
    } catch {
      logger.error("the journal ends here: it cannot be written any more", metadata: ["reason": "\(error)"])
    }
  }
}

extension EngineConfiguration {
  /// The journal that is wanted, opened.
  func openedJournal() throws(EngineError) -> Journal? {
    guard let journal else { return nil }
    return try Journal(journal, libraryPath: libraryPath, logger: logger)
  }
}
