import CLinux
import Glibc

extension Library {
  /// The folders of an open library.
  struct Folders {
    let path: String
    let statePath: String
    let top: Descriptor
    let engine: Descriptor
    /// The same descriptor as `engine` if the state lies in the library.
    let state: Descriptor
    let partial: Descriptor

    /// Opens the folders, and creates missing ones if the mode says so.
    static func open(
      at path: String, state statePath: String?, _ mode: Mode, _ traits: FileSystemTraits?
    ) throws(FileError) -> Folders {
      try checkLength(ofLibraryAt: path, state: statePath)
      guard let statePath else { return try open(at: path, mode, traits) }
      guard !holds(statePath, at: path) else { throw .mismatch(.stateInLibrary(state: statePath)) }
      let openFiles = OpenFiles()
      let noted = try StateBinding.noted(byLibraryAt: path, shownAs: Descriptor.topPath)
      let state = try openState(statePath, mode, openFiles, of: (path, noted))
      let binding = try StateBinding.read(Layout.binding, in: state)
      if binding == nil, noted == nil, mode == .createIfMissing {
        try StateBinding.checkNothingElse(isIn: state, at: statePath)
      }
      let (top, engine) = try openTop(path, binding == nil ? mode : .existing, traits, openFiles, of: binding)
      try StateBinding.bind(
        library: (path, engine), state: (realPath(statePath) ?? statePath, state), mode)
      return try Folders(
        path: path, statePath: statePath, top: top, engine: engine, state: state,
        partial: openPartialFolder(in: state, mode))
    }

    /// Makes sure, before anything is made, that SQLite can open a database in the state folder.
    private static func checkLength(ofLibraryAt path: String, state: String?) throws(FileError) {
      let usual = path + "/" + Layout.engine.text
      let folder = resolved(state ?? usual)
      guard folder.utf8.count > maximumStatePathBytes else { return }
      if state == nil, try StateBinding.noted(byLibraryAt: path, shownAs: Descriptor.topPath) != nil { return }
      throw .longStatePath(path: folder)
    }

    /// Opens the state folder, and creates it if it is missing and the mode says so, but never if the library records
    /// one.
    private static func openState(
      _ path: String, _ mode: Mode, _ openFiles: OpenFiles, of library: (path: String, noted: StateBinding?)
    ) throws(FileError) -> Descriptor {
      do throws(FileError) {
        return try Descriptor.openFolder(atPath: path, shownAs: path, openFiles: openFiles)
      } catch .notFound {
        if let last = library.noted?.path, mode == .createIfMissing || last == resolved(path) {
          throw .mismatch(.stateElsewhere(library: library.path, last: last))
        }
        guard mode == .createIfMissing else { throw .mismatch(.noState(state: path)) }
        try makeFolders(path, mode: Layout.privateFolderMode)
        return try Descriptor.openFolder(atPath: path, shownAs: path, openFiles: openFiles)
      }
    }

    /// Opens the folders, with the state folder that the library records, if any.
    private static func open(
      at path: String, _ mode: Mode, _ traits: FileSystemTraits?
    ) throws(FileError) -> Folders {
      let openFiles = OpenFiles()
      let (top, engine) = try openTop(path, mode, traits, openFiles, of: nil)
      guard let binding = try StateBinding.read(Layout.binding, in: engine) else {
        return try Folders(
          path: path, statePath: path + "/" + Layout.engine.text, top: top, engine: engine, state: engine,
          partial: openPartialFolder(in: engine, mode))
      }
      let state: Descriptor
      do throws(FileError) {
        state = try Descriptor.openFolder(atPath: binding.path, shownAs: binding.path, openFiles: openFiles)
      } catch .notFound {
        throw .mismatch(.stateElsewhere(library: path, last: binding.path))
      }
      try StateBinding.bind(library: (path, engine), state: (binding.path, state), mode)
      return try Folders(
        path: path, statePath: binding.path, top: top, engine: engine, state: state,
        partial: openPartialFolder(in: state, mode))
    }

    /// Opens the folder of partial files. It is made where a database is, too: programs that copy libraries leave out
    /// folders in which nothing is.
    private static func openPartialFolder(in state: Descriptor, _ mode: Mode) throws(FileError) -> Descriptor {
      let database = try state.statusOfChild(Layout.database)
      return try state.openFolder(Layout.partial, database == nil ? mode : .createIfMissing)
    }

