import Glibc

/// `.podflux/incoming`: copies of complete partial files, where those lie on another disk than the library and cannot be
/// renamed into it. The copy is on the device before anybody notes down which file it is; then it is moved to its place as a
/// partial file would be, and the partial goes last.
///
/// A copy lives no longer than its attempt: what a killed engine has left is removed at the next start.
public struct Incoming: Sendable {
  /// How much is copied at once, in bytes. Between two pieces the copying can be ended.
  private static let pieceBytes: Int64 = 1 << 20
  /// How much is brought to the device at once, in bytes: the last sync, which nobody can end, has no more left to do.
  private static let syncBytes: Int64 = 16 << 20

  private let folder: Descriptor

  /// The copies of `library`; nil where its partial files can be renamed into it.
  public init?(_ library: Library) {
    guard let folder = library.incomingFolder else { return nil }
    self.folder = folder
  }

  /// What this user may still write on the library's disk, in bytes.
  public func freeBytes() throws(FileError) -> Int64 {
    try Library.diskSpace(of: folder).freeBytes
  }

  /// Copies a complete partial file, in place of an earlier copy, with its time of modification, and brings the copy to the
  /// device with its entry in the folder. Returns which file it is, which moving it keeps, or nil if the copying was ended.
  ///
  /// Fails with `changedOutside` if the partial becomes shorter meanwhile, with `noSpace` before anything is written where
  /// the library's disk has not room for all of it.
  ///
  /// - Parameter goOn: Asked before each piece of 1 MiB.
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

  /// Deletes a copy that is not wanted any more. Returns false if there was none.
  @discardableResult
  public func delete(_ name: PartialName) throws(FileError) -> Bool {
    try folder.deleteFile(Self.fileName(of: name))
  }

  /// Deletes what killed engines have left of copies in `library`, which may be able to rename its partial files by now. To be
  /// called when it is known of each download that was publishing whether its file stands at its place.
  ///
  /// - Parameter kept: The downloads that were publishing. Where inodes do not last, their copies tell until their rows have
  ///   changed that another file of the same length at their place is not theirs.
  /// - Returns: why some could not be deleted.
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

  /// The library's disk need not take what the state's takes.
  static func fileName(of name: PartialName) -> EntryName {
    PartialName.Style.portable.fileName(of: name)
  }
}

extension Library {
  /// From where complete files are moved to their places.
  var finishedFolder: Descriptor { incomingFolder ?? partialFolder }

  /// The name of a complete file there.
  func finishedName(of name: PartialName) -> EntryName {
    incomingFolder == nil ? partialNames.fileName(of: name) : Incoming.fileName(of: name)
  }

  /// Which complete file waits there; nil if none does. Costs one stat.
  func finishedFile(_ name: PartialName) throws(FileError) -> FileIdentity? {
    let (folder, fileName) = (finishedFolder, finishedName(of: name))
    return try folder.statusOfChild(fileName)?.regularFile(at: folder.pathOfChild(fileName))
  }
}

extension Descriptor {
  fileprivate func synchronizeContents() throws(FileError) {
    try systemCall("fdatasync", path) { fdatasync(number) }
  }

  /// Where the file system does not take it, nothing happens: a file's time is not worth a download.
  fileprivate func setModificationTime(nanoseconds: Int64?) {
    guard let (seconds, rest) = nanoseconds?.dividedDown(by: 1_000_000_000) else { return }
    let time = timespec(tv_sec: Int(seconds), tv_nsec: Int(rest))
    _ = futimens(number, [time, time])
  }
}
