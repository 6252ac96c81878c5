import Glibc
import Synchronization

/// Finds the names in folders that a disk which does not tell case apart would take for one.
///
/// Of a folder that is asked about, the fingerprint of each name is kept until somebody else changes it, so that a folder of
/// 10,000 files is not listed for each that comes. What is kept is bounded: the folders asked about last, with
/// `maximumNames` names in all. A folder with more names than that is listed each time.
///
/// Folders are known by when they last changed. What another program puts into one within the same tick of the file system's
/// clock, some milliseconds, may be overlooked: then there are two names where one was wanted, and nothing is written over.
final class FoldedFolders: Sendable {
  /// How many names are kept, of all folders together: with 8 bytes for each, some MiB.
  static let maximumNames = 1 << 18
  /// How many folders are kept.
  static let maximumFolders = 64

  private struct Key: Hashable {
    var device: UInt64
    var inode: UInt64
  }

  /// When a folder last changed (st_ctim), as exactly as the file system says.
  private struct Change: Hashable {
    var seconds: Int
    var nanoseconds: Int
  }

  private struct Index {
    var change: Change
    var fingerprints: Set<Int>
    /// The larger, the later it was asked for.
    var use: UInt64
  }

  private struct State {
    var indexes: [Key: Index] = [:]
    var names = 0
    var uses: UInt64 = 0
    var listings = 0
  }

  private let state = Mutex(State())

  /// How many folders have been listed so far.
  var listings: Int { state.withLock(\.listings) }
  /// How many names are kept.
  var nameCount: Int { state.withLock(\.names) }

  /// The name in the folder that is `name`, or would be it where case and normalization do not count; nil if there is none.
  ///
  /// `name` itself goes before others, and those in the order of their bytes. Costs two stats where the folder is known and
  /// has no such name; otherwise it is listed.
  func twin(of name: EntryName, in folder: Descriptor) throws(FileError) -> EntryName? {
    if try folder.statusOfChild(name) != nil { return name }
    let (key, change) = try identity(of: folder)
    let fingerprint = FoldedName(name).fingerprint
    let mayBeThere = state.withLock { state in
      guard var index = state.indexes[key], index.change == change else { return true }
      state.uses += 1
      index.use = state.uses
      state.indexes[key] = index
      return index.fingerprints.contains(fingerprint)
    }
    return mayBeThere ? try list(folder, key, change, lookingFor: name) : nil
  }

  /// A name has just been put into the folder, which `twin` has been asked about before: it is not to be listed again for
  /// that.
  func added(_ name: EntryName, to folder: Descriptor) throws(FileError) {
    let (key, change) = try identity(of: folder)
    let fingerprint = FoldedName(name).fingerprint
    state.withLock { state in
      guard var index = state.indexes.removeValue(forKey: key) else { return }
      state.names -= index.fingerprints.count
      index.change = change
      index.fingerprints.insert(fingerprint)
      Self.keep(index, for: key, in: &state)
    }
  }

  private func list(
    _ folder: Descriptor, _ key: Key, _ change: Change, lookingFor name: EntryName
  ) throws(FileError) -> EntryName? {
    let wanted = FoldedName(name)
    var twin: EntryName?
    var fingerprints: Set<Int> = []
    let stream = try FolderStream(folder)
    while let record = try stream.next() {
      let folded = FoldedName(UnsafeRawBufferPointer(start: record.name, count: record.length))
      if fingerprints.count <= Self.maximumNames { fingerprints.insert(folded.fingerprint) }
      guard folded == wanted else { continue }
      let found = record.entryName
      twin = twin.map { min($0, found) } ?? found
    }
    state.withLock { state in
      state.listings += 1
      if let former = state.indexes.removeValue(forKey: key) { state.names -= former.fingerprints.count }
      state.uses += 1
      Self.keep(Index(change: change, fingerprints: fingerprints, use: state.uses), for: key, in: &state)
    }
    return twin
  }

  /// Keeps an index, at the cost of those that were asked for longest ago; one that is too large is not kept.
  private static func keep(_ index: Index, for key: Key, in state: inout State) {
    guard index.fingerprints.count <= maximumNames else { return }
    state.indexes[key] = index
    state.names += index.fingerprints.count
    while state.names > maximumNames || state.indexes.count > maximumFolders,
      let oldest = state.indexes.min(by: { $0.value.use < $1.value.use })
    {
      state.names -= oldest.value.fingerprints.count
      state.indexes[oldest.key] = nil
    }
  }

  private func identity(of folder: Descriptor) throws(FileError) -> (Key, Change) {
    var status = stat()
    try systemCall("fstat", folder.path) { fstat(folder.number, &status) }
    return (
      Key(device: UInt64(status.st_dev), inode: UInt64(status.st_ino)),
      Change(seconds: status.st_ctim.tv_sec, nanoseconds: status.st_ctim.tv_nsec)
    )
  }
}
