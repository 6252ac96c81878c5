import Flux
import Glibc
import PodfluxCore

/// The quarantine of a library, `.podflux/quarantine`: files moved away by cleanups, each with a manifest that records
/// its original path, time and reason. It replaces nothing and follows no link.
///
/// A lock serializes changes across threads and processes. Aspects: `+Items` (listing, emptying), `+Restoring`.
package struct Quarantine: Sendable {
  /// A file in quarantine.
  package typealias Item = QuarantinedFile

  /// The result of quarantining a file.
  package enum Taking: Hashable, Sendable {
    /// The file is in quarantine under this name, moved by this call or an earlier one.
    case moved(name: String)
    /// No file is at the path.
    case gone
    /// Another file is at the path, and stays there.
    case changed
  }

  let library: Library
  let moves: MoveChoice

  /// The quarantine of `library`. The first quarantined file creates its folder.
  package init(_ library: Library) {
    self.library = library
    moves = library.moves
  }

  init(_ library: Library, move: Move) {
    self.library = library
    moves = MoveChoice(move)
  }

  /// Moves the file at `place` into quarantine if its identity is `recorded`, and removes its folders that are empty
  /// then and among the engine's own. Leaves another file where it is.
  ///
  /// It syncs the manifest, moves the file, and syncs both folders: after a crash the file is at its path, or a
  /// manifest records that path. It is idempotent after a crash at any point. Costs four or five fsyncs. Fails with
  /// `illegalPath` if `place` cannot hold a published file.
  ///
  /// - Parameters:
  ///   - because: The reason, one sentence without a full stop.
  ///   - download: The download that owns the file; its id becomes the file's name.
  package func take(
    _ place: EntryPath, recorded: FileIdentity, because: String, download: DownloadID?, at moment: Timestamp,
    ownFolders: Set<EntryPath> = []
  ) throws(FileError) -> Taking {
    let manifest = QuarantineManifest(
      place: place, inode: recorded.lastingInode, length: recorded.size, because: because, at: moment,
      download: download)
    let files = PublishedFiles(library)
    let walk = try files.walk(to: place)
    let quarantine = try QuarantineFolder.make(in: library)
    let taking = try quarantine.locked { () throws(FileError) in
      try take(walk?.name, in: walk?.folder, recorded, manifest, to: quarantine)
    }
    if let walk { files.removeIfEmpty(ownFolders, on: walk, to: place) }
    return taking
  }

  /// Quarantines a file from the folder of partial files that is not a partial file. It has no original path in the
  /// library, so restoring it needs a destination.
  package func take(
    strayPartial entry: PartialListing.Entry, because: String, at moment: Timestamp
  ) throws(FileError) -> Taking {
    try take(
      strayPartial: EntryPath(bytes: entry.entryName.bytes), recorded: entry.identity, because: because, at: moment)
  }

  /// The same for an entry of that folder that was listed earlier.
  package func take(
    strayPartial fileName: EntryPath, recorded: FileIdentity, because: String, at moment: Timestamp
  ) throws(FileError) -> Taking {
    let name = EntryName(bytes: fileName.bytes)
    precondition(
      PartialName(fileName: name, spelled: library.partialNames) == nil,
      "a partial file is the engine's own, and goes on or is deleted")
    let folder = library.partialFolder
    // The same for every state folder: a restoration fails without a destination from the user.
    let place = EntryPath(bytes: Array(Self.partialPlace.utf8) + name.bytes)
    let manifest = QuarantineManifest(
      place: place, inode: recorded.lastingInode, length: recorded.size, because: because, at: moment, download: nil)
    let quarantine = try QuarantineFolder.make(in: library)
    return try quarantine.locked { () throws(FileError) in
      try take(name, in: folder, recorded, manifest, to: quarantine)
    }
  }
}

// MARK: - Steps

extension Quarantine {
  private static let partialPlace = "\(Library.Layout.engine.text)/\(Library.Layout.partial.text)/"

