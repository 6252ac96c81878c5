import Glibc
import Synchronization

/// An open library: a folder of published files with the engine's own `.podflux`. Its state (the database, the lock and
/// the partial files) lies in `.podflux` or, if that disk does not suit, in an external state folder.
///
/// It keeps its folders open and works relative to them: renaming the library, or replacing it by a link, while the
/// engine runs does not redirect any write.
package final class Library: Sendable {
  /// How to treat a missing library.
  package enum Mode: Sendable {
    /// Create it, and the folders above it.
    case createIfMissing
    /// Fail with `FileError.notFound`, and change nothing, but for the folder of partial files of a library that has a
    /// database: that is made if it is missing.
    case existing
  }

  /// The path at which the library was opened.
  package let path: String
  /// The path of the state folder: `.podflux`, or the external one.
  package let statePath: String
  let top: Descriptor
  /// `.podflux`: the marker, the quarantine.
  let engineFolder: Descriptor
  /// The folder of database and lock: `.podflux`, or the external state folder.
  let stateFolder: Descriptor
  /// The folder of partial files: another one after a program has deleted it (`Library+PartialFolder`).
  let heldPartialFolder: Mutex<Descriptor>
  /// `.podflux/incoming`, if partial files cannot be renamed into the library: publishing copies complete ones there
  /// first.
  let incomingFolder: Descriptor?
  /// Held from creating a folder until a file is in it, and while removing an empty folder: otherwise a deletion could
  /// remove the folder into which another thread publishes.
  let folderChanges = SleepingLock(())
  let folderSyncs = FolderSyncs()
  let foldedFolders: FoldedFolders
  /// Whether the library's disk takes names that differ in case only for one: exFAT, vfat, SMB as a rule, folders of
  /// ext4 with `chattr +F`. There each new path is spelled as on the disk, however a caller asks: the library's
  /// walks find no other.
  package let ignoresCase: Bool
  /// The way to move files here; the first move determines it, once per library.
  let moves: MoveChoice
  /// The spelling of partial files' names.
  let partialNames: PartialName.Style

  private init(
    _ folders: Folders, incomingFolder: Descriptor?, partialNames: PartialName.Style, firstMove: Move, ignoresCase: Bool
  ) {
    self.partialNames = partialNames
    self.ignoresCase = ignoresCase
    foldedFolders = FoldedFolders(ignoresCase: ignoresCase)
    self.incomingFolder = incomingFolder
    moves = MoveChoice(firstMove)
    path = folders.path
    statePath = folders.statePath
    top = folders.top
    engineFolder = folders.engine
    stateFolder = folders.state
    heldPartialFolder = Mutex(folders.partial)
  }

  /// Opens the library at `path`, which may contain symbolic links; inside the library it follows none.
  ///
  /// Creates what is missing in this order: the folder, `.podflux` (mode 0700), the marker `.podflux/library`, and
  /// `partial` in the state folder. The next call repairs a crash in between. A library that has been used gets no new
  /// marker: see `isInPlace`.
  ///
  /// - Parameter state: The external folder of database, lock and partial files. With nil: the one that the library
  ///   records, or else `.podflux`. See `StateBinding`.
  package static func open(
    at path: String, state: String? = nil, mode: Mode = .createIfMissing
  ) throws(FileError) -> Library {
    try open(at: path, state: state, mode: mode, traits: nil)
  }

  /// Opens the library with the traits of another file system, for tests.
  ///
  /// - Parameter movesAcross: Whether to treat the state's disk as another one than the library's.
  static func open(
    at path: String, state: String? = nil, mode: Mode = .createIfMissing, traits: FileSystemTraits?,
    firstMove: Move = .renaming, movesAcross: Bool = false
  ) throws(FileError) -> Library {
    let folders = try Folders.open(at: path, state: state, mode, traits)
    let partialNames: PartialName.Style = try folders.tellCase() ? .plain : .portable
    var incomingFolder: Descriptor?
    if mode == .createIfMissing, folders.state !== folders.engine {
      let canRename = try folders.canRenameIntoLibrary()
      if movesAcross || !canRename { incomingFolder = try folders.engine.openFolder(Layout.incoming, mode) }
    }
    return Library(
      folders, incomingFolder: incomingFolder, partialNames: partialNames, firstMove: firstMove,
      ignoresCase: try folders.ignoreCase())
  }

  /// The path of the database: SQLite opens files by path only.
  package var databasePath: String { statePath + "/" + Self.databaseName }
}

