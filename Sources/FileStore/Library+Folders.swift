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
      if mode == .createIfMissing { try makeFolders(statePath, mode: Layout.privateFolderMode) }
      let openFiles = OpenFiles()
      let state = try Descriptor.openFolder(atPath: statePath, shownAs: statePath, openFiles: openFiles)
      let binding = try StateBinding.read(Layout.binding, in: state)
      let (top, engine) = try openTop(path, binding == nil ? mode : .existing, traits, openFiles, of: binding)
      try StateBinding.settle(
        library: (path, engine), state: (realPath(statePath) ?? statePath, state), mode)
      return try Folders(
        path: path, statePath: statePath, top: top, engine: engine, state: state,
        partial: state.openFolder(Layout.partial, mode))
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
      let mismatch = FileError.mismatch(.stateElsewhere(library: path, last: binding.path))
      let state: Descriptor
      do throws(FileError) {
        state = try Descriptor.openFolder(atPath: binding.path, shownAs: binding.path, openFiles: openFiles)
      } catch .notFound {
        throw mismatch
      }
      guard try StateBinding.read(Layout.binding, in: state)?.id == binding.id else { throw mismatch }
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
    func canRenameIntoLibrary() throws(FileError) -> Bool {
      let probe: EntryName = "probe"
      _ = try state.openChild(probe, O_WRONLY | O_CREAT, mode: Layout.privateFileMode)
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

  /// Whether what is at `path`, or would be made there, lies in the library at `libraryPath`, whatever links lead there. In a
  /// library that is not there yet nothing lies.
  public static func holds(_ path: String, at libraryPath: String) -> Bool {
    guard let library = realPath(libraryPath) else { return false }
    var place = path
    while true {
      if let real = realPath(place) { return real == library || real.hasPrefix(library + "/") }
      guard let parent = parent(of: place), parent != place else {
        return realPath(".").map { $0 == library || $0.hasPrefix(library + "/") } ?? false
      }
      place = parent
    }
  }

  static func realPath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}

extension Descriptor {
  /// Opens a folder of the engine's own, and makes it first where that is wanted.
  func openFolder(_ name: EntryName, _ mode: Library.Mode) throws(FileError) -> Descriptor {
    if mode == .createIfMissing { try makeFolder(name, mode: Library.Layout.privateFolderMode) }
    return try openFolder(name)
  }
}
