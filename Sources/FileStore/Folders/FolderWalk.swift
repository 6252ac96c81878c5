import PodfluxCore

/// The folders on the way to a published file, opened one in the other so that no link is ever followed.
struct FolderWalk {
  /// The folder that holds the file.
  let folder: Descriptor
  /// The file's name there.
  let name: EntryName
  /// The folders above that one, from the top of the library down, each with the next one's name in it; none if the file
  /// lies at the top.
  let parents: [(folder: Descriptor, childName: EntryName)]
  /// The folders that were not there and have been made on the way, the outermost first.
  private(set) var made: [EntryPath] = []

  /// Opens the folders on the way to `path`, and makes them first where `makingFolders` says so.
  ///
  /// Where `sparingTwins` says so, it fails with `exists` rather than make one that a disk which does not tell case apart
  /// would take for another.
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

  /// What is at the path, or nil if nothing is.
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
