import CLinux
import Glibc

extension Library {
  /// The folders that a library is opened with, and which of them are made.
  struct Folders {
    let path: String
    let statePath: String
    let top: Descriptor
    let engine: Descriptor
    /// The same descriptor as `engine` where the state is in the library.
    let state: Descriptor
    let partial: Descriptor

    /// Opens them, and makes what is missing where that is wanted.
    static func open(
      at path: String, state statePath: String?, _ mode: Mode, _ traits: FileSystemTraits?
    ) throws(FileError) -> Folders {
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
        partial: state.openFolder(Layout.partial, mode))
    }

    /// Opens the folder of the state, and makes it where it is missing and that is wanted, but not where the library has
    /// noted down that it has one.
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

    /// Opens them where the library itself has noted down, if anywhere, where its state is.
    private static func open(
      at path: String, _ mode: Mode, _ traits: FileSystemTraits?
    ) throws(FileError) -> Folders {
      let openFiles = OpenFiles()
      let (top, engine) = try openTop(path, mode, traits, openFiles, of: nil)
      guard let binding = try StateBinding.read(Layout.binding, in: engine) else {
        return try Folders(
          path: path, statePath: path + "/" + Layout.engine.text, top: top, engine: engine, state: engine,
          partial: engine.openFolder(Layout.partial, mode))
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
        partial: state.openFolder(Layout.partial, mode))
    }

    /// Opens the library's own folders.
    ///
    /// - Parameter binding: What its state elsewhere knows of it: then it must be there.
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

    /// Whether names that differ in case only are different names: then the folder of partial files has one name.
    func tellCase() throws(FileError) -> Bool {
      guard let other = try state.statusOfChild(Layout.partialInUpperCase) else { return true }
      let own = try partial.status().identity
      return own.hasLastingInode && other.identity.inode != own.inode
    }

    /// Whether a file can be renamed from the state's folder into the library: tried with an empty one. Device numbers do not
    /// tell: one device can be mounted twice, and between its mounts nothing is renamed (rename(2), EXDEV).
    ///
    /// To be called when the two are bound: before that the state's folder may be anybody's.
    func canRenameIntoLibrary() throws(FileError) -> Bool {
      let probe = Layout.bindingProbe
      // An engine that was killed just here has left it.
      if let left = try state.statusOfChild(probe), left.kind == .regular, left.identity.size == 0 {
        _ = try state.deleteFile(probe)
      }
      _ = try state.openChild(probe, O_WRONLY | O_CREAT | O_EXCL | O_NONBLOCK, mode: Layout.privateFileMode)
      do throws(FileError) {
        try systemCall("renameat", engine.pathOfChild(probe)) {
          renameat(state.number, probe.cString, engine.number, probe.cString)
        }
      } catch .crossDevice {
        _ = try state.deleteFile(probe)
        return false
      }
      _ = try engine.deleteFile(probe)
      return true
    }
  }

  /// Whether what is at `path`, or would be made there, lies in the library at `libraryPath`, which may have to be made too,
  /// whatever links lead there.
  public static func holds(_ path: String, at libraryPath: String) -> Bool {
    let (place, library) = (resolved(path), resolved(libraryPath))
    return place == library || place.hasPrefix(library == "/" ? library : library + "/")
  }

  /// The path without links of what is at `path` or would be made there: that of the nearest folder above it that is there,
  /// and behind it the names that are missing.
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
  /// The `.podflux` of the library at `path`; nil where there is none. Makes nothing.
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
  /// Opens a folder of the engine's own, and makes it first where that is wanted.
  func openFolder(_ name: EntryName, _ mode: Library.Mode) throws(FileError) -> Descriptor {
    if mode == .createIfMissing { try makeFolder(name, mode: Library.Layout.privateFolderMode) }
    return try openFolder(name)
  }
}
