import Glibc

/// `.podflux/incoming`: copies of complete partial files, for a state on another disk than the library, from which no
/// rename is possible. The copy is synced before its identity is recorded; then it is published like a partial file,
/// and the partial file is deleted last.
///
/// A copy lives no longer than its attempt: the next start removes what a killed engine left.
public struct Incoming: Sendable {
  /// How many bytes are copied at once. The caller can cancel between two pieces.
  private static let pieceBytes: Int64 = 1 << 20
  /// How many bytes are synced at once: the last sync, which cannot be cancelled, is short.
  private static let syncBytes: Int64 = 16 << 20

  private let folder: Descriptor

  /// The copies of `library`; nil if its partial files can be renamed into it.
  public init?(_ library: Library) {
    guard let folder = library.incomingFolder else { return nil }
    self.folder = folder
  }

  /// The bytes that this user may still write on the library's disk.
  public func freeBytes() throws(FileError) -> Int64 {
    try Library.diskSpace(of: folder).freeBytes
  }

  /// Copies a complete partial file with its modification time, replaces an earlier copy, and syncs the copy and its
  /// folder. Returns the copy's identity, which publishing keeps, or nil if the copying was cancelled.
  ///
  /// Fails with `changedOutside` if the partial becomes shorter meanwhile, and with `noSpace`, before writing, if the
  /// library's disk lacks space for all of it.
  ///
  /// - Parameter goOn: Called before each piece of 1 MiB; false cancels.
  public func copy(
    _ file: PartialFile, _ name: PartialName, while goOn: () -> Bool
  ) throws(FileError) -> FileIdentity? {
    let (original, fileName) = (try file.identity(), Self.fileName(of: name))
    guard try freeBytes() >= original.size else {
      throw FileError.noSpace(path: folder.pathOfChild(fileName))
    }
    let copy = try folder.openChild(fileName, O_WRONLY | O_CREAT | O_TRUNC, mode: Library.Layout.fileMode)
    var offset: Int64 = 0
    while offset < original.size {
      guard goOn() else { return nil }
      let piece = try file.read(offset: offset, count: Int(min(Self.pieceBytes, original.size - offset)))
      guard !piece.isEmpty else { throw FileError.changedOutside(path: copy.path) }
      let outcome = piece.withUnsafeBytes { copy.write($0, offset: offset) }
      if let failure = outcome.failure { throw failure }
      offset += Int64(piece.count)
      if offset.isMultiple(of: Self.syncBytes) { try copy.synchronizeContents() }
    }
    copy.setModificationTime(nanoseconds: original.modifiedNanoseconds)
    try copy.synchronize()
    try folder.synchronize()
    return try copy.status().identity
  }

  /// Deletes a copy that is no longer needed. Returns false if there was none.
  @discardableResult
  public func delete(_ name: PartialName) throws(FileError) -> Bool {
    try folder.deleteFile(Self.fileName(of: name))
  }

  /// Deletes the copies that killed engines left in `library`, which by now may be able to rename its partial files.
  /// Call it after recovery has checked for each publishing download whether its file is published.
  ///
  /// - Parameter kept: The downloads that were publishing. On a file system without lasting inodes, their copies prove,
  ///   until their rows have changed, that another file of the same length at their path is not theirs.
  /// - Returns: The errors for copies that could not be deleted.
  public static func clear(_ library: Library, keeping kept: Set<PartialName>) -> [FileError] {
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

extension Library {
  /// The folder from which complete files are published.
  var finishedFolder: Descriptor { incomingFolder ?? partialFolder }

  /// The name of a complete file in that folder.
  func finishedName(of name: PartialName) -> EntryName {
    incomingFolder == nil ? partialNames.fileName(of: name) : Incoming.fileName(of: name)
  }

  /// The identity of the complete file in that folder, or nil. Costs one stat.
  func finishedFile(_ name: PartialName) throws(FileError) -> FileIdentity? {
    let (folder, fileName) = (finishedFolder, finishedName(of: name))
    return try folder.statusOfChild(fileName)?.regularFile(at: folder.pathOfChild(fileName))
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
