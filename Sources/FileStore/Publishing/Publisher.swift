import Glibc
import PodfluxCore

/// Moves finished files from the partial folder, or from `Incoming`, to their place in the library, never over another file.
///
/// Each call can be made again after a crash at any point and comes to the same end.
public struct Publisher: Sendable {
  /// How a publication came about.
  public enum Publication: Hashable, Sendable {
    /// The file was moved now, into folders of which these had to be made, the outermost first.
    case published(FileIdentity, madeFolders: [EntryPath])
    /// An earlier call, perhaps before a crash, had moved it.
    case alreadyPublished(FileIdentity)

    /// The folders that were made for it, the outermost first.
    public var madeFolders: [EntryPath] {
      if case .published(_, let folders) = self { folders } else { [] }
    }

    /// The file at its place.
    public var identity: FileIdentity {
      switch self {
      case .published(let identity, _), .alreadyPublished(let identity): identity
      }
    }
  }

  let library: Library
  let moves: MoveChoice

  /// Publishes into `library`.
  public init(_ library: Library) {
    self.library = library
    moves = library.moves
  }

  init(_ library: Library, move: Move) {
    self.library = library
    moves = MoveChoice(move)
  }

  /// Moves the partial file `name` to `path`, makes the folders that are missing, and syncs the folder.
  ///
  /// The contents must be synced before. `recorded` is the identity of the complete file that is moved as it was noted down
  /// before the first try: if the file at `path` is that one, an earlier call had come so far, and this one succeeds.
  /// Fails with `exists` if another file is there, and with `symbolicLink` or `notAFolder` if one is in the way.
  ///
  /// Where `sparingTwins` says so, it fails with `exists` too if a disk which does not tell case apart would take the file, or
  /// a folder that it makes, for another one. Publishing goes one after the other there: of two that come at once, one wins.
  public func publish(
    _ name: PartialName, to path: LibraryPath, recorded: FileIdentity? = nil, sparingTwins: Bool = false
  ) throws(FileError) -> Publication {
    do throws(FileError) {
      let (publication, folder) = try library.folderChanges.withLock { (_) throws(FileError) in
        let source = try library.finishedFile(name)
        let walk = try FolderWalk(
          to: EntryPath(path), in: library, makingFolders: source != nil, sparingTwins: sparingTwins)
        guard sparingTwins, source != nil else { return (try place(name, source, walk, recorded), walk.folder) }
        let twins = library.foldedFolders
        if let twin = try twins.twin(of: walk.name, in: walk.folder), twin != walk.name {
          throw FileError.exists(path: walk.folder.pathOfChild(twin))
        }
        let publication = try place(name, source, walk, recorded)
        try twins.added(walk.name, to: walk.folder)
        return (publication, walk.folder)
      }
      try library.folderSyncs.synchronize(folder)
      // The copy of it stands at its place. A partial that cannot be deleted is one of nobody's, which a cleanup finds.
      if library.incomingFolder != nil { _ = try? Partials(library).delete(name) }
      return publication
    } catch .notFound {
      throw .notFound(path: library.finishedFolder.pathOfChild(library.finishedName(of: name)))
    }
  }

  private func place(
    _ name: PartialName, _ source: FileIdentity?, _ walk: FolderWalk, _ recorded: FileIdentity?
  ) throws(FileError) -> Publication {
    let (published, folder) = (walk.name, walk.folder)
    let fileName = library.finishedName(of: name)
    guard let source else {
      return try earlierPublication(published, in: folder, recorded, otherwise: .notFound(path: fileName.text))
    }
    let finished = library.finishedFolder
    do throws(FileError) {
      try moves.perform(fileName, in: finished, to: published, in: folder)
      return .published(try folder.statusOfChild(published)?.identity ?? source, madeFolders: walk.made)
    } catch .exists {
      let collision = FileError.exists(path: folder.pathOfChild(published))
      // Where inodes do not last there are no hard links, and what was moved is not here any more.
      guard source.hasLastingInode else { throw collision }
      if try folder.statusOfChild(published)?.identity == source {
        // Where files cannot be renamed without replacing, they are linked and unlinked: a crash came in between.
        _ = try finished.deleteFile(fileName)
        return .alreadyPublished(source)
      }
      return try earlierPublication(published, in: folder, recorded, otherwise: collision)
    }
  }

  private func earlierPublication(
    _ published: EntryName, in folder: Descriptor, _ recorded: FileIdentity?, otherwise failure: FileError
  ) throws(FileError) -> Publication {
    guard let recorded, let status = try folder.statusOfChild(published), status.kind == .regular,
      status.identity.isSameFile(as: recorded)
    else { throw failure }
    return .alreadyPublished(status.identity)
  }
}
