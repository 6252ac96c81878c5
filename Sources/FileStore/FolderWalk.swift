import PodfluxCore

/// The folders on the way to a published file, opened one in the other so that no link is ever followed.
struct FolderWalk {
  /// The folder that holds the file.
  let folder: Descriptor
  /// The folder above it with the folder's name there, or nil if the file lies at the top.
  let parent: (folder: Descriptor, childName: String)?

  /// Opens the folders on the way to `path`, and makes them first where `makingFolders` says so.
  init(to path: LibraryPath, in library: Library, makingFolders: Bool) throws(FileError) {
    var folder = library.top
    var parent: (folder: Descriptor, childName: String)?
    for component in path.components.dropLast() {
      let child = try Self.open(component, in: folder, makingFolders: makingFolders)
      parent = (folder, component)
      folder = child
    }
    self.folder = folder
    self.parent = parent
  }

  private static func open(
    _ name: String, in folder: Descriptor, makingFolders: Bool
  ) throws(FileError) -> Descriptor {
    do throws(FileError) {
      return try folder.openFolder(name)
    } catch .notFound where makingFolders {
      try folder.makeFolder(name, mode: Library.Layout.folderMode)
      return try folder.openFolder(name)
    }
  }
}
