import PodfluxCore

/// The open folders on the path to a published file, each opened relative to its parent so that no link is followed.
struct FolderWalk {
  /// The folder in which the file lies.
  let folder: Descriptor
  /// The file's name in that folder.
  let name: EntryName
  /// The folders above that one, from the top of the library down, each with the name of the next one; empty if the
  /// file lies at the top.
  let parents: [(folder: Descriptor, childName: EntryName)]
  /// The folders that this walk created, the outermost first.
  private(set) var made: [EntryPath] = []

  /// Opens the folders on the path to `path`, and creates missing ones if `makingFolders` is true.
  ///
  /// If `makingFolders` and `sparingTwins` are true, it fails with `exists` instead of creating a folder that a
  /// case-insensitive disk would confuse with another. On such a disk it fails with `exists` too where a folder is
  /// spelled otherwise: another thread has just made it, and the file's path must be that on the disk.
  init(
    to path: EntryPath, in library: Library, makingFolders: Bool, sparingTwins: Bool = false
  ) throws(FileError) {
    var names = try path.names()
    name = names.removeLast()
    var folder = library.top
    var parents: [(folder: Descriptor, childName: EntryName)] = []
    var place: [UInt8] = []
    var made: [EntryPath] = []
    for name in names {
      let (child, isMade) = try Self.open(
        name, in: folder, of: library, makingFolders: makingFolders, sparingTwins: sparingTwins)
      place += (place.isEmpty ? [] : [UInt8(ascii: "/")]) + name.bytes
      if isMade { made.append(EntryPath(bytes: place)) }
      parents.append((folder, name))
      folder = child
    }
    self.folder = folder
    self.parents = parents
    self.made = made
  }

  /// The status of the file at the path, or nil if there is none.
  func status() throws(FileError) -> FileStatus? {
    try folder.statusOfChild(name)
  }

  private static func open(
    _ name: EntryName, in folder: Descriptor, of library: Library, makingFolders: Bool, sparingTwins: Bool
  ) throws(FileError) -> (folder: Descriptor, isMade: Bool) {
    let child: Descriptor
    do throws(FileError) {
      child = try folder.openFolder(name)
    } catch .notFound where makingFolders {
      if sparingTwins { try checkSpelling(of: name, in: folder, library.foldedFolders) }
      let isMade = try folder.makeFolder(name, mode: Library.Layout.folderMode)
      if sparingTwins { try library.foldedFolders.added(name, to: folder) }
      if isMade { folder.handOver(name) }
      return (try folder.openFolder(name), isMade)
    }
    if makingFolders, sparingTwins, library.ignoresCase {
      try checkSpelling(of: name, in: folder, library.foldedFolders)
    }
    return (child, false)
  }

  /// Fails if the folder has another name that a case-insensitive disk would take for this one, and not this one.
  private static func checkSpelling(
    of name: EntryName, in folder: Descriptor, _ twins: FoldedFolders
  ) throws(FileError) {
    guard let twin = try twins.twin(of: name, in: folder), twin != name else { return }
    guard try folder.statusOfChild(twin)?.kind == .folder else { throw .notAFolder(path: folder.pathOfChild(twin)) }
    throw .exists(path: folder.pathOfChild(twin))
  }
}
