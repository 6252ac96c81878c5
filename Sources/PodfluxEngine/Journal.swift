import Dispatch
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
/// Lines of a large batch are encoded while the batch is still being handled, and written together. Trouble with the file is told
/// once, and ends the journal, not the engine.
final class Journal: @unchecked Sendable {
  // `@unchecked`: `pending` is touched in turns only, the rest on `queue` only, or is immutable.

  /// How many actions are handed to the queue at once.
  private static let portion = 128

  private let configuration: JournalConfiguration
  private let logger: Logger
  private let queue = DispatchQueue(label: "podflux.journal", qos: .userInitiated)
  private var file: JournalFile?
  private var encoder = LineEncoder()
  private var engine: JournalLine.Engine?
  /// What has been handled in this turn and not been handed to the queue.
  private var pending: [(action: Action, stamp: LineStamp)] = []

  /// Opens the file; nothing is written, and the library is not touched.
  ///
  /// - Throws: `EngineError.unusableJournal`. Nothing has been changed then.
  init(_ configuration: JournalConfiguration, libraryPath: String, logger: Logger) throws(EngineError) {
    self.configuration = configuration
    self.logger = logger
    guard !Self.isInside(libraryPath, configuration.path) else {
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

  /// Whether a file of this path would lie in the library, whatever links lead there. A library that is not there yet has
  /// no folder in which a file could lie.
  private static func isInside(_ libraryPath: String, _ path: String) -> Bool {
    guard let library = realPath(libraryPath),
      let folder = realPath(URL(fileURLWithPath: path).deletingLastPathComponent().path)
    else { return false }
    return folder == library || folder.hasPrefix(library + "/")
  }

  private static func realPath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
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

  /// An action has been handled; its turn may yet fail.
  func hear(_ action: Action, at position: LogPosition, _ clock: ClockReading) {
    // What a turn that failed has left is not said: the numbers come again.
    if let last = pending.last, last.stamp.sequence >= position.sequence { pending.removeAll(keepingCapacity: true) }
    pending.append((action, LineStamp(position, time: clock.wall)))
    guard pending.count == Self.portion else { return }
    let portion = pending
    pending.removeAll(keepingCapacity: true)
    queue.async { [self] in encode(portion) }
  }

  /// All of a turn has been handled, and it is about to be committed. When this returns its lines are written.
  func witness(_ turn: TurnRecord<Action>) {
    let rest = pending
    pending.removeAll(keepingCapacity: true)
    queue.sync {
      encode(rest)
      flush(at: LineStamp(turn.position, time: turn.clock.wall))
    }
  }

  /// The engine has ended, and will commit no more.
  func end(at stamp: LineStamp) {
    queue.sync {
      encoder.journalEnd(at: stamp)
      write()
      file = nil
    }
  }

  private func encode(_ portion: [(action: Action, stamp: LineStamp)]) {
    guard file != nil else { return }
    for (action, stamp) in portion {
      encoder.action(action, sequence: stamp.sequence, revision: stamp.revision, time: stamp.time)
    }
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
