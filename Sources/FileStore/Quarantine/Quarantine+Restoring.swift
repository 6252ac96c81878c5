import Flux
import PodfluxCore

/// Restoring files, and remembering which ones a user restored.
extension Quarantine {
  /// The result of a restoration.
  package enum Restoring: Hashable, Sendable {
    /// The file is at this path, moved by this call or an earlier one.
    case restored(EntryPath, FileIdentity)
    /// Another entry is at this path; nothing was changed.
    case occupied(EntryPath)
    /// The original path is unknown or cannot hold a published file: the user must name one.
    case noPlace
    /// No such file is in quarantine.
    case gone
  }

  /// A file that a user restored and wants to keep at its path.
  package struct Restored: Hashable, Sendable {
    package let place: EntryPath
    /// Its identity, with its current length.
    package let identity: FileIdentity
  }

  /// How often to create the folders again if another program removes them meanwhile.
  private static let attempts = 8

  /// Moves the file `name` from quarantine to its original path, or to `destination`; replaces nothing, and creates
  /// missing folders. On a disk that ignores case the path is spelled as on the disk. The manifest becomes a mark,
  /// which stays as long as the file does.
  ///
  /// It is idempotent after a crash at any point. Fails with `illegalPath` if the destination cannot hold a published
  /// file, and with `symbolicLink` or `notAFolder` if one blocks the path.
  package func restore(_ name: String, to destination: EntryPath? = nil) throws(FileError) -> Restoring {
    guard let quarantine = try QuarantineFolder.existing(in: library) else { return .gone }
    return try quarantine.locked { () throws(FileError) in
      guard let name = try Self.entryName(name, in: quarantine) else { return .gone }
      guard let status = try quarantine.file(name) else { return try earlierRestoring(name, quarantine) }
      var manifest = try manifest(of: name, status, quarantine)
      guard let wanted = destination ?? manifest.legalPlace else { return .noPlace }
      let place = try PublishedFiles(library).spelledOnDisk(wanted)
      if let walk = try PublishedFiles(library).walk(to: place), let other = try walk.status(),
        other.identity != status.identity
      {
        guard try isPlaceholder(other, of: manifest, at: place, quarantine) else { return .occupied(place) }
        _ = try walk.folder.deleteFile(walk.name)
      }
      manifest.restoration = QuarantineManifest.Restoration(
        place: place, inode: status.identity.lastingInode, length: status.identity.size)
      try quarantine.write(manifest, for: name)
      return try putBack(name, status.identity, to: place, quarantine)
    }
  }

  /// The files that a user restored and that still exist, by their inodes; a file that cannot be read now counts as
  /// existing. Changes nothing.
  package func restored() throws(FileError) -> [Restored] {
    var restored: [Restored] = []
    // A manifest that becomes a mark meanwhile is found among the marks.
    if let quarantine = try QuarantineFolder.existing(in: library) {
      for name in try quarantine.names().manifests {
        guard let restoration = try unmarkedRestoration(name, quarantine), let found = found(restoration) else {
          continue
        }
        restored.append(found)
      }
    }
    var known = Set(restored)
    for name in try marks.names() {
      guard let restoration = try marks.restoration(name), let found = found(restoration),
        known.insert(found).inserted
      else { continue }
      restored.append(found)
    }
    return restored
  }

  /// Removes the marks of restored files that are gone from their paths.
  package func dropGoneRestorations() throws(FileError) {
    guard let quarantine = try QuarantineFolder.existing(in: library) else { return }
    for name in try quarantine.names().manifests {
      try quarantine.locked { () throws(FileError) in
        guard let restoration = try unmarkedRestoration(name, quarantine) else { return }
        // Restored by a process that died before it made the mark, or by an older version, which made none.
        if found(restoration) == nil {
          try quarantine.removeManifest(of: name)
        } else {
          try quarantine.makeMark(of: name)
        }
      }
    }
    for name in try marks.names() {
      try quarantine.locked { () throws(FileError) in
        guard let restoration = try marks.restoration(name), found(restoration) == nil else { return }
        try marks.remove(name)
      }
    }
  }

  private var marks: RestorationMarks { RestorationMarks(engineFolder: library.engineFolder) }
}

// MARK: - Steps