    /// Opens the library's own folders.
    ///
    /// - Parameter binding: The binding in an external state folder. With one, the library must exist.
    private static func openTop(
      _ path: String, _ mode: Mode, _ traits: FileSystemTraits?, _ openFiles: OpenFiles, of binding: StateBinding?
    ) throws(FileError) -> (top: Descriptor, engine: Descriptor) {
      do throws(FileError) {
        if mode == .createIfMissing { try makeFolders(path) }
        let top = try Descriptor.openFolder(
          atPath: path, shownAs: Descriptor.topPath, traits: traits, openFiles: openFiles)
        let engine = try top.openFolder(Layout.engine, mode)
        try checkMarker(in: engine, mode)
        return (top, engine)
      } catch .notFound(let missing) {
        guard let binding else { throw .notFound(path: missing) }
        throw .mismatch(.libraryElsewhere(library: path, last: binding.path))
      }
    }

    /// Whether the disk is case-sensitive: then the folder of partial files has one name.
    func tellCase() throws(FileError) -> Bool {
      guard let other = try state.statusOfChild(Layout.partialInUpperCase) else { return true }
      let own = try partial.status().identity
      return own.hasLastingInode && other.identity.inode != own.inode
    }

    /// Whether the library's disk takes names that differ in case only for one. Where inodes do not last, FUSE servers
    /// give two spellings two inodes.
    func ignoreCase() throws(FileError) -> Bool {
      guard let other = try top.statusOfChild(Layout.engineInUpperCase) else { return false }
      let own = try engine.status().identity
      return !own.hasLastingInode || other.identity.inode == own.inode
    }

    /// Whether a file can be renamed from the state folder into the library; tries it with an empty file. Device
    /// numbers do not tell: one device can be mounted twice, and rename(2) fails with EXDEV between its mounts.
    ///
    /// Call it after the two are bound: before that, the state folder may belong to another program.
    func canRenameIntoLibrary() throws(FileError) -> Bool {
      let probe = Layout.bindingProbe
      // An engine that was killed between creating and removing the probe left it.
      if let left = try state.statusOfChild(probe), left.kind == .regular, left.identity.size == 0 {
        _ = try state.deleteFile(probe)
      }
      _ = try state.makeChild(probe, O_WRONLY | O_EXCL | O_NONBLOCK, mode: Layout.privateFileMode)
      do throws(FileError) {
        try state.moveChild(probe, to: probe, in: engine)
      } catch .crossDevice {
        _ = try state.deleteFile(probe)
        return false
      }
      _ = try engine.deleteFile(probe)
      return true
    }
  }

  /// Whether the entry at `path`, which need not exist, lies in the library at `libraryPath`, which need not exist
  /// either. Resolves symbolic links.
  package static func holds(_ path: String, at libraryPath: String) -> Bool {
    let (place, library) = (resolved(path), resolved(libraryPath))
    return place == library || place.hasPrefix(library == "/" ? library : library + "/")
  }

  /// The path with its links resolved. For a missing entry: the nearest existing folder's resolved path, then the
  /// missing names.
  private static func resolved(_ path: String) -> String {
    if let real = realPath(path) { return real }
    let slash = UInt8(ascii: "/")
    let parent = parent(of: path)
    let name = path.utf8.split(separator: slash).last.map { String(decoding: $0, as: UTF8.self) } ?? ""
    let above = parent.map { $0 == path ? $0 : resolved($0) } ?? realPath(".") ?? "."
    switch name {
    case "", ".": return above
    case "..": return Self.parent(of: above) ?? above
    default: return above == "/" ? above + name : above + "/" + name
    }
  }

  static func realPath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}

extension Library {
  /// The `.podflux` of the library at `path`, or nil if there is none. Creates nothing.
  static func engineFolder(ofLibraryAt path: String, shownAs shownPath: String) throws(FileError) -> Descriptor? {
    do throws(FileError) {
      return try Descriptor.openFolder(atPath: path, shownAs: shownPath).openFolder(Layout.engine)
    } catch .notFound {
      return nil
    } catch .notAFolder {
      return nil
    } catch .symbolicLink {
      return nil
    }
  }
}

extension Descriptor {
  /// Opens one of the engine's own folders, and creates it first if the mode says so.
  func openFolder(_ name: EntryName, _ mode: Library.Mode) throws(FileError) -> Descriptor {
    if mode == .createIfMissing { try makeFolder(name, mode: Library.Layout.privateFolderMode) }
    return try openFolder(name)
  }
}
