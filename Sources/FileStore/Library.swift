import Glibc
import Synchronization

/// An open library: a folder of published files with the engine's own `.podflux` in it.
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
  let top: Descriptor
  let engineFolder: Descriptor
  let partialFolder: Descriptor
  /// Held from the making of a folder until a file is in it, and while an empty folder is removed: otherwise a deletion
  /// could take away the folder into which a file is just being published.
  let folderChanges = Mutex(())
  let folderSyncs = FolderSyncs()
  let foldedFolders = FoldedFolders()
  /// How files are moved here: found out with the first one, once for the library.
  let moves: MoveChoice
  /// How the names of partial files are spelled.
  let partialNames: PartialName.Style

  private init(
    path: String, top: Descriptor, engineFolder: Descriptor, partialFolder: Descriptor, partialNames: PartialName.Style,
    firstMove: Move
  ) {
    self.partialNames = partialNames
    moves = MoveChoice(firstMove)
    self.path = path
    self.top = top
    self.engineFolder = engineFolder
    self.partialFolder = partialFolder
  }

  /// Opens the library at `path`, which may be reached over symbolic links; inside it none is followed.
  ///
  /// Makes what is missing in this order: the folder, `.podflux` (mode 0700), `.podflux/partial`, and last the marker
  /// `.podflux/library`. A crash in between is made good by the next call. A library that has been used gets no new marker:
  /// see `isInPlace`.
  public static func open(at path: String, mode: Mode = .createIfMissing) throws(FileError) -> Library {
    try open(at: path, mode: mode, traits: nil)
  }

  /// Opens it as if its file system were another one: tests have few.
  static func open(
    at path: String, mode: Mode = .createIfMissing, traits: FileSystemTraits?, firstMove: Move = .renaming
  ) throws(FileError) -> Library {
    if mode == .createIfMissing {
      try makeFolders(path)
    }
    let top = try Descriptor.openFolder(atPath: path, shownAs: Descriptor.topPath, traits: traits)
    let engineFolder = try openFolder(Layout.engine, in: top, mode)
    let partialFolder = try openFolder(Layout.partial, in: engineFolder, mode)
    try checkMarker(in: engineFolder, mode)
    return Library(
      path: path, top: top, engineFolder: engineFolder, partialFolder: partialFolder,
      partialNames: try tellsCase(engineFolder, partialFolder) ? .plain : .portable, firstMove: firstMove)
  }

  /// The path of `.podflux`, for those who can open files by path only, such as SQLite.
  public var engineFolderPath: String {
    path + "/" + Layout.engine.text
  }
}

extension Library {
  /// The engine's names inside a library.
  enum Layout {
    static let engine: EntryName = ".podflux"
    static let partial: EntryName = "partial"
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

  private static func openFolder(
    _ name: EntryName, in parent: Descriptor, _ mode: Mode
  ) throws(FileError) -> Descriptor {
    if mode == .createIfMissing {
      try parent.makeFolder(name, mode: Layout.privateFolderMode)
    }
    return try parent.openFolder(name)
  }

  /// Whether names that differ in case only are different names: then the folder of partial files has one name.
  private static func tellsCase(_ engineFolder: Descriptor, _ partialFolder: Descriptor) throws(FileError) -> Bool {
    guard let other = try engineFolder.statusOfChild(Layout.partialInUpperCase) else { return true }
    let own = try partialFolder.status().identity
    return own.hasLastingInode && other.identity.inode != own.inode
  }

  /// Like `mkdir -p`, and syncs the folder above each one that it makes.
  private static func makeFolders(_ path: String) throws(FileError) {
    do throws(FileError) {
      try systemCall("mkdir", path) { mkdir(path, Layout.folderMode) }
    } catch .exists {
      return
    } catch .notFound {
      guard let parent = parent(of: path), parent != path else { throw .notFound(path: path) }
      try makeFolders(parent)
      try systemCall("mkdir", path) { mkdir(path, Layout.folderMode) }
    }
    let parent = parent(of: path) ?? "."
    try Descriptor.openFolder(atPath: parent, shownAs: parent).synchronize()
  }

  /// The path above `path`, nil if it is the current folder. "a//b/" is below "a".
  private static func parent(of path: String) -> String? {
    let slash = UInt8(ascii: "/")
    guard let end = path.utf8.lastIndex(where: { $0 != slash }) else { return nil }
    guard let separator = path.utf8[..<end].lastIndex(of: slash) else { return nil }
    guard let parentEnd = path.utf8[..<separator].lastIndex(where: { $0 != slash }) else { return "/" }
    return String(path[...parentEnd])
  }

  /// Checks the marker, and writes it if it is missing or, after a crash, empty.
  private static func checkMarker(in folder: Descriptor, _ mode: Mode) throws(FileError) {
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
      guard name == Layout.partial else { return false }
    }
    return true
  }
}