extension Quarantine {
  /// The name on the disk; nil if no file in quarantine can have it. Accepts the display form of a name that is not
  /// UTF-8.
  private static func entryName(_ text: String, in quarantine: QuarantineFolder) throws(FileError) -> EntryName? {
    let isOneName = !text.isEmpty && !text.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "/") }
    guard isOneName, text.utf8.count <= LibraryPath.maximumComponentBytes * 3 else { return nil }
    let name = EntryName(text)
    guard !QuarantineFolder.isReserved(name) else { return nil }
    guard text.unicodeScalars.contains("\u{FFFD}") else { return name }
    return try quarantine.names().files.first { $0 == name || $0.text == text } ?? name
  }

  private func manifest(
    of name: EntryName, _ status: FileStatus, _ quarantine: QuarantineFolder
  ) throws(FileError) -> QuarantineManifest {
    if case .manifest(let manifest) = try quarantine.beside(name) { return manifest }
    return QuarantineManifest(
      place: nil, inode: status.identity.lastingInode, length: status.identity.size,
      because: "it lay in the quarantine without a manifest", at: status.changed, download: nil)
  }

  /// No such file exists. The process that restored it may have died before it synced the folder or made the mark.
  private func earlierRestoring(_ name: EntryName, _ quarantine: QuarantineFolder) throws(FileError) -> Restoring {
    var restoration = try unmarkedRestoration(name, quarantine)
    if restoration == nil { restoration = try marks.restoration(name) }
    guard let restoration, let found = found(restoration) else { return .gone }
    try PublishedFiles(library).synchronizeFolder(of: found.place)
    try quarantine.descriptor.synchronize()
    try quarantine.makeMark(of: name)
    return .restored(found.place, found.identity)
  }

  private func putBack(
    _ name: EntryName, _ identity: FileIdentity, to place: EntryPath, _ quarantine: QuarantineFolder
  ) throws(FileError) -> Restoring {
    var attempt = 1
    while true {
      do throws(FileError) {
        let folder = try library.folderChanges.withLock { (_) throws(FileError) in
          let walk = try FolderWalk(to: place, in: library, makingFolders: true)
          try putBack(name, identity, as: walk.name, in: walk.folder, quarantine)
          return walk.folder
        }
        try folder.synchronize()
        try quarantine.descriptor.synchronize()
        try quarantine.makeMark(of: name)
        return .restored(place, identity)
      } catch .exists {
        return .occupied(place)
      } catch .notFound where attempt < Self.attempts {
        // An engine beside this command removed the folder, which was empty until now.
        attempt += 1
      }
    }
  }

  private func putBack(
    _ name: EntryName, _ identity: FileIdentity, as newName: EntryName, in folder: Descriptor,
    _ quarantine: QuarantineFolder
  ) throws(FileError) {
    do throws(FileError) {
      try moves.perform(name, in: quarantine.descriptor, to: newName, in: folder)
    } catch .exists(let path) {
      guard try folder.statusOfChild(newName)?.identity == identity else { throw .exists(path: path) }
      // A process that died before unlinking it here has linked it already.
      _ = try quarantine.descriptor.deleteFile(name)
    }
  }

  /// Whether this is the placeholder of a process that died while restoring: the manifest names this path, the file is
  /// empty, and this library uses placeholders.
  private func isPlaceholder(
    _ found: FileStatus, of manifest: QuarantineManifest, at place: EntryPath, _ quarantine: QuarantineFolder
  ) throws(FileError) -> Bool {
    guard let restoration = manifest.restoration, restoration.place == place else { return false }
    return try moves.mayHaveLeft(found, movingLength: restoration.length, probing: library.engineFolder)
  }

  /// The manifest's record of a restored file that is no longer in quarantine and has no mark yet.
  private func unmarkedRestoration(
    _ name: EntryName, _ quarantine: QuarantineFolder
  ) throws(FileError) -> QuarantineManifest.Restoration? {
    guard try quarantine.descriptor.statusOfChild(name) == nil,
      case .manifest(let manifest) = try quarantine.beside(name)
    else { return nil }
    return manifest.restoration
  }

  /// The restored file, if it still exists or cannot be read.
  private func found(_ restoration: QuarantineManifest.Restoration) -> Restored? {
    do throws(FileError) {
      guard let identity = try PublishedFiles(library).identity(of: restoration.place),
        identity.lastingInode == restoration.inode,
        identity.hasLastingInode || identity.size == restoration.length
      else { return nil }
      return Restored(place: restoration.place, identity: identity)
    } catch .symbolicLink, .notARegularFile, .illegalPath {
      return nil
    } catch {
      return Restored(
        place: restoration.place,
        identity: FileIdentity(device: 0, inode: restoration.inode, size: restoration.length))
    }
  }
}
