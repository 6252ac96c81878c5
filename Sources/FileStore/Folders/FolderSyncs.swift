import Glibc
import Synchronization

/// Brings folders' entries to the device, and lets those who want the same folder synced at the same time share one
/// fsync(2).
final class FolderSyncs: Sendable {
  private struct Key: Hashable {
    var device: UInt64
    var inode: UInt64
  }

  private let folders = Mutex<[Key: (sync: SharedSync, users: Int)]>([:])

  /// Returns when every entry of the folder that was made before the call is on the device. Blocks for as long as that
  /// takes: one fsync(2) or, if another one has just begun, two.
  func synchronize(_ folder: Descriptor) throws(FileError) {
    let identity = try folder.status().identity
    let key = Key(device: identity.device, inode: identity.inode)
    let sync = folders.withLock { folders in
      let (sync, users) = folders[key] ?? (SharedSync(), 0)
      folders[key] = (sync, users + 1)
      return sync
    }
    defer { leave(key) }
    try sync.synchronize(folder.synchronize)
  }

  /// A folder that nobody syncs is forgotten.
  private func leave(_ key: Key) {
    folders.withLock { folders in
      guard let (sync, users) = folders[key] else { return }
      folders[key] = users > 1 ? (sync, users - 1) : nil
    }
  }

  /// How many folders are being synced.
  var folderCount: Int { folders.withLock(\.count) }
}

/// One thing that many want synced: a sync that begins after a request was made covers it, whoever asked for it.
final class SharedSync: Sendable {
  private struct Last {
    /// Every request up to this number was made before the last sync began.
    var covered: UInt64 = 0
    var failure: FileError?
  }

  private let requests = Atomic<UInt64>(0)
  private let last = Mutex(Last())

  /// Syncs, or has somebody else's sync do.
  func synchronize(_ body: () throws(FileError) -> Void) throws(FileError) {
    let request = requests.add(1, ordering: .sequentiallyConsistent).newValue
    // Whoever waits here while a sync runs is the next to sync when it is let in, or finds that somebody who was let in
    // before it has synced for it too.
    try last.withLock { (last) throws(FileError) in
      if last.covered >= request {
        if let failure = last.failure { throw failure }
        return
      }
      last = Last(covered: requestCount)
      do throws(FileError) {
        try body()
      } catch {
        // The kernel tells a failure once: all whom this sync covers have to hear of it.
        last.failure = error
        throw error
      }
    }
  }

  /// How many requests there have been.
  var requestCount: UInt64 { requests.load(ordering: .sequentiallyConsistent) }
}
