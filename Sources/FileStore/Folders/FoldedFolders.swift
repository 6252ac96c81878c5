import Glibc
import Synchronization

/// Finds names in a folder that a case-insensitive disk would treat as equal.
///
/// Keeps a fingerprint of each name of a folder until another program changes the folder, so that a folder of 10,000
/// files is not listed for each new file. The cache is bounded: the most recently used folders with `maximumNames`
/// names in all. A folder with more names is listed each time.
///
/// A change is detected by the folder's change time. If another program adds a name within the same tick of the file
/// system's clock, some milliseconds, the change may be missed: then two names exist where one was wanted, and no file
/// is overwritten.
///
/// A disk that ignores case says of `show` that it is there where it is `Show`: there the listing alone knows how a
/// name is spelled.
final class FoldedFolders: Sendable {
  /// How many names are cached, over all folders: at 8 bytes each, some MiB.
  static let maximumNames = 1 << 18
  /// How many folders are cached.
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
    /// Counts up: the larger, the more recently used.
    var use: UInt64
  }

  private struct State {
    var indexes: [Key: Index] = [:]
    var names = 0
    var uses: UInt64 = 0
    var listings = 0
  }

  private let state = Mutex(State())
  private let ignoresCase: Bool

  /// - Parameter ignoresCase: Whether the disk takes names that differ in case only for one.
  init(ignoresCase: Bool = false) {
    self.ignoresCase = ignoresCase
  }

  /// How many folders have been listed so far, for tests.
  var listings: Int { state.withLock(\.listings) }
  /// How many names are cached.
  var nameCount: Int { state.withLock(\.names) }

  /// The name in the folder that equals `name`, or would equal it on a disk that ignores case and normalization; nil if
  /// there is none.
  ///
  /// Prefers `name` itself, then the first in the order of bytes. Costs two stats if the folder is cached and has no
  /// such name; otherwise lists the folder. A disk that ignores case has the folder listed for each name that is there.
  func twin(of name: EntryName, in folder: Descriptor) throws(FileError) -> EntryName? {
    let isThere = try folder.statusOfChild(name) != nil
    if isThere, !ignoresCase { return name }
    let (key, change) = try identity(of: folder)
    let fingerprint = FoldedName(name).fingerprint
    let isKnownToBeAbsent = state.withLock { state in
      guard var index = state.indexes[key], index.change == change else { return false }
      state.uses += 1
      index.use = state.uses
      state.indexes[key] = index
      return !index.fingerprints.contains(fingerprint)
    }
    if isKnownToBeAbsent, !isThere { return nil }
    // The disk may take for one what no table of Unicode does, the short names of vfat for example.
    return try list(folder, key, change, lookingFor: name) ?? (isThere ? name : nil)
  }

  /// Records a name that the engine has just added to the folder, after `twin` was called for it: the folder is not
  /// listed again for this change.
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

  /// Whether the folder's names are cached, and no other program has changed it since.
  func isKnown(_ folder: Descriptor) throws(FileError) -> Bool {
    let (key, change) = try identity(of: folder)
    return state.withLock { $0.indexes[key]?.change == change }
  }

  /// Records that the engine has just taken a name away from a folder that was known: the folder is not listed again
  /// for this change. The name's fingerprint stays, and costs a listing if it is asked for.
  func left(_ folder: Descriptor) throws(FileError) {
    let (key, change) = try identity(of: folder)
    state.withLock { $0.indexes[key]?.change = change }
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
      twin = found == name || twin == name ? name : twin.map { min($0, found) } ?? found
    }
    state.withLock { state in
      state.listings += 1
      if let former = state.indexes.removeValue(forKey: key) { state.names -= former.fingerprints.count }
      state.uses += 1
      Self.keep(Index(change: change, fingerprints: fingerprints, use: state.uses), for: key, in: &state)
    }
    return twin
  }

  /// Caches an index and evicts the least recently used ones; does not cache one that is too large.
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
