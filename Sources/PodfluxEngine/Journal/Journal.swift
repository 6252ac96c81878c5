import Dispatch
import FileStore
import Flux
import Foundation
import Logging
import PodfluxCore
import WireProtocol

/// Where an engine writes its journal, the file with every committed action for later replay, and how large it may be.
///
/// ```swift
/// configuration.journal = JournalConfiguration(path: "/var/log/podflux.jsonl")
/// ```
///
/// The engine keeps at most five files, each of little more than `maximumBytes`. It does not start if the path cannot
/// be written; a write that fails later ends the journal, not the engine.
public struct JournalConfiguration: Sendable {
  /// The default size of a full file, in bytes: 64 MiB.
  public static let defaultBytes: Int64 = 64 << 20
  /// The accepted sizes: from 4 KiB to 1 PiB.
  public static let sizes: ClosedRange<Int64> = (4 << 10)...(1 << 50)

  /// The current file. Full ones lie beside it: `FILE.1` is the newest, `FILE.4` the oldest one kept.
  public var path: String
  /// The size from which the journal starts the next file, in bytes; one of `sizes`.
  public var maximumBytes: Int64

  public init(path: String, maximumBytes: Int64 = defaultBytes) {
    self.path = path
    self.maximumBytes = maximumBytes
  }
}

/// The journal of one engine: one line for each action, written before its turn commits.
///
/// A SIGKILL may leave a turn at the end that never committed, but a committed turn is never missing; a reader
/// recognizes the former by the lines after it. It does not sync: a power cut may lose lines.
///
/// The lines of a large turn are encoded and written while the database indexes the turn's rows. A write error is
/// logged once, and ends the journal, not the engine.
final class Journal: @unchecked Sendable {
  // `@unchecked`: mutable state is used on `queue` only.

  /// Turns with fewer actions are written at once: waking another thread would take longer.
  private static let manyActions = 64

  private let configuration: JournalConfiguration
  private let logger: Logger
  private let queue = DispatchQueue(label: "podflux.journal", qos: .default)
  private var file: JournalFile?
  private var encoder = LineEncoder(sealing: true)
  private var engine: JournalLine.Engine?

  /// Opens the file; writes nothing, and does not touch the library.
  ///
  /// - Throws: `EngineError.unusableJournal`; nothing has been changed then.
  init(_ configuration: JournalConfiguration, libraryPath: String, logger: Logger) throws(EngineError) {
    self.configuration = configuration
    self.logger = logger
    guard JournalConfiguration.sizes.contains(configuration.maximumBytes) else {
      let sizes = JournalConfiguration.sizes
      throw .unusableJournal(
        "a journal's file has \(sizes.lowerBound) to \(sizes.upperBound) bytes, not \(configuration.maximumBytes)")
    }
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

  /// The engine did not start: deletes a file that opening has created.
  func discard() {
    queue.sync {
      file.take()?.discard()
    }
  }

  // MARK: Writing

  /// Writes the line of an engine's start.
  func begin(_ engine: JournalLine.Engine, at stamp: LineStamp) {
    queue.sync {
      self.engine = engine
      encoder.journal(.opened, of: engine, at: stamp)
      flush(at: stamp)
    }
  }

  /// Writes a handled turn that is about to commit.
  ///
  /// - Returns: A closure to call before the commit: when it returns, the turn's lines are written.
  func willCommit(_ turn: TurnRecord<Action>) -> () -> Void {
    guard turn.actions.count >= Self.manyActions else {
      queue.sync { write(turn) }
      return {}
    }
    queue.async { [self] in write(turn) }
    return { [queue] in queue.sync {} }
  }

  /// Writes the line of the engine's end, after the last commit.
  func end(at stamp: LineStamp) {
    queue.sync {
      encoder.journalEnd(at: stamp)
      write()
      file = nil
    }
  }

  /// Opens the file again after `end`. An error ends the journal, not the engine.
  func reopen() {
    queue.sync {
      do throws(JournalFile.Failure) {
        file = try JournalFile(path: configuration.path)
      } catch {
        logger.error("the journal ends here: it cannot be written any more", metadata: ["reason": "\(error)"])
      }
    }
  }

  /// Closes the file if the engine failed to start.
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

  /// Writes the encoded lines, and starts another file if this one is full, but never inside a turn.
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
  /// The configured journal, opened.
  func openedJournal() throws(EngineError) -> Journal? {
    guard let journal else { return nil }
    return try Journal(journal, libraryPath: libraryPath, logger: logger)
  }
}
