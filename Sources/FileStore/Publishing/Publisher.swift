import Glibc
import PodfluxCore

/// Moves complete files from the partial folder, or from `Incoming`, to their final paths, and never replaces a file.
///
/// Every call is idempotent: after a crash at any point, the same call reaches the same result.
package struct Publisher: Sendable {
  /// The result of a publication.
  package enum Publication: Hashable, Sendable {
    /// This call moved the file, and created these folders for it, the outermost first.
    case published(FileIdentity, madeFolders: [EntryPath])
    /// An earlier call, perhaps before a crash, had moved the file.
    case alreadyPublished(FileIdentity)

    /// The folders that were created for it, the outermost first.
    package var madeFolders: [EntryPath] {
      if case .published(_, let folders) = self { folders } else { [] }
    }

    /// The published file.
    package var identity: FileIdentity {
      switch self {
      case .published(let identity, _), .alreadyPublished(let identity): identity
      }
    }
  }

  let library: Library
  let moves: MoveChoice

  package init(_ library: Library) {
    self.library = library
    moves = library.moves
  }

  init(_ library: Library, move: Move) {
    self.library = library
    moves = MoveChoice(move)
  }

  /// Moves the partial file `name` to `path`, creates missing folders, and syncs the folder if that can be.
  ///
  /// The contents must be synced before. `recorded` is the identity of the complete file, recorded before the first
  /// try: if the file at `path` has it, an earlier call had moved it, and this one succeeds. Fails with `exists` if
  /// another file is there, and with `symbolicLink` or `notAFolder` if one blocks the path.
  ///
  /// If `isTagged` is true, it moves the tagged copy instead, and deletes the partial file afterwards.
  ///
  /// If `sparingTwins` is true, it also fails with `exists` if a case-insensitive disk would confuse the file, or a new
  /// folder, with another one; on such a disk that is always so. Publications are serialized then: of two concurrent
  /// ones, one wins.
  package func publish(
    _ name: PartialName, to path: LibraryPath, recorded: FileIdentity? = nil, isTagged: Bool = false,
    sparingTwins: Bool = false
  ) throws(FileError) -> Publication {
    let finished = try FinishedFile(name, of: library, isTagged: isTagged)
    let sparingTwins = library.sparesTwins(sparingTwins)
    do throws(FileError) {
      let (publication, folder) = try library.folderChanges.withLock { (_) throws(FileError) in
        let source = try finished.identity()
        let walk = try FolderWalk(
          to: EntryPath(path), in: library, makingFolders: source != nil, sparingTwins: sparingTwins)
        guard sparingTwins, source != nil else { return (try place(finished, source, walk, recorded), walk.folder) }
        let twins = library.foldedFolders
        if let twin = try twins.twin(of: walk.name, in: walk.folder), twin != walk.name {
          throw FileError.exists(path: walk.folder.pathOfChild(twin))
        }
        let publication = try place(finished, source, walk, recorded)
        try twins.added(walk.name, to: walk.folder)
        return (publication, walk.folder)
      }
      library.folderSyncs.synchronizeMove(in: folder)
      // The copy is at its path. A partial file that cannot be deleted becomes an orphan, which a cleanup finds.
      if finished.isCopy { _ = try? Partials(library).delete(name) }
      return publication
    } catch .notFound {
      throw .notFound(path: finished.folder.pathOfChild(finished.name))
    }
  }

  private func place(
    _ finished: FinishedFile, _ source: FileIdentity?, _ walk: FolderWalk, _ recorded: FileIdentity?
  ) throws(FileError) -> Publication {
    let (published, folder) = (walk.name, walk.folder)
    guard let source else {
      return try earlierPublication(published, in: folder, recorded, otherwise: .notFound(path: finished.name.text))
    }
    do throws(FileError) {
      try moves.perform(finished.name, in: finished.folder, to: published, in: folder)
      return .published(try folder.statusOfChild(published)?.identity ?? source, madeFolders: walk.made)
    } catch .exists {
      let collision = FileError.exists(path: folder.pathOfChild(published))
      if try folder.statusOfChild(published)?.isLink(of: source) ?? false {
        // Without atomic rename the file was linked and was to be unlinked: a crash came in between.
        _ = try finished.folder.deleteFile(finished.name)
        return .alreadyPublished(source)
      }
      // Without lasting inodes another file of its length may be there, and this one is here.
      guard source.hasLastingInode else { throw collision }
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
