import Foundation
import GRDB
import Texts

/// The ways to open a database, and the checks before opening.
extension LibraryDatabase {
  /// How many pages the write-ahead log holds before a checkpoint, 16 MiB: a page that changes often is copied once.
  private static let checkpointPages = 4096
  /// The size to which a reset write-ahead log is truncated, in bytes: one large change does not keep the space.
  private static let keptLogBytes = 64 << 20
  /// Databases up to this size in bytes are checked completely before opening (about 100 ms).
  private static let fullCheckLimit = 16 << 20

  /// Opens the database for an engine; creates a missing one, and migrates an older one.
  ///
  /// If the disk supports no shared memory over files (mmap(2) with MAP_SHARED, which some FUSE servers refuse), it
  /// opens the database exclusively (`PRAGMA locking_mode = EXCLUSIVE`): other processes cannot read it meanwhile.
  ///
  /// - Parameter isNoted: Whether an engine had a database there before: then none is created, and an empty one is
  ///   rejected.
  /// - Throws: `OpeningError`; it does not touch a newer or damaged file.
  package static func open(at path: String, isNoted: Bool = false) throws -> LibraryDatabase {
    try checkNotEmptied(at: path)
    if FileManager.default.fileExists(atPath: path) {
      // Check before writing: opening for writing may already recover, migrate or truncate.
      try checkUntouched(at: path, isNoted: isNoted)
    } else if isNoted {
      throw OpeningError.lost
    }
    return try translatingErrors {
      do {
        return try upToDate(DatabaseQueue(path: path, configuration: configuration()), isExclusive: false)
      } catch let error as DatabaseError where error.isWantOfSharedMemory {
        return try openExclusively(at: path)
      }
    }
  }

  /// Opens the database exclusively for an engine, without checks.
  static func openExclusively(at path: String) throws -> LibraryDatabase {
    try upToDate(DatabaseQueue(path: path, configuration: configuration(isExclusive: true)), isExclusive: true)
  }

  /// Opens the database for reading, without an engine or beside a running one.
  ///
  /// If it cannot be read in place, because the disk has no shared memory or is read-only, this reads a temporary copy,
  /// which costs the database's size.
  ///
  /// - Parameters:
  ///   - isInUse: Whether an engine may be changing it: then a copy would be inconsistent.
  ///   - isNoted: Whether an engine had a database there before.
  package static func openReadOnly(
    at path: String, isInUse: Bool = false, isNoted: Bool = false
  ) throws -> LibraryDatabase {
    try checkNotEmptied(at: path)
    guard FileManager.default.fileExists(atPath: path) else {
      throw isNoted ? OpeningError.lost : OpeningError.missing
    }
    return try translatingErrors {
      do {
        return try checkedForReading(untouchingQueue(at: path), isNoted: isNoted)
      } catch let error as DatabaseError where error.isWantOfSharedMemory || error.isWantOfAccess {
        guard !isInUse else {
          if error.resultCode == .SQLITE_BUSY || error.isWantOfSharedMemory { throw OpeningError.exclusive }
          throw error
        }
        return try withCopy(of: path) { copy in
          try checkedForReading(
            DatabaseQueue(path: copy, configuration: configuration(readOnly: true)), isNoted: isNoted)
        }
      }
    }
  }

  /// Rejects a write-ahead log without its database: SQLite would delete it, and with it what was written last. No
  /// program that writes a library ever leaves that.
  private static func checkNotEmptied(at path: String) throws {
    guard size(ofFileAt: path) == 0, size(ofFileAt: path + "-wal") > 0 else { return }
    throw OpeningError.damaged("it is empty or gone, and its write-ahead log is there")
  }

  /// A file's length in bytes; 0 if there is none.
  private static func size(ofFileAt path: String) -> Int64 {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : 0
  }

  private static func hasTables(_ db: Database) throws -> Bool {
    try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema") != 0
  }

