import Glibc
import Synchronization

/// An open library: a folder of published files with the engine's own `.podflux` in it. Its state, which is the database,
/// the lock and the partial files, lies in there too or, where that disk does not suit, in a folder elsewhere.
///
/// It holds its folders open, and whatever is done later is done relative to them: renaming the library or putting a
/// link in its place while the engine runs leads nowhere else.
public final class Library: Sendable {
  /// What to do about a library that is not there.
  public enum Mode: Sendable {
    /// Make it, and the folders above it.
    case createIfMissing
    /// Fail with `FileError.notFound`, and change nothing.
    case existing
  }

  /// Where the library was opened.
  public let path: String
  /// The path of the folder of its state: `.podflux`, or the one elsewhere.
  public let statePath: String
  let top: Descriptor
  /// `.podflux`: the marker, the quarantine.
  let engineFolder: Descriptor
  /// Where database and lock are: `.podflux`, or the folder elsewhere.
  let stateFolder: Descriptor
  let partialFolder: Descriptor
  /// `.podflux/incoming`, where partial files cannot be renamed into the library: there complete ones are copied to first.
  let incomingFolder: Descriptor?
  /// Held from the making of a folder until a file is in it, and while an empty folder is removed: otherwise a deletion
  /// could take away the folder into which a file is just being published.
  let folderChanges = Mutex(())
  let folderSyncs = FolderSyncs()
  let foldedFolders = FoldedFolders()
  /// How files are moved here: found out with the first one, once for the library.
  let moves: MoveChoice
  /// How the names of partial files are spelled.
  let partialNames: PartialName.Style

  private init(_ folders: Folders, incomingFolder: Descriptor?, partialNames: PartialName.Style, firstMove: Move) {
    self.partialNames = partialNames
    self.incomingFolder = incomingFolder
    moves = MoveChoice(firstMove)
    path = folders.path
    statePath = folders.statePath
    top = folders.top
    engineFolder = folders.engine
    stateFolder = folders.state
    partialFolder = folders.partial
  }

  /// Opens the library at `path`, which may be reached over symbolic links; inside it none is followed.
  ///
  /// Makes what is missing in this order: the folder, `.podflux` (mode 0700), the marker `.podflux/library`, and `partial`
  /// in the folder of the state. A crash in between is made good by the next call. A library that has been used gets no new
  /// marker: see `isInPlace`.
  ///
  /// - Parameter state: The folder elsewhere in which database, lock and partial files are. nil for the one that the library
  ///   has noted down, or else its own `.podflux`. See `StateBinding`.
  public static func open(
    at path: String, state: String? = nil, mode: Mode = .createIfMissing
  ) throws(FileError) -> Library {
    try open(at: path, state: state, mode: mode, traits: nil)
  }

  /// Opens it as if its file system were another one: tests have few.
  ///
  /// - Parameter movesAcross: Whether the state's disk is taken for another one than the library's, which it may be.
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
    return Library(folders, incomingFolder: incomingFolder, partialNames: partialNames, firstMove: firstMove)
  }

  /// The path of the database, for SQLite, which can open files by path only.
  public var databasePath: String { statePath + "/" + Self.databaseName }
}

extension Library {
  /// The engine's names inside a library.
  enum Layout {
    static let engine: EntryName = ".podflux"
    static let binding: EntryName = "binding"
    static let bindingProbe: EntryName = "binding.probe"
    static let partial: EntryName = "partial"
    static let incoming: EntryName = "incoming"
    static let partialInUpperCase: EntryName = "PARTIAL"
    static let quarantine: EntryName = "quarantine"
    static let restored: EntryName = "restored"
    static let marker: EntryName = "library"
    static let lock: EntryName = "lock"
    static let privateFolderMode: mode_t = 0o700
    static let folderMode: mode_t = 0o777
    static let privateFileMode: mode_t = 0o600
    /// Published files get it too, less the umask: usually 0644.
    static let fileMode: mode_t = 0o666
  }

  static let marker = Array("podflux library 1\n".utf8)
  /// The database's name in the folder of the state.
  public static let databaseName = "podflux.sqlite"

  /// Like `mkdir -p`, and syncs the folder above each one that it makes.
  static func makeFolders(_ path: String, mode: mode_t = Layout.folderMode) throws(FileError) {
    do throws(FileError) {
      try systemCall("mkdir", path) { mkdir(path, mode) }
    } catch .exists {
      return
    } catch .notFound {
      guard let parent = parent(of: path), parent != path else { throw .notFound(path: path) }
      try makeFolders(parent)
      try systemCall("mkdir", path) { mkdir(path, mode) }
    }
    let parent = parent(of: path) ?? "."
    try Descriptor.openFolder(atPath: parent, shownAs: parent).synchronize()
  }

  /// The path above `path`, nil if it is the current folder. "a//b/" is below "a".
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
    if isWanted, try folder.statusOfChild(Layout.marker) == nil, try !isUnused(folder) { return }
    // Opening or reading a pipe would wait for somebody to write.
    _ = try folder.statusOfChild(Layout.marker)?.regularFile(at: folder.pathOfChild(Layout.marker))
    let file = try folder.openChild(Layout.marker, isWanted ? O_RDWR | O_CREAT : O_RDONLY, mode: Layout.fileMode)
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

  /// Whether nothing is in `.podflux` but what comes before the marker.
  private static func isUnused(_ folder: Descriptor) throws(FileError) -> Bool {
    let stream = try FolderStream(folder)
    while let name = try stream.next()?.entryName {
      guard name == Layout.partial || name == Layout.incoming else { return false }
    }
    return true
  }
}
