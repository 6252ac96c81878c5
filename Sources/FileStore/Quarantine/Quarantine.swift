import Flux
import Glibc
import PodfluxCore

/// The quarantine of a library, `.podflux/quarantine`: files that are put aside, each with a manifest that says whence,
/// when and why. Nothing in it is ever replaced, and no link is followed.
///
/// Whoever changes it, in whatever process, keeps all others from doing so meanwhile.
/// Its aspects: `+Items` (what is in it, and emptying it), `+Restoring`.
public struct Quarantine: Sendable {
  /// A file in quarantine.
  public typealias Item = QuarantinedFile

  /// What became of a file that was to be put aside.
  public enum Taking: Hashable, Sendable {
    /// It lies in quarantine under this name, now or since an earlier call.
    case moved(name: String)
    /// Nothing is at its place.
    case gone
    /// Something else is at its place, and stays there.
    case changed
  }

  let library: Library
  let moves: MoveChoice

  /// The quarantine of `library`. Its folder is made when the first file is put aside.
  public init(_ library: Library) {
    self.library = library
    moves = library.moves
  }

  init(_ library: Library, move: Move) {
    self.library = library
    moves = MoveChoice(move)
  }

  /// Moves the file at `place` into quarantine if it is still the one that is `recorded`, and removes those of its folders
  /// that are empty then and are among the engine's own. What is there instead stays where it is.
  ///
  /// First the manifest is brought to the device, then the file is moved, then both folders are synced: after a crash the
  /// file is where it was, or it is told whence it came. Called again after a crash at any point, it comes to the same end.
  /// Costs four or five fsyncs. Fails with `illegalPath` if there can be no published file at `place`.
  ///
  /// - Parameters:
  ///   - because: Why, in one sentence without a full stop.
  ///   - download: The download whose file it is; its id becomes the file's name.
  public func take(
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

  /// Moves a file into quarantine that lies among the partial files and is none of them: the same way as a published one,
  /// but it has no place to which it could be restored by itself.
  public func take(
    strayPartial entry: PartialListing.Entry, because: String, at moment: Timestamp
  ) throws(FileError) -> Taking {
    try take(
      strayPartial: EntryPath(bytes: entry.entryName.bytes), recorded: entry.identity, because: because, at: moment)
  }

  /// The same for one of this name among the partial files that was found earlier.
  public func take(
    strayPartial fileName: EntryPath, recorded: FileIdentity, because: String, at moment: Timestamp
  ) throws(FileError) -> Taking {
    let name = EntryName(bytes: fileName.bytes)
    precondition(
      PartialName(fileName: name, spelled: library.partialNames) == nil,
      "a partial file is the engine's own, and goes on or is deleted")
    let folder = library.partialFolder
    // Wherever the state is: to this no file can be restored, so that a person is asked for a place.
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
      // Where files cannot be renamed without replacing, they are linked and unlinked: a crash came in between.
      _ = try folder.deleteFile(name)
      return try moved(to: earlier, from: folder, quarantine)
    }
    return try carry(name, in: folder, recorded, manifest, to: quarantine)
  }

  /// Nothing is at the place. The engine that moved it may have died before it synced.
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

  /// Writes the manifest, moves the file, and looks whether it was the one that is meant: a person may have put another
  /// there since it was looked at. That one goes back.
  func carry(
    _ name: EntryName, in folder: Descriptor, _ recorded: FileIdentity, _ manifest: QuarantineManifest,
    to quarantine: QuarantineFolder
  ) throws(FileError) -> Taking {
    let newName = try quarantine.freeName(
      stem: Self.stem(of: name, manifest.download),
      fileExtension: FileExtension.of(name: name.text) ?? FileExtension.unknown)
    try quarantine.write(manifest, for: newName)
    do throws(FileError) {
      // All who move files into the quarantine keep each other from it.
      try moves.perform(name, in: folder, to: newName, in: quarantine.descriptor, isOwnFolder: true)
    } catch {
      // It may be linked here already, and then its manifest is needed.
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
      // Yet another has come to its place. It stays here with its manifest, from where it can be restored.
      _ = try moved(to: newName, from: folder, quarantine)
      return .changed
    }
    try folder.synchronize()
    try quarantine.removeManifest(of: newName)
    return .changed
  }

  /// The beginning of a name in quarantine: the download's id, or what is left of the file's own name.
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
