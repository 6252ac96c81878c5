import Glibc
import PodfluxCore

/// The marks of files that users restored from quarantine, `.podflux/restored`: each is the file's former manifest,
/// under the same name. A cleanup removes a mark when its file is gone.
///
/// Only the holder of the quarantine's lock changes them.
struct RestorationMarks {
  private static let suffix = Array(".json".utf8)

  let engineFolder: Descriptor

  /// The names, in quarantine, of all files with a mark, in order.
  func names() throws(FileError) -> [EntryName] {
    guard let folder = try folder() else { return [] }
    let stream = try FolderStream(folder)
    var names: [EntryName] = []
    while let record = try stream.next() {
      let bytes = record.entryName.bytes
      guard !record.isHidden, bytes.count > Self.suffix.count,
        bytes.suffix(Self.suffix.count).elementsEqual(Self.suffix)
      else { continue }
      names.append(EntryName(bytes: bytes.dropLast(Self.suffix.count)))
    }
    return names.sorted()
  }

  /// The path to which the file of this name was restored; nil if there is no readable mark.
  func restoration(_ name: EntryName) throws(FileError) -> QuarantineManifest.Restoration? {
    let mark = Self.mark(of: name)
    guard let folder = try folder(), try folder.statusOfChild(mark)?.kind == .regular else { return nil }
    do throws(FileError) {
      let file = try folder.openChild(mark, O_RDONLY | O_NONBLOCK)
      return QuarantineManifest(json: try file.read(offset: 0, count: QuarantineManifest.maximumBytes + 1))?.restoration
    } catch .notFound {
      return nil
    } catch .denied, .symbolicLink {
      return nil
    }
  }

  func isMarked(_ name: EntryName) throws(FileError) -> Bool {
    try folder()?.statusOfChild(Self.mark(of: name)) != nil
  }

  /// Moves a manifest from `quarantine` to the marks atomically and syncs both; does nothing if there is no manifest.
  func take(manifest: EntryName, of name: EntryName, from quarantine: Descriptor) throws(FileError) {
    let isMade = try engineFolder.makeFolder(Library.Layout.restored, mode: Library.Layout.privateFolderMode)
    if isMade { engineFolder.handOver(Library.Layout.restored) }
    let folder = try engineFolder.openFolder(Library.Layout.restored)
    do throws(FileError) {
      try quarantine.moveChild(manifest, to: Self.mark(of: name), in: folder)
    } catch .notFound {
      return
    }
    folder.handOver(Self.mark(of: name))
    try folder.synchronize()
    try quarantine.synchronize()
  }

  /// Removes the mark of this name, and the folder after the last one. It does not sync.
  func remove(_ name: EntryName) throws(FileError) {
    guard let folder = try folder() else { return }
    _ = try folder.deleteFile(Self.mark(of: name))
    // The folder may contain others, or another process may just be opening it: then it stays.
    _ = unlinkat(engineFolder.number, Library.Layout.restored.cString, AT_REMOVEDIR)
  }

  private func folder() throws(FileError) -> Descriptor? {
    do throws(FileError) {
      return try engineFolder.openFolder(Library.Layout.restored)
    } catch .notFound {
      return nil
    }
  }

  private static func mark(of name: EntryName) -> EntryName {
    EntryName(bytes: name.bytes + suffix)
  }
}
