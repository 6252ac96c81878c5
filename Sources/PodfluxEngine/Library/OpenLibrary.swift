import FileStore
import Flux
import Foundation
import Logging
import Persistence
import PodfluxCore
import Tagging

/// A library that an engine has opened: its folder, its lock, its database.
final class OpenLibrary: Sendable {
  let files: LibraryFiles
  let folder: Library
  /// The downloads that were publishing when the last engine ended, and whose files are published: only their rows were
  /// missing.
  let published: [DownloadID]
  private let lock: LibraryLock
  let database: LibraryDatabase
  /// The bytes in partial files after the rows' durable ones.
  let kept: KeptBytes

  init(_ configuration: EngineConfiguration) throws(EngineError) {
    do {
      let folder = try Library.open(at: configuration.libraryPath, state: configuration.statePath)
      let lock = try LibraryLock(folder)
      let recordsRoom = RecordsRoom(folder, logger: configuration.logger)
      recordsRoom.giveUpIfNeeded()
      // Before the database's file is made if it is missing.
      try folder.checkDatabase()
      for failure in try folder.makePrivate() {
        configuration.logger.warning(
          "other users of this machine may read what the library knows, such as passwords in addresses",
          metadata: ["reason": "\(failure)"])
      }
      let database = try LibraryDatabase.open(at: folder.databasePath, isNoted: folder.notesDatabase())
      do throws(FileError) {
        try folder.noteDatabase()
      } catch {
        configuration.logger.warning(
          "it cannot be noted that the library has a database; the next start tries it again",
          metadata: ["reason": "\(error)"])
      }
      recordsRoom.setAside()
      let files = LibraryFiles(
        folder, tagger: configuration.tagger.map { Tagger($0) }, logger: configuration.logger)
      for failure in files.partials.spellAnew() {
        configuration.logger.warning(
          "a partial file from another disk cannot be given its name on this one, and its download begins anew",
          metadata: ["reason": "\(failure)"])
      }
      published = try files.recover(database.read { try $0.running() })
      do throws(FileError) {
        try files.staged.clear()
      } catch {
        configuration.logger.warning(
          "what an earlier engine has left in .podflux/sidecars cannot be deleted", metadata: ["reason": "\(error)"])
      }
      kept = try KeptBytes(files.partials, bootID: Services.bootID())
      (self.folder, self.lock, self.database, self.files) = (folder, lock, database, files)
    } catch let failure as LibraryLock.Failure {
      switch failure {
      case .held(let process): throw .libraryInUse(byProcess: process)
      case .file(let error): throw .unreadableLibrary("the library cannot be locked: \(error)")
      }
    } catch let error as FileError {
      throw .unreadableLibrary("the library cannot be opened: \(error)")
    } catch {
      throw .unreadableLibrary("\(error)")
    }
  }

  /// A dispatcher whose stores start with the tables' state.
  func dispatcher(
    on ledger: any Ledger<any Tables>, seed: UInt64, journal: Journal?
  ) throws(EngineError) -> Dispatcher<Stores> {
    do {
      return try database.read { tables in
        Dispatcher(
          state: try tables.stores(), position: try tables.position(), ledger: ledger, seed: seed,
          willCommit: { journal?.willCommit($0) ?? {} })
      }
    } catch {
      throw .unreadableLibrary("\(error)")
    }
  }

  /// A snapshot of the state.
  func snapshot(_ query: SnapshotQuery, from stores: Stores, at now: Timestamp) throws -> Snapshot {
    try database.read { try $0.snapshot(query, library: folder.path, stores: stores, kept: kept, now: now) }
  }

  /// The resume data of a download; nil without kept bytes.
  func resumeData(of id: DownloadID) throws -> ResumeRecord? {
    guard let download = try database.read({ try $0.download(id) }) else {
      throw Refusal(.notFound, "there is no download \"\(id)\"", path: "payload.id")
    }
    return download.progress.resume
  }

  /// What rules would do about a feed's episodes.
  func rulesPlan(_ query: RulesQuery, from stores: Stores, at now: Timestamp) throws -> RulesPlan {
    let plan = try database.read { try $0.rulesPlan(query, at: $0.moment(stores, now: now)) }
    guard let plan else { throw Refusal(.notFound, "there is no feed \"\(query.feed)\"", path: "payload.id") }
    return plan
  }

  /// Closes the library: afterwards the process holds no lock, no open database, and no open file in it. Call it after
  /// the last use; it waits for attempts that have not ended yet, at most `closeMilliseconds`.
  func close(logger: Logger) throws {
    let databaseClosing = Result { try database.close() }
    let left = try folder.close(with: lock, upToMilliseconds: Self.closeMilliseconds)
    if left > 0 {
      logger.warning(
        "the disk is slow: files of the library are open until it has answered", metadata: ["files": "\(left)"])
    }
    try databaseClosing.get()
  }