  private static func checkedForReading(_ queue: DatabaseQueue, isNoted: Bool) throws -> LibraryDatabase {
    try queue.read { db in
      guard try !isNoted || hasTables(db) else { throw OpeningError.lost }
      try checkOrigin(db)
      guard try Schema.migrator.hasCompletedMigrations(db) else { throw OpeningError.older }
    }
    return LibraryDatabase(queue: queue)
  }

  /// Opens or creates a temporary database: commits do not survive a power cut, and cost less.
  package static func openScratch(at path: String) throws -> LibraryDatabase {
    if FileManager.default.fileExists(atPath: path) {
      try checkUntouched(at: path)
    }
    return try translatingErrors {
      try upToDate(DatabaseQueue(path: path, configuration: configuration(isScratch: true)), isExclusive: false)
    }
  }

  /// Creates an empty database in memory. The first one costs all tables, each further one a copy of some pages.
  package static func inMemory() throws -> LibraryDatabase {
    let queue = try DatabaseQueue(configuration: configuration())
    try emptyLibrary.get().queue.backup(to: queue)
    return LibraryDatabase(queue: queue)
  }

  private static let emptyLibrary = Result {
    try upToDate(DatabaseQueue(configuration: configuration()), isExclusive: false)
  }

  // MARK: Connections

  static func configuration(
    readOnly: Bool = false, isScratch: Bool = false, isExclusive: Bool = false
  ) -> Configuration {
    var configuration = Configuration()
    configuration.readonly = readOnly
    configuration.label = "podflux.database"
    configuration.busyMode = .timeout(5)
    configuration.maximumReaderCount = 1
    configuration.prepareDatabase { db in
      // First of all, since other statements would open the log: from now on this process indexes it in private memory.
      if isExclusive { try db.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") }
      try db.execute(sql: "PRAGMA cache_size = -\(readOnly ? readingCacheKibibytes : pageCacheKibibytes)")
      db.add(function: FoldedText.folding())
      db.add(function: FoldedText.containing())
      db.add(function: FoldedText.beginningWord())
      db.add(function: ShownURLs.function())
      guard !readOnly else { return }
      try db.execute(sql: "PRAGMA journal_mode = WAL")
      try db.execute(sql: "PRAGMA synchronous = \(isScratch ? "OFF" : "FULL")")
      try db.execute(sql: "PRAGMA wal_autocheckpoint = \(checkpointPages)")
      try db.execute(sql: "PRAGMA journal_size_limit = \(keptLogBytes)")
    }
    return configuration
  }

  /// Creates the tables of a new database, or migrates an older one.
  private static func upToDate(_ queue: DatabaseQueue, isExclusive: Bool) throws -> LibraryDatabase {
    let isNew = try queue.write { db in
      guard try !hasTables(db) else { return false }
      try CurrentSchema.create(in: db)
      try TextIndex.prepare(in: db)
      return true
    }
    if !isNew {
      try Schema.migrator.migrate(queue)
      try queue.write(TextIndex.prepare)
    }
    return LibraryDatabase(queue: queue, isExclusive: isExclusive, file: DatabaseFile(path: queue.path))
  }

  private static func checkUntouched(at path: String, isNoted: Bool = false) throws {
    try translatingErrors {
      do {
        try check(untouchingQueue(at: path), isNoted: isNoted)
      } catch let error as DatabaseError where error.isWantOfSharedMemory {
        // An engine that held it exclusively was killed. The check must include the log.
        try withCopy(of: path) { copy in
          try check(DatabaseQueue(path: copy, configuration: configuration(readOnly: true)), isNoted: isNoted)
        }
      }
    }
  }

  private static func check(_ queue: DatabaseQueue, isNoted: Bool) throws {
    try queue.read { db in
      guard try hasTables(db) else {
        guard !isNoted else { throw OpeningError.lost }
        // An empty file is a library whose first start was interrupted.
        return
      }
      try checkOrigin(db)
      try checkIntegrity(db)
    }
    try queue.close()
  }

  /// Opens a copy of a closed database with its log, in a temporary folder that is deleted before this returns; an open
  /// connection keeps the copy.
  private static func withCopy<Value>(of path: String, _ open: (String) throws -> Value) throws -> Value {
    let files = FileManager.default
    let folder = files.temporaryDirectory.appendingPathComponent("podflux-copy-\(UUID().uuidString)")
    try files.createDirectory(
      at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: privateFolderMode])
    defer { try? files.removeItem(at: folder) }
    let copy = folder.appendingPathComponent("copy.sqlite").path
    for suffix in ["", "-wal"] where files.fileExists(atPath: path + suffix) {
      try files.copyItem(atPath: path + suffix, toPath: copy + suffix)
    }
    return try open(copy)
  }

