import Glibc

/// `.podflux/incoming`: copies of complete partial files, for a state on another disk than the library, from which no
/// rename is possible, and for files that get tags, since what was downloaded is never changed. The copy is synced
/// before its identity is recorded; then it is published like a partial file, and the partial file is deleted last.
///
/// A copy lives no longer than its attempt: the next start removes what a killed engine left.
package struct Incoming: Sendable {
  /// How many bytes are copied at once. The caller can cancel between two pieces.
  private static let pieceBytes: Int64 = 1 << 20
  /// How many bytes are synced at once: the last sync, which cannot be cancelled, is short.
  private static let syncBytes: Int64 = 16 << 20

  private let folder: Descriptor

  /// The copies of `library`; nil if its partial files can be renamed into it.
  package init?(_ library: Library) {
    guard let folder = library.incomingFolder else { return nil }
    self.folder = folder
  }

  /// The tagged copies of `library`; makes their folder if it is missing.
  package init(forTagging library: Library) throws(FileError) {
    folder = try library.folderOfCopies()
  }

  /// The bytes that this user may still write on the library's disk.
  package func freeBytes() throws(FileError) -> Int64 {
    try Library.diskSpace(of: folder).freeBytes
  }

  /// Copies a complete partial file with its modification time, in place of an earlier copy, and syncs the copy and its
  /// folder. Returns the copy's identity, which publishing keeps, or nil if the copying was cancelled.
  ///
  /// Fails with `changedOutside` if the partial becomes shorter meanwhile, and with `noSpace`, before writing, if the
  /// library's disk lacks space for all of it.
  ///
  /// - Parameter goOn: Called before each piece of 1 MiB; false cancels.
  package func copy(
    _ file: PartialFile, _ name: PartialName, while goOn: () -> Bool
  ) throws(FileError) -> FileIdentity? {
    let original = try file.identity()
    guard let copy = try fill(file, original, name, isSynced: true, while: goOn) else { return nil }
    return try finish(copy, modified: original)
  }

  /// Copies a complete partial file, in place of an earlier copy, for changes to be made to the copy. `finish` follows;
  /// until then nothing is synced. Returns nil if the copying was cancelled; fails as `copy` does.
  package func draft(
    of file: PartialFile, _ name: PartialName, while goOn: () -> Bool
  ) throws(FileError) -> CopyDraft? {
    let original = try file.identity()
    let copy = try fill(file, original, name, isSynced: false, while: goOn)
    return copy.map { CopyDraft(file: $0, original: original) }
  }

  /// Gives a changed copy the original's modification time, and syncs it and its folder. Returns the copy's identity,
  /// which publishing keeps.
  package func finish(_ draft: CopyDraft) throws(FileError) -> FileIdentity {
    try finish(draft.file, modified: draft.original)
  }

  private func finish(_ copy: Descriptor, modified original: FileIdentity) throws(FileError) -> FileIdentity {
    copy.setModificationTime(nanoseconds: original.modifiedNanoseconds)
    try copy.synchronize()
    try folder.synchronize()
    return try copy.status().identity
  }

  /// An earlier copy goes first: a child of an engine that was killed may still write to it.
  private func fill(
    _ file: PartialFile, _ original: FileIdentity, _ name: PartialName, isSynced: Bool, while goOn: () -> Bool
  ) throws(FileError) -> Descriptor? {
    let fileName = Self.fileName(of: name)
    _ = try folder.deleteFile(fileName)
    guard try freeBytes() >= original.size else {
      throw FileError.noSpace(path: folder.pathOfChild(fileName))
    }
    let copy = try folder.makeChild(fileName, O_RDWR | O_EXCL, mode: Library.Layout.fileMode)
    var (offset, isRanged) = (Int64(0), true)
    while offset < original.size {
      guard goOn() else { return nil }
      let count = Int(min(Self.pieceBytes, original.size - offset))
      if isRanged, let copied = try file.copyRange(to: copy, offset: offset, count: count) {
        offset += Int64(copied)
      } else {
        isRanged = false
        offset += Int64(try copyBytes(of: file, to: copy, offset: offset, count: count))
      }
      if isSynced, offset.isMultiple(of: Self.syncBytes) { try copy.synchronizeContents() }
    }
    return copy
  }

  private func copyBytes(
    of file: PartialFile, to copy: Descriptor, offset: Int64, count: Int
  ) throws(FileError) -> Int {
    let piece = try file.read(offset: offset, count: count)
    guard !piece.isEmpty else { throw FileError.changedOutside(path: copy.path) }
    let outcome = piece.withUnsafeBytes { copy.write($0, offset: offset) }
    if let failure = outcome.failure { throw failure }
    return piece.count
  }

  /// Deletes a copy that is no longer needed. Returns false if there was none.
  @discardableResult
  package func delete(_ name: PartialName) throws(FileError) -> Bool {
    try folder.deleteFile(Self.fileName(of: name))
  }

  /// Deletes the copies that killed engines left in `library`, which by now may be able to rename its partial files.
  /// Call it after recovery has checked for each publishing download whether its file is published.
  ///
  /// - Parameter kept: The downloads that were publishing. On a file system without lasting inodes, their copies prove,
  ///   until their rows have changed, that another file of the same length at their path is not theirs.
  /// - Returns: The errors for copies that could not be deleted.
  package static func clear(_ library: Library, keeping kept: Set<PartialName>) -> [FileError] {
    do throws(FileError) {
      let kept = Set(kept.map(fileName))
      if let folder = library.incomingFolder { return try clear(folder, keeping: kept) }
      return try clear(library.engineFolder.openFolder(Library.Layout.incoming), keeping: kept)
    } catch .notFound {
      return []
    } catch {
      return [error]
    }
  }

  private static func clear(_ folder: Descriptor, keeping kept: Set<EntryName>) throws(FileError) -> [FileError] {
    let stream = try FolderStream(folder)
    var names: [EntryName] = []
    while let record = try stream.next() {
      if !record.isHidden, !kept.contains(record.entryName) { names.append(record.entryName) }
    }
    var failures: [FileError] = []
    for name in names {
      do throws(FileError) {
        _ = try folder.deleteFile(name)
      } catch {
        failures.append(error)
      }
    }
    return failures
  }

  /// The library's disk may refuse names that the state's disk accepts.
  static func fileName(of name: PartialName) -> EntryName {
    PartialName.Style.portable.fileName(of: name)
  }
}