  /// How long cancelled attempts have to close their files. With `EngineLoop.stopMilliseconds` this stays below the two
  /// seconds within which a suspension must close the library.
  private static let closeMilliseconds = 200
}

extension TableReader {
  /// A snapshot of the state. Without an engine there are no stores, and nothing is running; without partial files only
  /// the rows' durable bytes count.
  func snapshot(
    _ query: SnapshotQuery, library: String, stores: Stores?, kept: KeptBytes?, now: Timestamp
  ) throws -> Snapshot {
    let query = query.bounded
    var snapshot = Snapshot(revision: try position().revision)
    if query.stores.contains(.engine) {
      snapshot.engine = EngineSnapshot(version: Engine.version, library: library)
    }
    if query.stores.contains(.filters) {
      snapshot.filters = try filters(stores, now: now)
    }
    if query.stores.contains(.feeds) {
      snapshot.feeds = try feeds(query.feeds, refreshing: Set(stores?.podcasts.live.keys.map(\.self) ?? []))
    }
    if query.stores.contains(.episodes) {
      let selection = try (stores?.filters.states ?? filters()).episodes.selection
      snapshot.episodes = try episodes(query.episodes, filters: selection, at: moment(stores, now: now))
    }
    if query.stores.contains(.downloads) {
      snapshot.downloads = try downloads(query.downloads, stores: stores, kept: kept, now: now)
    }
    try show(query.stores, of: stores, in: &snapshot)
    if query.stores.contains(.cleanup) {
      snapshot.cleanup = try cleanup(query.stepsPage, stores?.cleanup ?? CleanupStore(runs: cleanupRuns()))
    }
    return snapshot
  }

  private func cleanup(_ request: PageRequest, _ store: CleanupStore) throws -> CleanupSnapshot {
    let (steps, next) = try cleanupSteps(request)
    return CleanupSnapshot(
      run: store.active ?? store.last, progress: store.progress, waiting: store.waiting, steps: steps, next: next)
  }

  /// The filters with their counts.
  func filters(_ stores: Stores?, now: Timestamp) throws -> FiltersSnapshot {
    try filters(stores?.filters.states ?? filters(), at: moment(stores, now: now))
  }

  /// The context that conditions need besides the rows.
  fileprivate func moment(_ stores: Stores?, now: Timestamp) throws -> ConditionMoment {
    let localTime = try (stores?.network.state ?? network()).localTime
    return ConditionMoment(
      now: now, today: localTime.day(at: now), obstacles: try stores?.downloads.obstacles ?? obstacles(now: now))
  }

  private func downloads(
    _ query: DownloadsQuery, stores: Stores?, kept: KeptBytes?, now: Timestamp
  ) throws -> DownloadsSnapshot {
    let selection = try (stores?.filters.states ?? filters()).downloads.selection
    let moment = try moment(stores, now: now)
    let (page, next) = try page(query, filters: selection, at: moment)
    let items = page.map { download in
      let live = stores?.downloads.live[download.id].flatMap { $0.isDisowned ? nil : $0 }
      return DownloadsSnapshot.Item(
        download: download, live: live, obstacle: moment.obstacles.obstacle(for: download),
        kept: kept?.bytes(of: download, live: live) ?? 0)
    }
    return DownloadsSnapshot(
      counts: try visibleCounts(moment.obstacles), bytesPerSecond: stores?.downloads.bytesPerSecond ?? 0,
      discarded: try stores?.downloads.discarded ?? discarded(), items: items, fields: query.fields, next: next)
  }
}