  /// The database contains headers and passwords.
  private static let privateFolderMode = 0o700

  /// A connection that creates no files: even a reader creates -wal and -shm files beside a database in WAL mode.
  ///
  /// Without a -wal file no process has the database open, and its one file can be read in place (`immutable`,
  /// https://www.sqlite.org/uri.html). With one, the log must be read too.
  private static func untouchingQueue(at path: String) throws -> DatabaseQueue {
    guard !FileManager.default.fileExists(atPath: path + "-wal") else {
      return try DatabaseQueue(path: path, configuration: configuration(readOnly: true))
    }
    let url = URL(fileURLWithPath: path).absoluteString + "?immutable=1"
    return try DatabaseQueue(path: url, configuration: configuration(readOnly: true))
  }

  private static func checkOrigin(_ db: Database) throws {
    guard try Int32.fetchOne(db, sql: "PRAGMA application_id") == Schema.applicationID else {
      throw OpeningError.foreign
    }
    guard try Schema.migrator.hasBeenSuperseded(db) else { return }
    // A newer version has all migrations of this one, and more.
    guard try Schema.migrator.appliedIdentifiers(db).isSuperset(of: Schema.migrator.migrations) else {
      throw OpeningError.damaged("its list of versions is none that Podflux has written")
    }
    throw OpeningError.newer
  }

  private static func checkIntegrity(_ db: Database) throws {
    let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
    let pageSize = try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0
    guard pages * pageSize <= fullCheckLimit else { return }
    let verdict = try String.fetchOne(db, sql: "PRAGMA quick_check(1)") ?? "no answer"
    // SQLite writes its findings as lines.
    guard verdict == "ok" else { throw OpeningError.damaged(verdict.split(separator: "\n").joined(separator: " ")) }
  }

  private static func translatingErrors<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let error as DatabaseError
      // The last one is of a schema that is none of Podflux's.
      where [.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_FORMAT, .SQLITE_ERROR].contains(error.resultCode)
    {
      throw OpeningError.damaged(error.message ?? "SQLite error \(error.resultCode.rawValue)")
    } catch let error as DatabaseError {
      // GRDB's own description has the statement.
      throw StorageFailure(error)
    } catch let error as DamagedRow {
      throw OpeningError.damaged(error.fault)
    } catch is RowDecodingError {
      throw OpeningError.damaged(DamagedRow.nowhere.fault)
    }
  }
}

extension DatabaseError {
  /// Whether the disk supports no shared memory, in which all connections index the log.
  fileprivate var isWantOfSharedMemory: Bool {
    [.SQLITE_IOERR_SHMMAP, .SQLITE_IOERR_SHMOPEN, .SQLITE_IOERR_SHMSIZE, .SQLITE_IOERR_SHMLOCK].contains(
      extendedResultCode)
  }

  /// Whether another process holds the database exclusively, or the folder is not writable.
  fileprivate var isWantOfAccess: Bool {
    [.SQLITE_BUSY, .SQLITE_CANTOPEN, .SQLITE_READONLY].contains(resultCode)
  }
}