/// A copy of a complete partial file that is being changed; it is closed with the last reference.
package struct CopyDraft: Sendable {
  let file: Descriptor
  let original: FileIdentity

  /// The number of its descriptor, for reading and writing while the draft lives.
  package var descriptor: Int32 { file.number }

  /// Its length now.
  package func length() throws(FileError) -> Int64 { try file.status().identity.size }

  /// Reads `count` bytes from `offset`, or fewer at the end of the file.
  package func read(offset: Int64, count: Int) throws(FileError) -> [UInt8] {
    try file.read(offset: offset, count: count)
  }
}

/// Where a complete file lies before it is published.
struct FinishedFile {
  let folder: Descriptor
  let name: EntryName
  /// Whether it is a copy of the partial file.
  let isCopy: Bool

  /// - Parameter isTagged: Whether it is a tagged copy, and not the partial file where that can be renamed.
  init(_ name: PartialName, of library: Library, isTagged: Bool) throws(FileError) {
    isCopy = isTagged || library.incomingFolder != nil
    folder = isCopy ? try library.folderOfCopies() : library.partialFolder
    self.name = isCopy ? Incoming.fileName(of: name) : library.partialNames.fileName(of: name)
  }

  /// Its identity, or nil. Costs one stat.
  func identity() throws(FileError) -> FileIdentity? {
    try folder.statusOfChild(name)?.regularFile(at: folder.pathOfChild(name))
  }
}

extension Library {
  /// The folder of copies. Where partial files can be renamed it is opened, and made if it is missing, each time.
  fileprivate func folderOfCopies() throws(FileError) -> Descriptor {
    if let incomingFolder { return incomingFolder }
    return try engineFolder.openFolder(Layout.incoming, .createIfMissing)
  }
}

extension Descriptor {
  fileprivate func synchronizeContents() throws(FileError) {
    try systemCall("fdatasync", path) { fdatasync(number) }
  }

  /// Ignores a refusal of the file system: the download does not fail for a time.
  fileprivate func setModificationTime(nanoseconds: Int64?) {
    guard let (seconds, rest) = nanoseconds?.dividedDown(by: 1_000_000_000) else { return }
    let time = timespec(tv_sec: Int(seconds), tv_nsec: Int(rest))
    _ = futimens(number, [time, time])
  }
}
