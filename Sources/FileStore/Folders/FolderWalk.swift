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
  /// If `sparingTwins` is true, it fails with `exists` instead of creating a folder that a case-insensitive disk would
  /// confuse with another.
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
      let twins = sparingTwins ? library.foldedFolders : nil
      let (child, isMade) = try Self.open(name, in: folder, makingFolders: makingFolders, sparing: twins)
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
    _ name: EntryName, in folder: Descriptor, makingFolders: Bool, sparing twins: FoldedFolders?
  ) throws(FileError) -> (folder: Descriptor, isMade: Bool) {
    do throws(FileError) {
      return (try folder.openFolder(name), false)
    } catch .notFound where makingFolders {
      if let twin = try twins?.twin(of: name, in: folder), twin != name {
        guard try folder.statusOfChild(twin)?.kind == .folder else {
          throw .notAFolder(path: folder.pathOfChild(twin))
        }
        throw .exists(path: folder.pathOfChild(twin))
      }
      let isMade = try folder.makeFolder(name, mode: Library.Layout.folderMode)
      try twins?.added(name, to: folder)
      return (try folder.openFolder(name), isMade)
    }
  }
}