extension Library {
  /// The engine's names in a library.
  enum Layout {
    static let engine: EntryName = ".podflux"
    static let engineInUpperCase: EntryName = ".PODFLUX"
    static let binding: EntryName = "binding"
    static let database = EntryName(Library.databaseName)
    static let databaseNote: EntryName = "database"
    static let bindingProbe: EntryName = "binding.probe"
    static let recordsRoom: EntryName = "room"
    static let partial: EntryName = "partial"
    static let incoming: EntryName = "incoming"
    static let sidecars: EntryName = "sidecars"
    static let partialInUpperCase: EntryName = "PARTIAL"
    static let quarantine: EntryName = "quarantine"
    static let restored: EntryName = "restored"
    static let marker: EntryName = "library"
    static let lock: EntryName = "lock"
    static let privateFolderMode: mode_t = 0o700
    static let folderMode: mode_t = 0o777
    static let privateFileMode: mode_t = 0o600
    /// The mode of new files, published ones included, before the umask: usually 0644.
    static let fileMode: mode_t = 0o666
  }

  static let marker = Array("podflux library 1\n".utf8)
  /// The database's name in the state folder.
  package static let databaseName = "podflux.sqlite"
  /// The name of the file with the secrets of sessions in the state folder.
  package static let secretsName = "secrets"
  /// The longest path of a state folder, links resolved, in bytes. SQLite takes a path of 512 bytes (MAX_PATHNAME in
  /// os_unix.c), of which the names of the database and of its journal need some.
  package static let maximumStatePathBytes = 512 - "/\(databaseName)-journal".utf8.count

  /// Whether names that the disk would take for one are kept apart: where that is wanted, and where it does so itself.
  func sparesTwins(_ isWanted: Bool) -> Bool { isWanted || ignoresCase }

  /// Creates folders like `mkdir -p`, and syncs the parent of each one that it creates.
  static func makeFolders(_ path: String, mode: mode_t = Layout.folderMode) throws(FileError) {
    do throws(FileError) {
      try makeFolder(path, mode: mode)
    } catch .notFound {
      guard let parent = parent(of: path), parent != path else { throw .notFound(path: path) }
      try makeFolders(parent)
      // Of "a/.", "a" was the missing one, and is there now.
      try makeFolder(path, mode: mode)
    }
  }

  /// Creates a folder and syncs its parent; does nothing if it exists already.
  private static func makeFolder(_ path: String, mode: mode_t) throws(FileError) {
    let parent = parent(of: path) ?? "."
    do throws(FileError) {
      try systemCall("mkdir", path) { mkdir(path, mode) }
    } catch .exists {
      return
    } catch .denied {
      // Where a folder further up may not be searched, the parent's permissions say nothing.
      guard let parent = realPath(parent) else { throw .denied(path: path) }
      throw faccessat(AT_FDCWD, parent, W_OK | X_OK, AT_EACCESS) == 0
        ? .denied(path: path) : .folderDenied(path: parent)
    }
    try Descriptor.openFolder(atPath: parent, shownAs: parent).synchronize()
  }

  /// The path above `path`, or nil if that is the current folder. The parent of "a//b/" is "a".
  static func parent(of path: String) -> String? {
    let slash = UInt8(ascii: "/")
    guard let end = path.utf8.lastIndex(where: { $0 != slash }) else { return nil }
    guard let separator = path.utf8[..<end].lastIndex(of: slash) else { return nil }
    guard let parentEnd = path.utf8[..<separator].lastIndex(where: { $0 != slash }) else { return "/" }
    return String(path[...parentEnd])
  }

  /// Checks the marker, and writes it if it is missing or, after a crash, empty.
  static func checkMarker(in folder: Descriptor, _ mode: Mode) throws(FileError) {
    let isWanted = mode == .createIfMissing
    if try folder.statusOfChild(Layout.marker) == nil, try !isUnused(folder) { return }
    // Opening or reading a pipe would block until a writer comes.
    _ = try folder.statusOfChild(Layout.marker)?.regularFile(at: folder.pathOfChild(Layout.marker))
    let file =
      isWanted
      ? try folder.makeChild(Layout.marker, O_RDWR, mode: Layout.fileMode)
      : try folder.openChild(Layout.marker, O_RDONLY)
    let found = try file.read(offset: 0, count: marker.count + 1)
    if found.isEmpty, isWanted {
      let outcome = marker.withUnsafeBytes { file.write($0, offset: 0) }
      if let failure = outcome.failure { throw failure }
      try file.synchronize()
      try folder.synchronize()
    } else if found != marker {
      throw .unknownFormat(path: file.path)
    }
  }

  /// Whether `.podflux` contains only what the engine creates before the marker.
  private static func isUnused(_ folder: Descriptor) throws(FileError) -> Bool {
    let stream = try FolderStream(folder)
    while let name = try stream.next()?.entryName {
      guard name == Layout.partial || name == Layout.incoming else { return false }
    }
    return true
  }
}
