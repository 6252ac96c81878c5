import Glibc

/// The folder of partial files, `.podflux/partial`.
package struct Partials: Sendable {
  /// How to treat a missing partial file.
  package enum Mode: Sendable {
    /// Create an empty one.
    case createIfMissing
    /// Fail with `FileError.notFound`.
    case existing
  }

  private let library: Library
  private let names: PartialName.Style
  private let syncs: FolderSyncs
  private let writesDirectly: Bool

  package init(_ library: Library) {
    self.library = library
    names = library.partialNames
    syncs = library.folderSyncs
    writesDirectly = library.partialFolder.suitsDirectWrites
  }

  private var folder: Descriptor { library.partialFolder }

  /// Does something in the folder, which is made anew where a program has deleted it: the engine keeps it open, and
  /// nothing can be made in what is gone.
  private func inFolder<Result>(
    _ body: (_ folder: Descriptor) throws(FileError) -> Result
  ) throws(FileError) -> Result {
    let folder = folder
    do throws(FileError) {
      return try body(folder)
    } catch .notFound {
      return try body(library.partialFolder(insteadOf: folder))
    }
  }

  /// Opens a partial file for appending. Refuses a symbolic link.
  package func open(_ name: PartialName, mode: Mode = .createIfMissing) throws(FileError) -> PartialFile {
    let fileName = names.fileName(of: name)
    let (file, folder) =
      switch mode {
      case .createIfMissing:
        try inFolder { (folder) throws(FileError) in
          (try folder.makeChild(fileName, O_RDWR, mode: Library.Layout.fileMode), folder)
        }
      case .existing: (try folder.openChild(fileName, O_RDWR), folder)
      }
    return try PartialFile(file, named: fileName, in: folder, syncs: syncs, writesDirectly: writesDirectly)
  }

  /// The identity of a partial file, or nil if there is none. Costs one stat.
  package func identity(of name: PartialName) throws(FileError) -> FileIdentity? {
    let fileName = names.fileName(of: name)
    return try folder.statusOfChild(fileName)?.regularFile(at: folder.pathOfChild(fileName))
  }

  /// Deletes a partial file. Returns false if there was none, which is no error.
  @discardableResult
  package func delete(_ name: PartialName) throws(FileError) -> Bool {
    try folder.deleteFile(names.fileName(of: name))
  }

  /// Lists all partial files, in no order. Costs one stat for each; memory does not grow with their number.
  package func list() throws(FileError) -> PartialListing {
    try PartialListing(folder, spelled: names)
  }

  /// Renames partial files from a disk with another spelling to this disk's. Call it with the lock held, before any
  /// file is opened. If a name is taken, the file stays, as an orphan.
  ///
  /// - Returns: The errors for files that could not be renamed.
  package func spellAnew() -> [FileError] {
    var failures: [FileError] = []
    do throws(FileError) {
      let misspelled = try misspelled()
      guard !misspelled.isEmpty else { return [] }
      let moves = MoveChoice(.renaming)
      for (fileName, name) in misspelled {
        do throws(FileError) {
          try moves.perform(fileName, in: folder, to: names.fileName(of: name), in: folder, isOwnFolder: true)
        } catch .exists {
          continue
        } catch {
          failures.append(error)
        }
      }
      try folder.synchronize()
    } catch {
      failures.append(error)
    }
    return failures
  }

  private func misspelled() throws(FileError) -> [(fileName: EntryName, name: PartialName)] {
    // Each start lists them, so it reads the status only of files with a wrong name.
    let stream = try FolderStream(folder)
    var found: [(fileName: EntryName, name: PartialName)] = []
    while let fileName = try stream.next()?.entryName {
      guard let name = PartialName(fileName: fileName), names.fileName(of: name) != fileName,
        try folder.statusOfChild(fileName)?.kind == .regular
      else { continue }
      found.append((fileName, name))
    }
    return found
  }
}