/// Reads a library without an engine, or beside a running one, and changes nothing.
///
/// ```swift
/// let snapshot = try LibraryReader.snapshot(ofLibraryAt: "/srv/podcasts", .init(stores: [.downloads]))
/// ```
///
/// Calls wait for the disk. Beside a running engine they show the last committed state, without what runs.
package enum LibraryReader {
  /// A snapshot of a library, whose state folder is the given one, or else the one that the library records.
  ///
  /// - Throws: `EngineError.unreadableLibrary`; it names a condition beyond `Condition.Limits` too.
  package static func snapshot(
    ofLibraryAt path: String, stateFolder state: String? = nil, _ query: SnapshotQuery
  ) throws(EngineError) -> Snapshot {
    do throws(Refusal) {
      try query.checkConditions()
    } catch {
      throw .unreadableLibrary(error.message)
    }
    return try reading(libraryAt: path, state: state) { folder, database, isInUse in
      let now = Services.clock().wall
      // While an engine writes, partial files and rows do not match.
      let kept = try isInUse ? nil : KeptBytes(Partials(folder), bootID: Services.bootID())
      var snapshot = try database.read {
        try $0.snapshot(query, library: folder.path, stores: nil, kept: kept, now: now)
      }
      if try !LibraryLock.isHeld(folder) {
        snapshot.downloads?.showNothingRunning()
        snapshot.episodes?.showNothingRunning()
        snapshot.filters?.downloads.showNothingRunning()
        snapshot.filters?.episodes.showNothingRunning()
      }
      return snapshot
    }
  }

  /// Makes sure that there is a library: its folder and its database. Whether that can be read is not looked at, and
  /// nothing is changed.
  ///
  /// - Throws: `EngineError.unreadableLibrary`.
  package static func requireLibrary(at path: String, stateFolder state: String? = nil) throws(EngineError) {
    do {
      let folder = try Library.open(at: path, state: state, mode: .existing)
      guard !FileManager.default.fileExists(atPath: folder.databasePath) else { return }
      guard try !folder.notesDatabase() else { throw LibraryDatabase.OpeningError.lost }
      throw FileError.notFound(path: folder.databasePath)
    } catch let error as FileError {
      throw .unreadableLibrary(Library.reason(notOpenedAt: path, because: error))
    } catch {
      throw .unreadableLibrary("\(error)")
    }
  }

  /// The folder of the state that a library notes; nil for a library that has its state in it, or is none.
  package static func notedStateFolder(ofLibraryAt path: String) -> String? {
    Library.notedState(at: path)
  }

  /// Whether an engine holds a library, of this process or another one.
  ///
  /// - Throws: `EngineError.unreadableLibrary`.
  package static func isInUse(libraryAt path: String, stateFolder state: String? = nil) throws(EngineError) -> Bool {
    do throws(FileError) {
      return try LibraryLock.isHeld(try Library.open(at: path, state: state, mode: .existing))
    } catch {
      throw .unreadableLibrary(Library.reason(notOpenedAt: path, because: error))
    }
  }

  /// All subscriptions of a library as OPML.
  ///
  /// - Parameters:
  ///   - path: The library's folder.
  ///   - state: The folder of its state, as for `EngineConfiguration.statePath`.
  ///   - includesSecrets: Whether addresses have their user names, passwords and tokens.
  /// - Throws: `EngineError.unreadableLibrary`.
  package static func opml(
    ofLibraryAt path: String, stateFolder state: String? = nil, includingSecrets includesSecrets: Bool
  ) throws(EngineError) -> String {
    try reading(libraryAt: path, state: state) { _, database, _ in
      try database.read { try $0.opml(includingSecrets: includesSecrets) }
    }
  }

  private static func reading<Value>(
    libraryAt path: String, state: String?, _ body: (Library, LibraryDatabase, Bool) throws -> Value
  ) throws(EngineError) -> Value {
    do {
      let folder = try Library.open(at: path, state: state, mode: .existing)
      try folder.checkDatabase()
      let isInUse = try LibraryLock.isHeld(folder)
      let database = try LibraryDatabase.openReadOnly(
        at: folder.databasePath, isInUse: isInUse, isNoted: folder.notesDatabase())
      defer { try? database.close() }
      return try body(folder, database, isInUse)
    } catch let error as FileError {
      throw .unreadableLibrary(Library.reason(notOpenedAt: path, because: error))
    } catch {
      throw .unreadableLibrary("\(error)")
    }
  }
}

extension Library {
  /// Why an existing library could not be opened, in one sentence for users: most often the path is wrong.
  static func reason(notOpenedAt path: String, because error: FileError) -> String {
    if case .mismatch(let mismatch) = error { return mismatch.description }
    guard case .notFound = error else { return "the library \"\(path)\" cannot be opened: \(error)" }
    return """
      "\(path)" is no library of Podflux; podflux add and podflux get make one there, and --library names another folder
      """
  }
}

extension FiltersSnapshot.Part {
  /// Counts running downloads as queued: without an engine nothing runs.
  fileprivate mutating func showNothingRunning() {
    for group in groups.indices where groups[group].id == .state {
      let filters = groups[group].filters
      guard let running = filters.firstIndex(where: { $0.filter.meaning == .state(.running) }),
        let queued = filters.firstIndex(where: { $0.filter.meaning == .state(.queued) })
      else { continue }
      groups[group].filters[queued].count += filters[running].count
      groups[group].filters[running].count = 0
    }
  }
}

extension EpisodesSnapshot {
  /// Shows episodes whose downloads run as queued, as `DownloadsSnapshot` does.
  fileprivate mutating func showNothingRunning() {
    for index in items.indices where items[index].state == .running { items[index].state = .queued }
  }
}

extension DownloadsSnapshot {
  /// Without an engine nothing runs: a killed engine's running downloads show as queued, as the next engine will find
  /// them.
  fileprivate mutating func showNothingRunning() {
    counts[.queued, default: 0] += counts.removeValue(forKey: .running) ?? 0
    for index in items.indices where items[index].download.state.kind == .running {
      items[index].download.state = .queued
    }
  }
}