  private func take(
    _ name: EntryName?, in folder: Descriptor?, _ recorded: FileIdentity, _ manifest: QuarantineManifest,
    to quarantine: QuarantineFolder
  ) throws(FileError) -> Taking {
    guard let name, let folder, let status = try folder.statusOfChild(name) else {
      return try earlierTaking(of: recorded, manifest, from: folder, to: quarantine)
    }
    guard status.kind == .regular, status.identity.isSameFile(as: recorded) else { return .changed }
    if status.linkCount > 1, let place = manifest.place,
      let earlier = try quarantine.name(of: status.identity, from: place)
    {
      // Without atomic rename the file was linked and was to be unlinked: a crash came in between.
      _ = try folder.deleteFile(name)
      return try moved(to: earlier, from: folder, quarantine)
    }
    return try carry(name, in: folder, recorded, manifest, to: quarantine)
  }

  /// No file is at the path. The engine that moved it may have died before it synced.
  private func earlierTaking(
    of recorded: FileIdentity, _ manifest: QuarantineManifest, from folder: Descriptor?, to quarantine: QuarantineFolder
  ) throws(FileError) -> Taking {
    guard let place = manifest.place, let name = try quarantine.name(of: recorded, from: place) else { return .gone }
    return try moved(to: name, from: folder, quarantine)
  }

  private func moved(
    to name: EntryName, from folder: Descriptor?, _ quarantine: QuarantineFolder
  ) throws(FileError) -> Taking {
    try quarantine.descriptor.synchronize()
    try folder?.synchronize()
    return .moved(name: name.text)
  }

  /// Writes the manifest, moves the file, and checks its identity: a user may have replaced it since the survey. Moves
  /// another file back.
  func carry(
    _ name: EntryName, in folder: Descriptor, _ recorded: FileIdentity, _ manifest: QuarantineManifest,
    to quarantine: QuarantineFolder
  ) throws(FileError) -> Taking {
    let newName = try quarantine.freeName(
      stem: Self.stem(of: name, manifest.download),
      fileExtension: FileExtension.of(name: name.text) ?? FileExtension.unknown)
    try quarantine.write(manifest, for: newName)
    do throws(FileError) {
      // The lock serializes all moves into the quarantine.
      try moves.perform(name, in: folder, to: newName, in: quarantine.descriptor, isOwnFolder: true)
    } catch {
      // The file may be linked here already, and then needs its manifest.
      if try quarantine.file(newName)?.identity.isSameFile(as: recorded) != true {
        try quarantine.removeManifest(of: newName)
      }
      if case .notFound = error { return .gone }
      throw error
    }
    if let found = try quarantine.file(newName), found.identity.isSameFile(as: recorded) {
      return try moved(to: newName, from: folder, quarantine)
    }
    return try giveBack(newName, as: name, in: folder, quarantine)
  }

  private func giveBack(
    _ newName: EntryName, as name: EntryName, in folder: Descriptor, _ quarantine: QuarantineFolder
  ) throws(FileError) -> Taking {
    do throws(FileError) {
      try moves.perform(newName, in: quarantine.descriptor, to: name, in: folder)
    } catch .exists {
      // A third file has taken its path. The moved one stays here with its manifest and can be restored.
      _ = try moved(to: newName, from: folder, quarantine)
      return .changed
    }
    try folder.synchronize()
    try quarantine.removeManifest(of: newName)
    return .changed
  }

  /// The stem of a name in quarantine: the download's id, or a valid part of the file's own name.
  private static func stem(of name: EntryName, _ download: DownloadID?) -> String {
    if let download { return withoutDash(download.description) }
    let longest = 64
    let whole = name.text.unicodeScalars.prefix(longest)
    let end = whole.lastIndex(of: ".") ?? whole.endIndex
    let text = String(whole[..<end].map { isPlain($0) ? Character($0) : "_" })
    return text.isEmpty || text.hasPrefix(".") ? "file" : withoutDash(text)
  }

  /// Programs take a name that begins with a dash for an option: `rm *` would.
  private static func withoutDash(_ name: String) -> String {
    name.hasPrefix("-") ? "_" + name.dropFirst() : name
  }

  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "A"..."Z", "a"..."z", "0"..."9", ".", "_", "-": true
    default: false
    }
  }
}
