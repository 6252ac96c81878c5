import Glibc
import Synchronization

/// Syncs folders. Threads that sync the same folder at the same time share one fsync(2).
final class FolderSyncs: Sendable {
  private struct Key: Hashable {
    var device: UInt64
    var inode: UInt64
  }

  private let folders = Mutex<[Key: (sync: SharedSync, users: Int)]>([:])

  /// Returns when every entry of the folder that was created before the call is on the device. Blocks for one fsync(2)
  /// or, if another one has just begun, for two.
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

  /// The same for a folder in which a file has just been moved. A sync that fails leaves in doubt what a power cut
  /// would leave, and not where the file is now: its row must follow it, and the next start finds what a power cut has
  /// undone.
  func synchronizeMove(in folder: Descriptor) {
    _ = try? synchronize(folder)
  }

  /// Forgets a folder when no thread syncs it.
  private func leave(_ key: Key) {
    folders.withLock { folders in
      guard let (sync, users) = folders[key] else { return }
      folders[key] = users > 1 ? (sync, users - 1) : nil
    }
  }

  /// How many folders are being synced now.
  var folderCount: Int { folders.withLock(\.count) }
}

/// Combines concurrent requests for one sync: a sync that begins after a request was made covers it, on any thread.
final class SharedSync: Sendable {
  private struct Last {
    /// The last sync covers every request up to this number.
    var covered: UInt64 = 0
    var failure: FileError?
  }

  private let requests = Atomic<UInt64>(0)
  private let last = SleepingLock(Last())

  /// Runs the sync, or waits for another thread's sync that covers this request.
  func synchronize(_ body: () throws(FileError) -> Void) throws(FileError) {
    let request = requests.add(1, ordering: .sequentiallyConsistent).newValue
    // A thread that waits here while a sync runs either syncs next, or finds that a thread admitted before it has
    // synced for it too.
    try last.withLock { (last) throws(FileError) in
      if last.covered >= request {
        if let failure = last.failure { throw failure }
        return
      }
      last = Last(covered: requestCount)
      do throws(FileError) {
        try body()
      } catch {
        // The kernel reports a failure once, so every request that this sync covers must fail.
        last.failure = error
        throw error
      }
    }
  }

  /// How many requests have been made.
  var requestCount: UInt64 { requests.load(ordering: .sequentiallyConsistent) }
}
